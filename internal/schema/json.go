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

// Decode checks a JSON text and decodes it into what into points to. Its error joins those of Check.
func (t *Type) Decode(text []byte, into any) error {
	if err := t.Check(text); err != nil {
		return err
	}
	if err := json.Unmarshal(text, into, json.RejectUnknownMembers(true)); err != nil {
		return core.Invalid("", "%s does not have the required form.", t.displayName()).Because(err)
	}
	return nil
}

// Check checks a JSON text strictly: exactly one value of the type, no repeated or unknown key, no invalid UTF-8, and
// no control characters. It joins all errors in the order of the text; each is invalid_request.
func (t *Type) Check(text []byte) error {
	r := reader{dec: jsontext.NewDecoder(bytes.NewBuffer(text)), text: text, name: t.displayName()}
	if r.readValue(t) {
		if _, err := r.dec.ReadToken(); !errors.Is(err, io.EOF) {
			r.addMistake(core.Invalid("",
				"The body has more text after the JSON value.").WithHint("Send only one JSON object."))
		}
	}
	return errors.Join(r.mistakes...)
}

func (t *Type) displayName() string { return cmp.Or(t.Name, "The body") }

// reader reads a text by its type, one token at a time. Its methods return false if reading cannot continue.
type reader struct {
	dec      *jsontext.Decoder
	text     []byte
	name     string // of the whole
	mistakes []error
}

// addMistake records err if it is not nil.
func (r *reader) addMistake(err error) bool {
	if err != nil {
		r.mistakes = append(r.mistakes, err)
	}
	return len(r.mistakes) < maxMistakes
}

func (r *reader) stopWith(err error) bool {
	r.mistakes = append(r.mistakes, err)
	return false
}

func (r *reader) readValue(t *Type) bool {
	token, err := r.dec.ReadToken()
	if err != nil {
		return r.stopWith(r.syntaxError(err))
	}
	at, ok := r.currentPlace(), t.Any
	switch token.Kind() {
	case 'n':
		ok = ok || t.Null
	case 't', 'f':
		ok = ok || t.Bool
	case '0':
		return r.addMistake(t.checkNumber(at, token.String()))
	case '"':
		return r.addMistake(t.checkText(at, token.String()))
	case '[':
		return r.checkDepth(at) && r.readList(t, at)
	case '{':
		return r.checkDepth(at) && r.readObject(t, at)
	}
	return ok || r.addMistake(t.wrongKindError(at))
}

func (r *reader) checkDepth(at place) bool {
	return r.dec.StackDepth() <= maxDepth ||
		r.stopWith(core.Invalid(at.path, "The body has more than %d nested levels.", maxDepth))
}

func (r *reader) readList(t *Type, at place) bool {
	l := t.List
	if t.Any {
		l = &List{Items: t}
	}
	if l == nil {
		return r.addMistake(t.wrongKindError(at)) && r.skipRest(']')
	}
	limit := cmp.Or(l.Max, maxItems)
	for n := 1; r.dec.PeekKind() != ']'; n++ {
		if n > limit {
			return r.addMistake(at.invalidValue("has more than %d entries.", limit)) && r.skipRest(']')
		}
		if !r.readValue(l.Items) {
			return false
		}
	}
	return r.skipRest(']')
}

func (r *reader) readObject(t *Type, at place) bool {
	o := t.Object
	if t.Any {
		o = &Object{Rest: t}
	}
	if o == nil {
		return r.addMistake(t.wrongKindError(at)) && r.skipRest('}')
	}
	seen := map[string]bool{}
	for r.dec.PeekKind() != '}' {
		token, err := r.dec.ReadToken()
		if err != nil {
			return r.stopWith(r.syntaxError(err))
		}
		name := token.String()
		field := cmp.Or(o.Fields[name], o.Rest)
		var unknown error
		switch {
		case strings.ContainsFunc(name, core.Control):
			unknown = core.Invalid(at.path, "A key contains a control character.")
		case field == nil:
			unknown = Suggest(core.Invalid(r.currentPlace().path, "There is no field %s.", Shown(name)), name,
				o.sortedFieldNames())
		}
		seen[name] = true
		if unknown == nil && !r.readValue(field) || unknown != nil && !(r.addMistake(unknown) && r.skipValue()) {
			return false
		}
	}
	if !r.skipRest('}') {
		return false
	}
	for _, name := range o.Required {
		if !seen[name] && !r.addMistake(core.Invalid(Join(at.path, name), "The field %s is required.", name)) {
			return false
		}
	}
	return true
}

// skipValue skips one value.
func (r *reader) skipValue() bool {
	if err := r.dec.SkipValue(); err != nil {
		return r.stopWith(r.syntaxError(err))
	}
	return true
}

// skipRest skips to the end of the open list or object.
func (r *reader) skipRest(end jsontext.Kind) bool {
	for r.dec.PeekKind() != end {
		if !r.skipValue() {
			return false
		}
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return r.stopWith(r.syntaxError(err))
	}
	return true
}

// currentPlace returns the place of the value that was just read.
func (r *reader) currentPlace() place {
	path := pathOf(r.dec.StackPointer())
	return place{path, cmp.Or(path, r.name)}
}
