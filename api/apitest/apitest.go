// Package apitest holds recorded answers of /v1 against the API's own description, for the tests of every
// door and for the black-box suite.
package apitest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

const prefix = "/v1"

// Book is a description that answers are held against. It is safe for concurrent use.
type Book struct{ doc *openapi3.T }

// Open reads a description as GET /v1/openapi.json answers it. One that is not sound OpenAPI is an error.
func Open(document []byte) (*Book, error) {
	doc, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		return nil, fmt.Errorf("read the description: %w", err)
	}
	if err := doc.Validate(context.Background()); err != nil {
		return nil, fmt.Errorf("check the description: %w", err)
	}
	return &Book{doc}, nil
}

// Check returns what is wrong with an answer: a status, header, type or field that the description does
// not have. Of a path or method that it does not know, the error body is checked.
func (b *Book) Check(r *http.Request, status int, header http.Header, body []byte) error {
	path, ok := strings.CutPrefix(r.URL.Path, prefix)
	if !ok {
		return nil
	}
	if header.Get("X-Request-Id") == "" || header.Get("RateLimit-Policy") == "" {
		return fmt.Errorf("%s %s answered %d without X-Request-Id or RateLimit-Policy", r.Method, r.URL.Path, status)
	}
	route, err := b.find(r.Method, path)
	if err != nil {
		return b.checkUnknown(r, status, body)
	}
	err = openapi3filter.ValidateResponse(r.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, Route: route},
		Status:                 status, Header: header, Body: io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true},
	})
	if err != nil {
		return fmt.Errorf("%s %s answered %d against its description: %w\n%s", r.Method, r.URL.Path, status, err, body)
	}
	return nil
}

var errUnknown = errors.New("the description has no such route")

func (b *Book) find(method, path string) (*routers.Route, error) {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	var found *routers.Route
	for template, item := range b.doc.Paths.Map() {
		op := item.GetOperation(method)
		if op == nil || !matches(template, path) {
			continue
		}
		found = &routers.Route{Spec: b.doc, Path: template, PathItem: item, Method: method, Operation: op}
		if template == path {
			return found, nil // a word goes before a parameter
		}
	}
	if found == nil {
		return nil, errUnknown
	}
	return found, nil
}

func matches(template, path string) bool {
	want, got := strings.Split(template, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return false
	}
	for i := range want {
		if !strings.HasPrefix(want[i], "{") && want[i] != got[i] {
			return false
		}
	}
	return true
}

func (b *Book) checkUnknown(r *http.Request, status int, body []byte) error {
	if r.Method == http.MethodOptions && status == http.StatusNoContent || r.Method == http.MethodHead {
		return nil
	}
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		return fmt.Errorf("%s %s answered %d without a JSON body: %w", r.Method, r.URL.Path, status, err)
	}
	if err := b.doc.Components.Schemas["Error"].Value.VisitJSON(v, openapi3.EnableJSONSchema2020()); err != nil {
		return fmt.Errorf("%s %s answered %d with another error body: %w", r.Method, r.URL.Path, status, err)
	}
	return nil
}
