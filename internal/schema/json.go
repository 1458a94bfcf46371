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

// Decode checks a JSON text and decodes it into the value to which into points. Its errors are those of Check.
func (t *Type) Decode(text []byte, into any) error {
	if err := t.Check(text); err != nil {
		return err
	}
	if err := json.Unmarshal(text, into, json.RejectUnknownMembers(true)); err != nil {
		return core.Invalid("", "%s does not have the required format.", t.displayName()).WithCause(err)
	}
	return nil
}

// Check checks a JSON text strictly. The text must contain exactly one value of the type, no repeated or unknown key,
// no invalid UTF-8, and no control characters except tabs and line breaks. The error joins all errors in the order of
// the text; each is invalid_request.
func (t *Type) Check(text []byte) error {
	r := checker{dec: jsontext.NewDecoder(bytes.NewBuffer(text)), text: text, name: t.displayName()}
	if r.checkValue(t) {
		if _, err := r.dec.ReadToken(); !errors.Is(err, io.EOF) {
			r.addMistakeIfAny(core.Invalid("",
				"The body contains text after the JSON value.").WithHint("Send only one JSON object."))
		}
	}
	return errors.Join(r.mistakes...)
}

func (t *Type) displayName() string { return cmp.Or(t.Name, "The body") }

// checker checks a text against its type, one token at a time. Its methods return false if reading must stop: the text
// is not valid JSON, is nested too deeply, or has too many mistakes. They record what is wrong in mistakes.
type checker struct {
	dec      *jsontext.Decoder
	text     []byte
	name     string // of the whole value, in errors
	mistakes []error
}

// addMistakeIfAny stores an error unless it is nil. It returns false once there are too many mistakes.
func (r *checker) addMistakeIfAny(errOrNil error) (goOn bool) {
	if errOrNil != nil {
		r.mistakes = append(r.mistakes, errOrNil)
	}
	return len(r.mistakes) < maxMistakes
}

// addMistakeAndStop stores err and returns false.
func (r *checker) addMistakeAndStop(err error) (goOn bool) {
	r.mistakes = append(r.mistakes, err)
	return false
}

// checkValue checks the next value.
func (r *checker) checkValue(t *Type) (goOn bool) {
	token, err := r.dec.ReadToken()
	if err != nil {
		return r.addMistakeAndStop(r.describeSyntaxError(err))
	}
	at, ok := r.lastReadPlace(), t.Any
	switch token.Kind() {
	case 'n':
		ok = ok || t.Null
	case 't', 'f':
		ok = ok || t.Bool
	case '0':
		return r.addMistakeIfAny(t.checkNumber(at, token.String()))
	case '"':
		return r.addMistakeIfAny(t.checkText(at, token.String()))
	case '[':
		return r.checkDepth(at) && r.checkRestOfList(t, at)
	case '{':
		return r.checkDepth(at) && r.checkRestOfObject(t, at)
	}
	return ok || r.addMistakeIfAny(t.newWrongKindError(at))
}

// checkDepth returns false if the value that has just begun is nested too deeply.
func (r *checker) checkDepth(at place) (goOn bool) {
	return r.dec.StackDepth() <= maxDepth ||
		r.addMistakeAndStop(core.Invalid(at.path, "The body is nested more than %d levels deep.", maxDepth))
}

// checkRestOfList checks the rest of a list whose opening bracket has been read.
func (r *checker) checkRestOfList(t *Type, at place) (goOn bool) {
	l := t.List
	if t.Any {
		l = &List{Items: t}
	}
	if l == nil {
		return r.addMistakeIfAny(t.newWrongKindError(at)) && r.skipRest(']')
	}
	limit := cmp.Or(l.Max, maxItems)
	for n := 1; r.dec.PeekKind() != ']'; n++ {
		if n > limit {
			return r.addMistakeIfAny(at.newInvalidError("has more than %d entries.", limit)) && r.skipRest(']')
		}
		if !r.checkValue(l.Items) {
			return false
		}
	}
	return r.skipRest(']')
}

// checkRestOfObject checks the rest of an object whose opening brace has been read.
func (r *checker) checkRestOfObject(t *Type, at place) (goOn bool) {
	o := t.Object
	if t.Any {
		o = &Object{Rest: t}
	}
	if o == nil {
		return r.addMistakeIfAny(t.newWrongKindError(at)) && r.skipRest('}')
	}
	seen := map[string]bool{}
	for r.dec.PeekKind() != '}' {
		token, err := r.dec.ReadToken()
		if err != nil {
			return r.addMistakeAndStop(r.describeSyntaxError(err))
		}
		name := token.String()
		field := cmp.Or(o.Fields[name], o.Rest)
		var unknown error
		switch {
		case strings.ContainsFunc(name, core.IsForbiddenControl):
			unknown = core.Invalid(at.path, "A JSON key contains a control character.")
		case field == nil:
			e := core.Invalid(r.lastReadPlace().path, "There is no field %s.", FormatUntrustedName(name))
			unknown = WithSuggestion(e, name, o.sortedFieldNames())
		}
		seen[name] = true
		if unknown == nil && !r.checkValue(field) || unknown != nil && !(r.addMistakeIfAny(unknown) && r.skipValue()) {
			return false
		}
	}
	if !r.skipRest('}') {
		return false
	}
	for _, name := range o.Required {
		if !seen[name] && !r.addMistakeIfAny(core.Invalid(JoinPath(at.path, name), "The field %s is required.", name)) {
			return false
		}
	}
	return true
}

// skipValue skips one value.
func (r *checker) skipValue() (goOn bool) {
	if err := r.dec.SkipValue(); err != nil {
		return r.addMistakeAndStop(r.describeSyntaxError(err))
	}
	return true
}

// skipRest skips the rest of the open list or object, including its end.
func (r *checker) skipRest(end jsontext.Kind) (goOn bool) {
	for r.dec.PeekKind() != end {
		if !r.skipValue() {
			return false
		}
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return r.addMistakeAndStop(r.describeSyntaxError(err))
	}
	return true
}

// lastReadPlace returns the place of the value that has just been read.
func (r *checker) lastReadPlace() place {
	path := pathFromPointer(r.dec.StackPointer())
	return place{path, cmp.Or(path, r.name)}
}
