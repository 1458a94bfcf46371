package api

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"belfry/internal/core"
)

// depthMax bounds how deep the arrays and objects of a request nest.
const depthMax = 32

// decode reads a body strictly into what in points to: one JSON value of the shape and nothing after it,
// no key twice, none unknown, no invalid UTF-8, no control characters. Its error is an invalid_request
// that names the JSON path.
func decode(body []byte, s *shape, in any) error {
	w := walk{jsontext.NewDecoder(bytes.NewBuffer(body)), body}
	if err := w.value(s); err != nil {
		return err
	}
	if _, err := w.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return core.Invalid("", "Something follows the JSON value of the body.").WithHint("Send one JSON object and nothing after it.")
	}
	if err := json.Unmarshal(body, in, json.RejectUnknownMembers(true)); err != nil {
		return core.Invalid("", "The body does not have the form this route takes.").Because(err)
	}
	return nil
}

// walk reads a body token by token along its shape.
type walk struct {
	dec  *jsontext.Decoder
	body []byte
}

func (w walk) value(s *shape) error {
	token, err := w.dec.ReadToken()
	if err != nil {
		return w.unsound(err)
	}
	switch kind := token.Kind(); kind {
	case 'n':
		return w.expect(s, s.null)
	case 't', 'f':
		return w.expect(s, s.boolean)
	case '0':
		return w.numberOf(s, token.String())
	case '"':
		return w.textOf(s, token.String())
	default:
		if w.dec.StackDepth() > depthMax {
			return core.Invalid(w.path(), "The body nests more than %d levels deep.", depthMax)
		}
		if kind == '[' {
			return w.listOf(s)
		}
		return w.objectOf(s)
	}
}

func (w walk) expect(s *shape, ok bool) error {
	if ok || s.anything {
		return nil
	}
	e := core.Invalid(w.path(), "%s must be %s.", w.subject(), s.words())
	if w.path() == "" {
		return e.WithHint("Send one JSON object.")
	}
	if s.forms != "" {
		return e.WithHint("It is one of: %s.", s.forms)
	}
	return e
}

func (w walk) numberOf(s *shape, digits string) error {
	if s.anything {
		return nil
	}
	n := s.number
	if n == nil {
		return w.expect(s, false)
	}
	v, err := strconv.ParseFloat(digits, 64)
	if _, bad := strconv.ParseInt(digits, 10, 64); n.integer && bad != nil || err != nil {
		return w.expect(s, false)
	}
	if n.min != nil && v < *n.min || n.max != nil && v > *n.max {
		return core.Invalid(w.path(), "%s must be %s.", w.subject(), n.bounds())
	}
	return nil
}

func (w walk) textOf(s *shape, text string) error {
	if strings.ContainsFunc(text, core.Control) {
		return core.Invalid(w.path(), "%s holds a control character.", w.subject()).
			WithHint("Of the control characters only tab, line feed and carriage return are taken.")
	}
	if s.anything {
		return nil
	}
	t := s.text
	if t == nil {
		return w.expect(s, false)
	}
	if t.choices != nil && !slices.Contains(t.choices, text) {
		return core.Invalid(w.path(), "%s has a value that it cannot have.", w.subject()).
			WithHint("It is one of: %s.", cmp.Or(s.forms, strings.Join(t.choices, ", ")))
	}
	n := utf8.RuneCountInString(text)
	if t.min != nil && n < *t.min {
		return core.Invalid(w.path(), "%s must have at least %s.", w.subject(), several(*t.min, "character"))
	}
	if t.max != nil && n > *t.max {
		return core.Invalid(w.path(), "%s must have at most %s, and has %d.", w.subject(), several(*t.max, "character"), n)
	}
	return nil
}

func (w walk) listOf(s *shape) error {
	limit, items := arrayMax, s
	if !s.anything {
		if s.list == nil {
			return w.expect(s, false)
		}
		limit, items = s.list.max, s.list.items
	}
	path, subject := w.path(), w.subject()
	for n := 1; w.dec.PeekKind() != ']'; n++ {
		if n > limit {
			return core.Invalid(path, "%s has more than %d entries.", subject, limit)
		}
		if err := w.value(items); err != nil {
			return err
		}
	}
	return w.closing()
}

func (w walk) objectOf(s *shape) error {
	o := s.object
	if s.anything {
		o = &objectShape{rest: s}
	}
	if o == nil {
		return w.expect(s, false)
	}
	seen := map[string]bool{}
	for w.dec.PeekKind() != '}' {
		token, err := w.dec.ReadToken()
		if err != nil {
			return w.unsound(err)
		}
		name := token.String()
		if strings.ContainsFunc(name, core.Control) {
			return core.Invalid(w.parent(), "A key holds a control character.")
		}
		field, known := o.fields[name]
		if !known {
			field = o.rest
		}
		if field == nil {
			return w.unknown(name, o.names)
		}
		seen[name] = true
		if err := w.value(field); err != nil {
			return err
		}
	}
	if err := w.closing(); err != nil {
		return err
	}
	for _, name := range o.required {
		if !seen[name] {
			return core.Invalid(join(w.path(), name), "The field %s is required.", name)
		}
	}
	return nil
}

func (w walk) closing() error {
	if _, err := w.dec.ReadToken(); err != nil {
		return w.unsound(err)
	}
	return nil
}
