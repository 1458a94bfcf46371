package reference

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// schema is the part of a JSON schema that the page uses.
type schema struct {
	Ref                  string `json:"$ref"`
	Type                 any    // a string or a list of strings
	Description          string
	Format               string
	Pattern              string
	Enum                 []any
	Default              any
	Minimum, Maximum     *float64
	MinLength, MaxLength *int
	MaxItems             *int
	Items                *schema
	OneOf, AnyOf         []*schema
	Properties           map[string]*schema
	AdditionalProperties json.RawMessage
	Required             []string
}

// listFields returns a record's properties.
func (s *schema) listFields() []Field {
	var out []Field
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		out = append(out,
			Field{
				Name: name, Required: slices.Contains(s.Required, name), Type: p.typeSpans(),
				About: p.descriptionAndLimitsSpans(),
			})
	}
	return out
}

// typeSpans describes the values that a schema allows, with links to records.
func (s *schema) typeSpans() []Span {
	switch {
	case s == nil:
		return []Span{{Text: "bytes"}}
	case s.Ref != "":
		name := s.Ref[strings.LastIndex(s.Ref, "/")+1:]
		return []Span{{Text: name, Link: "#record-" + name}}
	case len(s.OneOf)+len(s.AnyOf) > 0:
		var out []Span
		for i, one := range append(s.OneOf, s.AnyOf...) {
			if i > 0 {
				out = append(out, Span{Text: " or "})
			}
			out = append(out, one.typeSpans()...)
		}
		return out
	case len(s.Enum) > 0:
		return s.enumSpans()
	}
	kind, nullable := s.jsonType()
	out := []Span{{Text: kind}}
	switch {
	case kind == "array":
		out = append([]Span{{Text: "list of "}}, s.Items.typeSpans()...)
	case kind == "object" && len(s.Properties) > 0:
		out = s.objectSpans()
	case s.Format != "" && kind == "string":
		out[0].Text = s.Format
	}
	if nullable {
		out = append(out, Span{Text: " or null"})
	}
	return out
}

// jsonType returns the type's name, and whether the value may also be null.
func (s *schema) jsonType() (name string, nullable bool) {
	switch t := s.Type.(type) {
	case string:
		return t, false
	case []any:
		for _, one := range t {
			if one == "null" {
				nullable = true
			} else {
				name = fmt.Sprint(one)
			}
		}
		return name, nullable
	}
	return "anything", false
}

func (s *schema) enumSpans() []Span {
	var out []Span
	for i, choice := range s.Enum {
		if i > 0 {
			out = append(out, Span{Text: ", "})
		}
		out = append(out, Span{Text: fmt.Sprint(choice), Code: true})
	}
	return out
}

// objectSpans describes an object that is not a record by its properties.
func (s *schema) objectSpans() []Span {
	out := []Span{{Text: "object of "}}
	for i, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if i > 0 {
			out = append(out, Span{Text: ", "})
		}
		out = append(out, Span{Text: name, Code: true}, Span{Text: " ("})
		out = append(append(out, s.Properties[name].typeSpans()...), Span{Text: ")"})
	}
	return out
}

// descriptionAndLimitsSpans returns the description, followed by the limits, the pattern and the default.
func (s *schema) descriptionAndLimitsSpans() []Span {
	out := parseSpans(s.Description)
	add := func(format string, args ...any) {
		space := ""
		if len(out) > 0 {
			space = " "
		}
		out = append(out, parseSpans(space+fmt.Sprintf(format, args...))...)
	}
	if s.Minimum != nil && s.Maximum != nil {
		add("From %g to %g.", *s.Minimum, *s.Maximum)
	} else if s.Minimum != nil {
		add("At least %g.", *s.Minimum)
	} else if s.Maximum != nil {
		add("At most %g.", *s.Maximum)
	}
	if s.MaxLength != nil {
		add("At most %d characters.", *s.MaxLength)
	}
	if s.MaxItems != nil {
		add("At most %d entries.", *s.MaxItems)
	}
	if s.Pattern != "" {
		add("Pattern: `%s`.", s.Pattern)
	}
	if s.Default != nil {
		add("Default: `%v`.", s.Default)
	}
	return out
}
