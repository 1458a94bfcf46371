package sim

import (
	"fmt"
	"slices"
	"time"
)

// Option is an option of a simulated network. All values are text, so one form fits all options.
type Option struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Default string `json:"default"`
	Value   string `json:"value"`
	// Choices are the allowed values. If empty, any whole number from 0 is allowed.
	Choices []string `json:"choices,omitempty"`
}

// ahead is the id of the only entry in the clock's table.
const ahead = "ahead"

// Now returns the networks' time: the injected clock plus the time added on the control page.
func (k *Kit) Now() time.Time {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.now().UTC().Add(k.offset.Get(ahead))
}

// AdvanceClock moves the networks' clock forward, so tokens age and containers expire. The clock cannot be moved back.
func (k *Kit) AdvanceClock(by time.Duration) error {
	if by < 0 {
		return fmt.Errorf("the sandbox clock cannot be moved by %s: it can only move forward", by)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.offset.Put(ahead, k.offset.Get(ahead)+by)
}

// ClockOffset returns how far ahead the networks' clock is.
func (k *Kit) ClockOffset() time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.offset.Get(ahead)
}

// Option returns the value of an option by its full name.
func (k *Kit) Option(name string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.optionLocked(name)
}

// optionLocked is Option for a caller that holds k.mu.
func (k *Kit) optionLocked(name string) string {
	if k.options.Has(name) {
		return k.options.Get(name)
	}
	if preset, ok := k.cfg.Options[name]; ok {
		return preset
	}
	for _, n := range k.networks {
		for _, o := range n.about.Options {
			if o.Name == name {
				return o.Default
			}
		}
	}
	return ""
}

// NumberOption returns the value of an option as a number, or 0 if it is not a number.
func (k *Kit) NumberOption(name string) int {
	var n int
	if _, err := fmt.Sscanf(k.Option(name), "%d", &n); err != nil {
		return 0
	}
	return n
}

// ListOptions returns every option of every network with its current value.
func (k *Kit) ListOptions() []Option {
	k.mu.Lock()
	defer k.mu.Unlock()
	var list []Option
	for _, n := range k.networks {
		for _, o := range n.about.Options {
			o.Value = k.optionLocked(o.Name)
			list = append(list, o)
		}
	}
	return list
}

// SetOption changes the value of an option.
func (k *Kit) SetOption(name, value string) error {
	for _, o := range k.ListOptions() {
		if o.Name != name {
			continue
		}
		if err := o.checkValue(value); err != nil {
			return err
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		return k.options.Put(name, value)
	}
	return fmt.Errorf("there is no option %q", name)
}

func (o Option) checkValue(value string) error {
	if len(o.Choices) == 0 {
		var n int
		var rest string
		if read, _ := fmt.Sscanf(value+" .", "%d %s", &n, &rest); read != 2 || rest != "." || n < 0 {
			return fmt.Errorf("option %s is %q, but must be a whole number that is not negative", o.Name, value)
		}
		return nil
	}
	if slices.Contains(o.Choices, value) {
		return nil
	}
	return fmt.Errorf("option %s must be one of %q, not %q", o.Name, o.Choices, value)
}

// SecondsOption returns the value of an option in seconds as a duration.
func (k *Kit) SecondsOption(name string) time.Duration {
	return time.Duration(k.NumberOption(name)) * time.Second
}
