package network

import (
	"fmt"
	"strconv"
	"time"
)

// ReadCount reads one of the network's own variables as a non-negative number.
func ReadCount(env Environment, name string) (int, error) {
	n, err := strconv.Atoi(env.Get(name))
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s is %q, which is not a number such as 100", name, env.Get(name))
	}
	return n, nil
}

// ReadDuration reads one of the network's own variables as a non-negative duration.
func ReadDuration(env Environment, name string) (time.Duration, error) {
	d, err := time.ParseDuration(env.Get(name))
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%s is %q, which is not a duration such as 60s", name, env.Get(name))
	}
	return d, nil
}
