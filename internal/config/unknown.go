package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"belfry/internal/core"
)

// testPrefix begins the variables of the test run, which a program that a test starts inherits.
const testPrefix = "TEST_"

// checkUnknown returns an error for variables that nobody declares. Otherwise a typo would silently leave a default
// in effect.
func checkUnknown(cfg *Config) error {
	known := map[string]bool{}
	for _, f := range listFields(cfg) {
		known[f.name] = true
	}
	for _, v := range cfg.extra {
		known[v.Name] = true
	}
	names := slices.Sorted(maps.Keys(known))
	var wrong []error
	for _, name := range slices.Sorted(maps.Keys(cfg.given)) {
		if known[name] || strings.HasPrefix(name, testPrefix) {
			continue
		}
		advice := "remove it"
		if nearest := core.Nearest(name, names); nearest != "" {
			advice += ", or change it to " + Prefix + nearest
		}
		wrong = append(wrong, fmt.Errorf("%s%s is not a variable that Belfry knows: %s", Prefix, name, advice))
	}
	return errors.Join(wrong...)
}
