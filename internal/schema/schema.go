// Package schema strictly checks what clients send: which JSON values and query parameters are allowed. It reports
// every mistake with its path.
package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"belfry/internal/core"
)

const (
	maxDepth    = 32  // levels of nested arrays and objects
	maxItems    = 200 // entries of a list without its own limit
	maxMistakes = 50  // reported for one text
)

// Type says which JSON values are allowed. If a field is nil, values of that kind are not allowed.
type Type struct {
	// Name is the name of the whole value in errors, such as "The body".
	Name       string
	Any        bool // any valid JSON
	Null, Bool bool
	Number     *Number
	Text       *Text
	List       *List
	Object     *Object
	// Forms shows an example of each alternative, if there are several.
	Forms string
}

// Number says which numbers are allowed.
type Number struct {
	Integer  bool
	Min, Max *float64
}

// Text says which strings are allowed. Lengths are in Unicode code points. A Max of 0 means no limit.
type Text struct {
	Min, Max int
	Choices  []string
	// Form reports whether a text has the form that Like describes, such as "a date such as 2026-01-31".
	Form func(string) bool
	Like string
}

// List says which arrays are allowed.
type List struct {
	Max   int // 0 for 200
	Items *Type
}

// Object says which objects are allowed.
type Object struct {
	Fields   map[string]*Type
	Required []string
	// Rest is the type of all other fields; nil if no others are allowed.
	Rest *Type
}

func (o *Object) sortedFieldNames() []string {
	names := make([]string, 0, len(o.Fields))
	for name := range o.Fields {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// place identifies a value: its path in the request, and the subject of a sentence about it.
type place struct{ path, subject string }

func (at place) newInvalidError(format string, args ...any) *core.Error {
	return core.InvalidField(at.path, at.subject, format, args...)
}

// newWrongKindError returns the error for a value of the wrong type.
func (t *Type) newWrongKindError(at place) error {
	e := at.newInvalidError("must be %s.", t.kindsInWords())
	switch {
	case at.path == "" && t.Object != nil:
		return e.WithHint("Send one JSON object.")
	case t.Forms != "":
		return e.WithHint("Use one of: %s.", t.Forms)
	}
	return e
}

func (t *Type) checkNumber(at place, digits string) error {
	if t.Any {
		return nil
	}
	n := t.Number
	if n == nil {
		return t.newWrongKindError(at)
	}
	v, err := strconv.ParseFloat(digits, 64)
	if _, bad := strconv.ParseInt(digits, 10, 64); n.Integer && bad != nil || err != nil {
		return t.newWrongKindError(at)
	}
	if n.Min != nil && v < *n.Min || n.Max != nil && v > *n.Max {
		return at.newInvalidError("must be %s.", n.boundsInWords())
	}
	return nil
}

func (t *Type) checkText(at place, text string) error {
	if strings.ContainsFunc(text, core.IsForbiddenControl) {
		return at.newInvalidError("contains a control character.").
			WithHint("The only control characters allowed are tab, line feed and carriage return.")
	}
	if t.Any {
		return nil
	}
	s := t.Text
	if s == nil {
		return t.newWrongKindError(at)
	}
	switch n := utf8.RuneCountInString(text); {
	case s.Choices != nil && !slices.Contains(s.Choices, text):
		return at.newInvalidError("has an unknown value.").
			WithHint("Use one of: %s.", cmp.Or(t.Forms, strings.Join(s.Choices, ", ")))
	case n < s.Min:
		return at.newInvalidError("must have at least %s.", formatCount(s.Min, "character"))
	case s.Max > 0 && n > s.Max:
		return at.newInvalidError("must have at most %s, but has %d.", formatCount(s.Max, "character"), n)
	case s.Form != nil && !s.Form(text):
		return at.newInvalidError("must be %s.", s.Like)
	}
	return nil
}

// kindsInWords lists the allowed types of a value.
func (t *Type) kindsInWords() string {
	var kinds []string
	add := func(ok bool, word string) {
		if ok {
			kinds = append(kinds, word)
		}
	}
	add(t.Text != nil, "a string")
	add(t.Number != nil && t.Number.Integer, "a whole number")
	add(t.Number != nil && !t.Number.Integer, "a number")
	add(t.Bool, "true or false")
	add(t.List != nil, "a list")
	add(t.Object != nil, "an object")
	add(t.Null, "null")
	return strings.Join(kinds, " or ")
}

// boundsInWords describes which numbers are allowed.
func (n *Number) boundsInWords() string {
	kind := "a number"
	if n.Integer {
		kind = "a whole number"
	}
	switch {
	case n.Min == nil && n.Max == nil:
		return kind
	case n.Min == nil:
		return fmt.Sprintf("%s of at most %.15g", kind, *n.Max)
	case n.Max == nil:
		return fmt.Sprintf("%s of at least %.15g", kind, *n.Min)
	}
	return fmt.Sprintf("%s from %.15g to %.15g", kind, *n.Min, *n.Max)
}

func formatCount(n int, singularNoun string) string {
	if n == 1 {
		return "1 " + singularNoun
	}
	return fmt.Sprintf("%d %ss", n, singularNoun)
}
