package metasim

import (
	"errors"
	"fmt"
	"strings"
)

// Kind is a type of node.
type Kind struct {
	name, byDefault string
	fields          map[string]bool
}

// NewKind returns a type of node: its name in errors, the fields that a call returns by default, and all other fields.
func NewKind(name, byDefault string, fields ...string) Kind {
	k := Kind{name: name, byDefault: byDefault, fields: map[string]bool{"id": true}}
	for _, f := range fields {
		k.fields[f] = true
	}
	return k
}

// Pick returns the fields of a node that the parameter fields requests, and always its id. A field that the type does
// not have is an error. A field without a value is left out, as on the networks.
func (k Kind) Pick(asked string, node map[string]any) (map[string]any, error) {
	if strings.TrimSpace(asked) == "" {
		asked = k.byDefault
	}
	fields, err := ParseFields(asked)
	if err != nil {
		return nil, &Error{Code: 2500, Type: TypeOAuth, Message: "Syntax error in fields: " + err.Error()}
	}
	picked := map[string]any{}
	if id, ok := node["id"]; ok {
		picked["id"] = id
	}
	for _, f := range fields {
		if !k.fields[f.Name] {
			return nil, NoField(f.Name, k.name)
		}
		if value, ok := node[f.Name]; ok {
			picked[f.Name] = pickFieldsOrAll(value, f.Sub)
		}
	}
	return picked, nil
}

// NoField returns the error for a field or an edge that a type of node does not have.
func NoField(field, kind string) error {
	return Bad("Tried accessing nonexisting field (%s) on node type (%s)", field, kind)
}

// Field is one entry of a fields parameter: name.modifier(x){sub,fields}.
type Field struct {
	Name string
	Sub  []Field
}

// ParseFields reads a fields parameter.
func ParseFields(text string) ([]Field, error) {
	fields, rest, err := parseFieldsUntilBrace(text)
	if err == nil && rest != "" {
		err = fmt.Errorf("unexpected %q", rest)
	}
	return fields, err
}

// parseFieldsUntilBrace reads fields up to the first } that closes none of theirs, and returns the text from there on.
func parseFieldsUntilBrace(text string) (fields []Field, rest string, err error) {
	for text != "" && text[0] != '}' {
		end := strings.IndexAny(text, ",{}.(")
		if end < 0 {
			end = len(text)
		}
		f := Field{Name: strings.TrimSpace(text[:end])}
		if f.Name == "" {
			return nil, text, fmt.Errorf("empty name before %q", text)
		}
		text = text[end:]
		if text, err = skipModifiers(text); err != nil {
			return nil, text, err
		}
		if strings.HasPrefix(text, "{") {
			if f.Sub, text, err = parseFieldsUntilBrace(text[1:]); err != nil {
				return nil, text, err
			}
			if !strings.HasPrefix(text, "}") {
				return nil, text, errors.New("missing }")
			}
			text = text[1:]
		}
		fields = append(fields, f)
		if next, ok := strings.CutPrefix(text, ","); ok {
			text = next
		} else if text != "" && text[0] != '}' {
			return nil, text, fmt.Errorf("unexpected %q", text)
		}
	}
	return fields, text, nil
}

func skipModifiers(text string) (rest string, err error) {
	for strings.HasPrefix(text, ".") {
		end := strings.IndexByte(text, ')')
		if end < 0 {
			return text, errors.New("missing )")
		}
		text = text[end+1:]
	}
	return text, nil
}

func pickFieldsOrAll(value any, fields []Field) any {
	if len(fields) == 0 {
		return value
	}
	switch v := value.(type) {
	case map[string]any:
		if data, ok := v["data"]; ok && len(v) == 1 {
			return map[string]any{"data": pickFieldsOrAll(data, fields)}
		}
		kept := map[string]any{}
		for _, f := range fields {
			if inner, ok := v[f.Name]; ok {
				kept[f.Name] = pickFieldsOrAll(inner, f.Sub)
			}
		}
		return kept
	case []any:
		kept := make([]any, 0, len(v))
		for _, inner := range v {
			kept = append(kept, pickFieldsOrAll(inner, fields))
		}
		return kept
	}
	return value
}
