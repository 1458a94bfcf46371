package config

import (
	"log/slog"
	"maps"
	"slices"
	"strings"
)

// NetworkValues are the variables that networks declare, by name without the prefix.
type NetworkValues struct {
	values  map[string]Secret
	secrets map[string]bool
}

// Get returns the value of a variable, or "" if it is empty or not declared.
func (n NetworkValues) Get(name string) string { return n.values[name].Reveal() }

// HasSecret reports whether a secret of any network is set, which means that the network has credentials.
func (n NetworkValues) HasSecret() bool {
	for name := range n.secrets {
		if !n.values[name].IsZero() {
			return true
		}
	}
	return false
}

// LogValue returns only the names.
func (n NetworkValues) LogValue() slog.Value {
	return slog.StringValue(strings.Join(slices.Sorted(maps.Keys(n.values)), " "))
}

func networkValues(given map[string]string, extra []Variable) NetworkValues {
	n := NetworkValues{values: map[string]Secret{}, secrets: map[string]bool{}}
	for _, v := range extra {
		value, ok := given[v.Name]
		if !ok {
			value = v.Default
		}
		n.values[v.Name] = NewSecret(value)
		if v.Secret {
			n.secrets[v.Name] = true
		}
	}
	return n
}
