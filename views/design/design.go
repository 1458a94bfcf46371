// Package design shows the tokens, components and states of the dashboard on one page, for its developers.
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

// colorTokens returns the tokens that are colors.
func (m Model) colorTokens() (list []string) {
	for _, name := range m.Tokens {
		if !isSizeToken(name) && name != "pop" && name != "lift" && name != "sans" && name != "mono" && name != "quick" {
			list = append(list, name)
		}
	}
	return list
}

// isSizeToken reports whether a token is a font size, a radius or the size of a component.
func isSizeToken(name string) bool {
	return strings.HasPrefix(name, "radius") || name == "row" || name == "rail" || name == "bar" || isFontSizeToken(name)
}

func isFontSizeToken(name string) bool {
	return len(name) == 3 && name[0] == 't' && strings.Trim(name[1:], "0123456789") == ""
}

func (m Model) fontSizeTokens() (list []string) {
	for _, name := range m.Tokens {
		if isFontSizeToken(name) {
			list = append(list, name)
		}
	}
	return list
}
