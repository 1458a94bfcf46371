package config

import (
	"log/slog"
	"maps"
	"slices"
	"strings"
)

// NetworkValues are the variables that networks declared, by their names without the prefix.
type NetworkValues struct {
	values  map[string]Secret
	secrets map[string]bool
}

// Get returns a variable's value, or "" when it is empty or was never declared.
func (n NetworkValues) Get(name string) string { return n.values[name].Reveal() }

// HasSecret reports whether any network has been given a secret, that is, its credentials.
func (n NetworkValues) HasSecret() bool {
	for name := range n.secrets {
		if !n.values[name].IsZero() {
			return true
		}
	}
	return false
}

// LogValue tells slog the names only.
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
