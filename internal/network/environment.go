package network

import (
	"fmt"
	"time"
)

// ReadDuration reads one of the network's own variables as a length of time that is not negative.
func ReadDuration(env Environment, name string) (time.Duration, error) {
	d, err := time.ParseDuration(env.Get(name))
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%s is %q, which is not a duration such as 60s", name, env.Get(name))
	}
	return d, nil
}
