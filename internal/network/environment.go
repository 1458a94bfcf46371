package network

import (
	"fmt"
	"strconv"
	"time"
)

// ReadCount reads one of the network's own variables as a non-negative whole number.
func ReadCount(env Environment, name string) (int, error) {
	n, err := strconv.Atoi(env.Get(name))
	if err != nil || n < 0 {
		return 0, fmt.Errorf("BELFRY_%s is %q, but must be a whole number that is not negative, such as 100", name, env.Get(name))
	}
	return n, nil
}

// ReadDuration reads one of the network's own variables as a non-negative duration.
func ReadDuration(env Environment, name string) (time.Duration, error) {
	d, err := time.ParseDuration(env.Get(name))
	if err != nil || d < 0 {
		return 0, fmt.Errorf("BELFRY_%s is %q, but must be a duration that is not negative, such as 60s", name, env.Get(name))
	}
	return d, nil
}
