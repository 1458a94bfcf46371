// Package design shows the tokens, components and states of the dashboard on one page, for those who develop it.
package design

import (
	"strings"

	"belfry/views/layout"
)

// Model is the page of the design system.
type Model struct {
	Frame  layout.Frame
	Tokens []string // the names of the custom properties in tokens.css, without the dashes
}

// colors returns the tokens that are colours: those that are not of type, shape, size or time.
func (m Model) colors() (list []string) {
	for _, name := range m.Tokens {
		if !isSize(name) && name != "pop" && name != "lift" && name != "sans" && name != "mono" && name != "quick" {
			list = append(list, name)
		}
	}
	return list
}

// isSize reports whether a token is a size of type, a radius or the size of a part.
func isSize(name string) bool {
	return strings.HasPrefix(name, "radius") || name == "row" || name == "rail" || name == "bar" || isTypeSize(name)
}

func isTypeSize(name string) bool {
	return len(name) == 3 && name[0] == 't' && strings.Trim(name[1:], "0123456789") == ""
}

func (m Model) typeSizes() (list []string) {
	for _, name := range m.Tokens {
		if isTypeSize(name) {
			list = append(list, name)
		}
	}
	return list
}
