package api

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// shape says which JSON values may stand at a place. It is made of the very schema that the document
// shows, so that what is refused and what is described cannot differ. A nil part means that no such
// value may stand there.
type shape struct {
	anything bool // any sound JSON
	null     bool
	boolean  bool
	number   *numberShape
	text     *textShape
	list     *listShape
	object   *objectShape
	forms    string // an example of each alternative, where there are several
}

type numberShape struct {
	integer  bool
	min, max *float64
}

type textShape struct {
	min, max *int // in Unicode code points
	choices  []string
}

type listShape struct {
	max   int
	items *shape
}

type objectShape struct {
	fields   map[string]*shape
	names    []string // of the fields, sorted
	required []string
	rest     *shape // what other names may hold; nil when there may be none
}

// arrayMax bounds every array of a request (design: 200 targets).
const arrayMax = 200

// shapeOf compiles a schema. A keyword it does not know is an error: the document would promise a check
// that nobody makes.
func shapeOf(r huma.Registry, s *huma.Schema) (*shape, error) {
	for s.Ref != "" {
		s = r.SchemaFromRef(s.Ref)
	}
	if s.AnyOf != nil || s.AllOf != nil || s.Not != nil || s.Pattern != "" || s.MultipleOf != nil || s.UniqueItems ||
		s.ExclusiveMinimum != nil || s.ExclusiveMaximum != nil || s.MinItems != nil || len(s.DependentRequired) > 0 {
		return nil, fmt.Errorf("schema %q uses a keyword that request bodies are not checked for", s.Title)
	}
	if s.OneOf != nil {
		return shapeOfOneOf(r, s.OneOf)
	}
	out := &shape{null: s.Nullable}
	var err error
	switch s.Type {
	case "":
		out.anything = true
	case huma.TypeBoolean:
		out.boolean = true
	case huma.TypeInteger, huma.TypeNumber:
		out.number = &numberShape{integer: s.Type == huma.TypeInteger, min: s.Minimum, max: s.Maximum}
	case huma.TypeString:
		out.text, err = textShapeOf(s)
	case huma.TypeArray:
		out.list, err = listShapeOf(r, s)
	case huma.TypeObject:
		out.object, err = objectShapeOf(r, s)
	default:
		err = fmt.Errorf("schema type %q is unknown", s.Type)
	}
	return out, err
}

// shapeOfOneOf joins alternatives that differ in their JSON type, the only kind there is here.
func shapeOfOneOf(r huma.Registry, alternatives []*huma.Schema) (*shape, error) {
	out := &shape{}
	var forms []string
	for _, s := range alternatives {
		forms = append(forms, examples(s)...)
		one, err := shapeOf(r, s)
		if err != nil {
			return nil, err
		}
		switch {
		case one.text != nil && out.text == nil:
			out.text = one.text
		case one.object != nil && out.object == nil:
			out.object = one.object
		default:
			return nil, fmt.Errorf("alternatives of type %q cannot be told apart", s.Type)
		}
	}
	out.forms = strings.Join(forms, ", ")
	return out, nil
}

// examples shows a schema's choices, or an object with the example of each property.
func examples(s *huma.Schema) (list []string) {
	for _, choice := range s.Enum {
		list = append(list, fmt.Sprintf("%q", choice))
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		for _, example := range s.Properties[name].Examples {
			parts = append(parts, fmt.Sprintf("%q: %q", name, example))
		}
	}
	if len(parts) > 0 {
		list = append(list, "{"+strings.Join(parts, ", ")+"}")
	}
	return list
}

func textShapeOf(s *huma.Schema) (*textShape, error) {
	t := &textShape{min: s.MinLength, max: s.MaxLength}
	for _, v := range s.Enum {
		word, ok := v.(string)
		if !ok {
			return nil, fmt.Errorf("the choice %v is not a text", v)
		}
		t.choices = append(t.choices, word)
	}
	return t, nil
}

func listShapeOf(r huma.Registry, s *huma.Schema) (*listShape, error) {
	items, err := shapeOf(r, s.Items)
	if err != nil {
		return nil, err
	}
	l := &listShape{max: arrayMax, items: items}
	if s.MaxItems != nil {
		l.max = min(l.max, *s.MaxItems)
	}
	return l, nil
}

func objectShapeOf(r huma.Registry, s *huma.Schema) (*objectShape, error) {
	o := &objectShape{fields: map[string]*shape{}, required: s.Required}
	for name, property := range s.Properties {
		field, err := shapeOf(r, property)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		o.fields[name] = field
	}
	o.names = slices.Sorted(maps.Keys(o.fields))
	if rest, ok := s.AdditionalProperties.(*huma.Schema); ok {
		var err error
		if o.rest, err = shapeOf(r, rest); err != nil {
			return nil, err
		}
	}
	return o, nil
}
