package schema

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"belfry/internal/core"
)

// Decode checks a JSON text and reads it into what into points to. Its error joins those of Check.
func (t *Type) Decode(text []byte, into any) error {
	if err := t.Check(text); err != nil {
		return err
	}
	if err := json.Unmarshal(text, into, json.RejectUnknownMembers(true)); err != nil {
		return core.Invalid("", "%s does not have the form that is needed here.", t.name()).Because(err)
	}
	return nil
}

// Check reads a JSON text strictly: one value of the type and nothing after it, no key twice, none unknown, no invalid
// UTF-8, no control characters. It joins all mistakes in the order of the text; each is an invalid_request.
func (t *Type) Check(text []byte) error {
	r := reader{dec: jsontext.NewDecoder(bytes.NewBuffer(text)), text: text, name: t.name()}
	if r.value(t) {
		if _, err := r.dec.ReadToken(); !errors.Is(err, io.EOF) {
			r.add(core.Invalid("", "Something follows the JSON value of the body.").WithHint("Send one JSON object and nothing after it."))
		}
	}
	return errors.Join(r.mistakes...)
}

func (t *Type) name() string { return cmp.Or(t.Name, "The body") }

// reader reads a text token by token along its type. Its methods return false when there is no reading on.
type reader struct {
	dec      *jsontext.Decoder
	text     []byte
	name     string // of the whole
	mistakes []error
}

// add notes a mistake, if it is one.
func (r *reader) add(err error) bool {
	if err != nil {
		r.mistakes = append(r.mistakes, err)
	}
	return len(r.mistakes) < maxMistakes
}

func (r *reader) stop(err error) bool {
	r.mistakes = append(r.mistakes, err)
	return false
}

func (r *reader) value(t *Type) bool {
	token, err := r.dec.ReadToken()
	if err != nil {
		return r.stop(r.syntaxError(err))
	}
	at, ok := r.place(), t.Any
	switch token.Kind() {
	case 'n':
		ok = ok || t.Null
	case 't', 'f':
		ok = ok || t.Bool
	case '0':
		return r.add(t.checkNumber(at, token.String()))
	case '"':
		return r.add(t.checkText(at, token.String()))
	case '[':
		return r.nests(at) && r.list(t, at)
	case '{':
		return r.nests(at) && r.object(t, at)
	}
	return ok || r.add(t.mismatch(at))
}

func (r *reader) nests(at place) bool {
	return r.dec.StackDepth() <= maxDepth || r.stop(core.Invalid(at.path, "The body nests more than %d levels deep.", maxDepth))
}

func (r *reader) list(t *Type, at place) bool {
	l := t.List
	if t.Any {
		l = &List{Items: t}
	}
	if l == nil {
		return r.add(t.mismatch(at)) && r.skipRest(']')
	}
	limit := cmp.Or(l.Max, maxItems)
	for n := 1; r.dec.PeekKind() != ']'; n++ {
		if n > limit {
			return r.add(at.wrong("has more than %d entries.", limit)) && r.skipRest(']')
		}
		if !r.value(l.Items) {
			return false
		}
	}
	return r.skipRest(']')
}

func (r *reader) object(t *Type, at place) bool {
	o := t.Object
	if t.Any {
		o = &Object{Rest: t}
	}
	if o == nil {
		return r.add(t.mismatch(at)) && r.skipRest('}')
	}
	seen := map[string]bool{}
	for r.dec.PeekKind() != '}' {
		token, err := r.dec.ReadToken()
		if err != nil {
			return r.stop(r.syntaxError(err))
		}
		name := token.String()
		field := cmp.Or(o.Fields[name], o.Rest)
		var unknown error
		switch {
		case strings.ContainsFunc(name, core.Control):
			unknown = core.Invalid(at.path, "A key holds a control character.")
		case field == nil:
			unknown = Suggest(core.Invalid(r.place().path, "There is no field %s here.", Shown(name)), name, o.names())
		}
		seen[name] = true
		if unknown == nil && !r.value(field) || unknown != nil && !(r.add(unknown) && r.skip()) {
			return false
		}
	}
	if !r.skipRest('}') {
		return false
	}
	for _, name := range o.Required {
		if !seen[name] && !r.add(core.Invalid(Join(at.path, name), "The field %s is required.", name)) {
			return false
		}
	}
	return true
}

// skip reads over one value.
func (r *reader) skip() bool {
	if err := r.dec.SkipValue(); err != nil {
		return r.stop(r.syntaxError(err))
	}
	return true
}

// skipRest reads to the end of the list or object that is open.
func (r *reader) skipRest(end jsontext.Kind) bool {
	for r.dec.PeekKind() != end {
		if !r.skip() {
			return false
		}
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return r.stop(r.syntaxError(err))
	}
	return true
}

// place is where the value stands that was read last.
func (r *reader) place() place {
	path := dotted(r.dec.StackPointer())
	return place{path, cmp.Or(path, r.name)}
}
