package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// testPrefix marks variables of the test run, which a program started by a test inherits.
const testPrefix = "TEST_"

// unknown refuses variables that nobody declared: a slip of the pen would otherwise leave a default
// in force without a word.
func unknown(cfg *Config) error {
	known := map[string]bool{}
	for _, f := range fields(cfg) {
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
		nearest := slices.MinFunc(names, func(a, b string) int { return distance(name, a) - distance(name, b) })
		wrong = append(wrong, fmt.Errorf("%s%s is not a variable of Belfry: remove it, or write %s%s if you mean that", Prefix, name, Prefix, nearest))
	}
	return errors.Join(wrong...)
}

// distance counts the letters to change, add or leave out to turn a into b (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
