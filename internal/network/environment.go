package network

import (
	"fmt"
	"strconv"
	"time"
)

// ReadCount reads one of the network's own variables as a non-negative whole number. An empty value is an error.
func ReadCount(env Environment, unprefixedName string) (int, error) {
	value := env.Get(unprefixedName)
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 {
		return 0, fmt.Errorf(
			"BELFRY_%s is %q, but must be a whole number that is not negative, such as 100", unprefixedName, value,
		)
	}
	return n, nil
}

// ReadDuration reads one of the network's own variables as a non-negative duration. An empty value is an error.
func ReadDuration(env Environment, unprefixedName string) (time.Duration, error) {
	value := env.Get(unprefixedName)
	d, err := time.ParseDuration(value)
	if err != nil || d < 0 {
		return 0, fmt.Errorf(
			"BELFRY_%s is %q, but must be a duration that is not negative, such as 60s", unprefixedName, value,
		)
	}
	return d, nil
}
