package sim

import (
	"fmt"
	"slices"
	"time"
)

// Option is a switch of a simulated network, all of them text so that one form fits them all.
type Option struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Default string `json:"default"`
	Value   string `json:"value"`
	// Choices are the permitted values; none means any whole number from 0.
	Choices []string `json:"choices,omitempty"`
}

// ahead is the one entry of the clock's table.
const ahead = "ahead"

// Now is the networks' time: the injected clock plus what the control surface added.
func (k *Kit) Now() time.Time {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.now().UTC().Add(k.offset.Get(ahead))
}

// Advance moves the networks' clock forward, never back: tokens age and containers expire.
func (k *Kit) Advance(by time.Duration) error {
	if by < 0 {
		return fmt.Errorf("the sandbox clock can only move forward, not by %s", by)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.offset.Put(ahead, k.offset.Get(ahead)+by)
}

// Offset is how far the networks' clock runs ahead.
func (k *Kit) Offset() time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.offset.Get(ahead)
}

// Option reads a switch by its full name.
func (k *Kit) Option(name string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.readOption(name)
}

// readOption is Option for a caller that holds the lock.
func (k *Kit) readOption(name string) string {
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

// Number reads a switch that counts something; a value that is no number counts as 0.
func (k *Kit) Number(name string) int {
	var n int
	if _, err := fmt.Sscanf(k.Option(name), "%d", &n); err != nil {
		return 0
	}
	return n
}

// Options lists every switch of every network with its present value.
func (k *Kit) Options() []Option {
	k.mu.Lock()
	defer k.mu.Unlock()
	var list []Option
	for _, n := range k.networks {
		for _, o := range n.about.Options {
			o.Value = k.readOption(o.Name)
			list = append(list, o)
		}
	}
	return list
}

// SetOption changes a switch, or says why it cannot.
func (k *Kit) SetOption(name, value string) error {
	for _, o := range k.Options() {
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
			return fmt.Errorf("option %s must be a whole number, not %q", o.Name, value)
		}
		return nil
	}
	if slices.Contains(o.Choices, value) {
		return nil
	}
	return fmt.Errorf("option %s must be one of %q, not %q", o.Name, o.Choices, value)
}

// Seconds is Number as a duration.
func (k *Kit) Seconds(name string) time.Duration { return time.Duration(k.Number(name)) * time.Second }
