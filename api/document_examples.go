package api

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"belfry/internal/contract"
	"belfry/internal/core"
)

// exampleFile contains an example of each record, by its name in the document, and of each error with additional
// fields, by its code. A string "@Name" is replaced with the example of that name.
//
//go:embed examples.json
var exampleFile []byte

const examplePrefix = "#/components/examples/"

// exampleBook returns references to examples, and remembers which examples the document uses, because the document must
// contain these.
type exampleBook struct {
	all  map[string]any
	used map[string]*huma.Example
}

// newExampleBook reads the examples from exampleFile. limitsExample is the response to GET /limits, which depends on
// this server's networks.
func newExampleBook(limitsExample contract.Limits) (*exampleBook, error) {
	e := &exampleBook{used: map[string]*huma.Example{}}
	if err := json.Unmarshal(exampleFile, &e.all); err != nil {
		return nil, fmt.Errorf("decode the examples: %w", err)
	}
	e.all["Limits"] = limitsExample
	for code, m := range meanings {
		if e.all[string(code)] == nil {
			e.all[string(code)] = contract.Error{Code: string(code), Message: m.when, Hint: m.advice}
		}
	}
	return e, nil
}

// referToAndMarkUsed returns references to the named examples, and marks these examples as used. It ignores names
// without an example.
func (e *exampleBook) referToAndMarkUsed(names ...string) map[string]*huma.Example {
	out := map[string]*huma.Example{}
	for _, name := range names {
		if v, ok := e.all[name]; ok {
			e.used[name] = &huma.Example{Value: e.replaceExampleNames(v)}
			out[name] = &huma.Example{Ref: examplePrefix + name}
		}
	}
	return out
}

// replaceExampleNames returns v with each string "@Name" replaced with the example of that name.
func (e *exampleBook) replaceExampleNames(v any) any {
	switch v := v.(type) {
	case string:
		if name, ok := strings.CutPrefix(v, "@"); ok {
			return e.replaceExampleNames(e.all[name])
		}
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = e.replaceExampleNames(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name := range v {
			out[name] = e.replaceExampleNames(v[name])
		}
		return out
	}
	return v
}

// jsonContentWithExample describes a JSON body by its schema, which refers to a record, and the example of this record
// if there is one.
func (e *exampleBook) jsonContentWithExample(s *huma.Schema) map[string]*huma.MediaType {
	return map[string]*huma.MediaType{jsonType: {
		Schema: s, Examples: e.referToAndMarkUsed(strings.TrimPrefix(s.Ref, schemaPrefix)),
	}}
}

// newFailureResponse returns the description of an error response with one of these codes, which all have the same
// status. The response has these headers, and Retry-After if one of the codes needs it.
func (e *exampleBook) newFailureResponse(headers map[string]*huma.Header, codes ...core.Code) *huma.Response {
	headers = maps.Clone(headers)
	lines, names := make([]string, 0, len(codes)), make([]string, 0, len(codes))
	for _, code := range codes {
		lines, names = append(lines, "`"+string(code)+"`: "+meanings[code].when), append(names, string(code))
		if retryable[code] {
			headers["Retry-After"] = headerRef("Retry-After")
		}
	}
	return &huma.Response{
		Description: strings.Join(lines, "\n\n"), Headers: headers,
		Content: map[string]*huma.MediaType{jsonType: {
			Schema:   &huma.Schema{Ref: schemaPrefix + "Error"},
			Examples: e.referToAndMarkUsed(names...),
		}},
	}
}

// lengthRequired is the status of size_mismatch when the request has no length (decisions.md, Media).
const lengthRequired = http.StatusLengthRequired
