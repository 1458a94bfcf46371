package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"belfry/internal/core"
)

// unsound says why the body is not JSON, without repeating what stands in it.
func (w walk) unsound(err error) error {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return core.Invalid("", "The body ends before its JSON value does.").
			WithHint("Close every bracket, brace and quotation mark that it opens.").Because(err)
	case errors.As(err, &syntax) && errors.Is(syntax.Err, jsontext.ErrDuplicateName):
		return core.Invalid(dotted(syntax.JSONPointer), "The key %s stands twice.", shown(syntax.JSONPointer.LastToken())).Because(err)
	case errors.As(err, &syntax) && strings.Contains(syntax.Err.Error(), "UTF-8"):
		return core.Invalid(dotted(syntax.JSONPointer), "The body is not UTF-8 at byte %d.", syntax.ByteOffset).Because(err)
	case errors.As(err, &syntax):
		path := dotted(syntax.JSONPointer)
		return core.Invalid(path, "The body is not JSON at byte %d.", syntax.ByteOffset).WithHint("%s", slip(w.body, syntax.ByteOffset)).Because(err)
	}
	return core.Invalid("", "The body is not JSON.").Because(err)
}

// slip names what people most often write there that is not JSON (RFC 8259).
func slip(body []byte, at int64) string {
	const space = " \t\r\n"
	at = min(at, int64(len(body)))
	letter := func(i int64) bool { return i >= 0 && i < int64(len(body)) && unicode.IsLetter(rune(body[i])) }
	for letter(at) && letter(at-1) { // a word that begins like true was read until it differed
		at--
	}
	before, rest := bytes.TrimRight(body[:at], space), body[at:]
	starts := func(with ...string) bool {
		return slices.ContainsFunc(with, func(s string) bool { return bytes.HasPrefix(rest, []byte(s)) })
	}
	closes := bytes.HasPrefix(bytes.TrimLeft(rest, space), []byte("}")) || bytes.HasPrefix(bytes.TrimLeft(rest, space), []byte("]"))
	advice := ""
	switch {
	case starts("\xef\xbb\xbf"):
		advice = "Leave out the byte order mark at its beginning."
	case closes && bytes.HasSuffix(before, []byte(",")), starts(","):
		advice = "A comma stands between two entries only, not after the last."
	case starts("\n", "\r", "\t"):
		advice = `Within a string a line break is written \n and a tab \t.`
	case starts("'", "\u201c", "\u201d"):
		advice = `Keys and strings stand in double quotes: "text".`
	case starts("//", "/*", "#"):
		advice = "JSON has no comments."
	case starts("True", "False", "None"):
		advice = "The words are true, false and null, in small letters."
	case bytes.HasSuffix(before, []byte("{")):
		advice = `A key comes first, in double quotes: {"text": "Hello"}.`
	default:
		advice = "Let a JSON library write it, or look it over at that place."
	}
	return advice
}

// unknown names the key that does not exist and the one that was most likely meant.
func (w walk) unknown(name string, known []string) error {
	e := core.Invalid(w.path(), "There is no field %s here.", shown(name))
	return suggest(e, name, known)
}

// suggest adds the known name nearest to a mistyped one, or else all that there are.
func suggest(e *core.Error, name string, known []string) *core.Error {
	if near := core.Nearest(name, known); near != "" {
		return e.WithHint("Did you mean %s?", near)
	}
	if len(known) == 0 {
		return e.WithHint("Nothing is taken there.")
	}
	return e.WithHint("Known there: %s.", strings.Join(known, ", "))
}

func (w walk) path() string { return dotted(w.dec.StackPointer()) }

func (w walk) parent() string { return dotted(w.dec.StackPointer().Parent()) }

// subject is the field that is spoken of, as a sentence begins.
func (w walk) subject() string {
	if path := w.path(); path != "" {
		return path
	}
	return "The body"
}

// dotted writes a JSON Pointer as people write a path: targets.accountIds[0].
func dotted(p jsontext.Pointer) string {
	path := ""
	for token := range p.Tokens() {
		path = join(path, token)
	}
	return path
}

func join(path, token string) string {
	if _, err := strconv.ParseUint(token, 10, 32); err == nil {
		return path + "[" + token + "]"
	}
	if path == "" {
		return shown(token)
	}
	return path + "." + shown(token)
}

// shown is a client's key as an error may repeat it: short, and quoted when it could be misread.
func shown(key string) string {
	const most = 60
	if len(key) > most {
		key = strings.ToValidUTF8(key[:most], "") + "…"
	}
	if key == "" || strings.ContainsFunc(key, unsimple) {
		return strconv.Quote(key)
	}
	return key
}

func unsimple(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_-…", r)
}

// words say what a value may be.
func (s *shape) words() string {
	var kinds []string
	add := func(ok bool, word string) {
		if ok {
			kinds = append(kinds, word)
		}
	}
	add(s.text != nil, "a string")
	add(s.number != nil && s.number.integer, "a whole number")
	add(s.number != nil && !s.number.integer, "a number")
	add(s.boolean, "true or false")
	add(s.list != nil, "a list")
	add(s.object != nil, "an object")
	add(s.null, "null")
	return strings.Join(kinds, " or ")
}

// bounds says what a number may be.
func (n *numberShape) bounds() string {
	kind := "a number"
	if n.integer {
		kind = "a whole number"
	}
	switch {
	case n.min == nil:
		return fmt.Sprintf("%s of at most %.15g", kind, *n.max)
	case n.max == nil:
		return fmt.Sprintf("%s of at least %.15g", kind, *n.min)
	}
	return fmt.Sprintf("%s from %.15g to %.15g", kind, *n.min, *n.max)
}

func several(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}
