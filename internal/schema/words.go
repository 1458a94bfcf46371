package schema

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"belfry/internal/core"
)

// describeSyntaxError returns an error that says why the text is not valid JSON, without repeating the text.
func (r *checker) describeSyntaxError(err error) error {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return core.Invalid("", "The JSON in the body is incomplete.").
			WithHint("Close every bracket, brace and quotation mark.").WithCause(err)
	case errors.As(err, &syntax) && errors.Is(syntax.Err, jsontext.ErrDuplicateName):
		return core.Invalid(pathFromPointer(syntax.JSONPointer), "The body contains the field %s more than once.",
			FormatUntrustedName(syntax.JSONPointer.LastToken())).WithCause(err)
	case errors.As(err, &syntax) && strings.Contains(syntax.Err.Error(), "UTF-8"):
		return core.Invalid(pathFromPointer(syntax.JSONPointer), "The body is not valid UTF-8: the error is at byte %d.", syntax.ByteOffset).
			WithCause(err)
	case errors.As(err, &syntax):
		return core.Invalid(pathFromPointer(syntax.JSONPointer), "The body is not valid JSON: the error is at byte %d.", syntax.ByteOffset).
			WithHint("%s", adviseOnSyntax(r.text, syntax.ByteOffset)).WithCause(err)
	}
	return core.Invalid("", "The body is not valid JSON.").WithCause(err)
}

// adviseOnSyntax returns advice about a mistake in JSON (RFC 8259), derived from the text around offset. It recognizes
// the most frequent mistakes.
func adviseOnSyntax(text []byte, offset int64) string {
	const space = " \t\r\n"
	offset = min(offset, int64(len(text)))
	letter := func(i int64) bool { return i >= 0 && i < int64(len(text)) && unicode.IsLetter(rune(text[i])) }
	for letter(offset) && letter(offset-1) { // a word that begins like true was read up to the first difference
		offset--
	}
	before, rest := bytes.TrimRight(text[:offset], space), text[offset:]
	starts := func(with ...string) bool {
		return slices.ContainsFunc(with, func(s string) bool { return bytes.HasPrefix(rest, []byte(s)) })
	}
	closes := bytes.HasPrefix(bytes.TrimLeft(rest, space), []byte("}")) ||
		bytes.HasPrefix(bytes.TrimLeft(rest, space), []byte("]"))
	switch {
	case starts("\xef\xbb\xbf"):
		return "Remove the byte order mark at the beginning."
	case closes && bytes.HasSuffix(before, []byte(",")), starts(","):
		return "Put a comma between entries, but not after the last one."
	case starts("\n", "\r", "\t"):
		return `In a string, write a line break as \n and a tab as \t.`
	case starts("'", "\u201c", "\u201d"):
		return `Put keys and strings in double quotes: "text".`
	case starts("//", "/*", "#"):
		return "Remove the comments: JSON does not allow them."
	case starts("True", "False"):
		return "Write true and false in lowercase."
	case starts("None"):
		return "Write null instead of None."
	case bytes.HasSuffix(before, []byte("{")):
		return `Begin with a key in double quotes: {"text": "Hello"}.`
	}
	return "Check the JSON at this position, or generate it with a library."
}

// WithSuggestion adds a hint to an error about an unknown name: the most similar known name or, if none is similar, all
// known names.
func WithSuggestion(e *core.Error, unknownName string, known []string) *core.Error {
	if near := core.NearestName(unknownName, known); near != "" {
		return e.WithHint("Did you mean %s?", near)
	}
	if len(known) == 0 {
		return e.WithHint("None are allowed here.")
	}
	return e.WithHint("Allowed here: %s.", strings.Join(known, ", "))
}

// pathFromPointer converts a JSON Pointer to a readable path: targets.accountIds[0].
func pathFromPointer(p jsontext.Pointer) string {
	path := ""
	for token := range p.Tokens() {
		path = JoinPath(path, token)
	}
	return path
}

// JoinPath appends a key or an index to a path.
func JoinPath(path, keyOrIndex string) string {
	if _, err := strconv.ParseUint(keyOrIndex, 10, 32); err == nil {
		return path + "[" + keyOrIndex + "]"
	}
	if path == "" {
		return FormatUntrustedName(keyOrIndex)
	}
	return path + "." + FormatUntrustedName(keyOrIndex)
}

// FormatUntrustedName formats a name from a client's request, such as a JSON key, for an error message: shortened, and
// quoted if it could be misread.
func FormatUntrustedName(name string) string {
	const most = 60
	if len(name) > most {
		name = strings.ToValidUTF8(name[:most], "") + "…"
	}
	if name == "" || strings.ContainsFunc(name, needsQuotes) {
		return strconv.Quote(name)
	}
	return name
}

func needsQuotes(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_-…", r)
}
