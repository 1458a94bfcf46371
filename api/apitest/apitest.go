// Package apitest checks responses of /v1 against the API's own description, for tests of the entry points and of the
// built program.
package apitest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

const prefix = "/v1"

// ResponseChecker checks responses against a description. It is safe for concurrent use.
type ResponseChecker struct {
	doc *openapi3.T
	// schemas are the schemas of bodies, by their paths in the description. kin-openapi would compile a schema for each
	// response, which takes longer than most requests.
	schemas map[string]*jsonschema.Schema
}

// checkers contains the response checkers by their documents, because compiling one takes longer than most tests.
var checkers sync.Map

// NewResponseChecker reads a description as returned by GET /v1/openapi.json. In each process, it compiles a
// description only once. It returns an error if the description is not valid OpenAPI.
func NewResponseChecker(document []byte) (*ResponseChecker, error) {
	once, _ := checkers.LoadOrStore(string(document), sync.OnceValues(func() (*ResponseChecker, error) {
		return compileResponseChecker(document)
	}))
	return once.(func() (*ResponseChecker, error))() //nolint:errcheck,forcetypeassert // nothing else is stored
}

func compileResponseChecker(document []byte) (*ResponseChecker, error) {
	doc, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		return nil, fmt.Errorf("read the description: %w", err)
	}
	if err := doc.Validate(context.Background()); err != nil {
		return nil, fmt.Errorf("check the description: %w", err)
	}
	c := &ResponseChecker{doc, map[string]*jsonschema.Schema{}}
	return c, c.compileSchemas(document)
}

// errorSchema is the path of the schema for errors.
const errorSchema = "/components/schemas/Error"

// compileSchemas compiles the schemas of all bodies in the description.
func (c *ResponseChecker) compileSchemas(document []byte) error {
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return fmt.Errorf("read the description: %w", err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("api:description", tree); err != nil {
		return fmt.Errorf("add the description: %w", err)
	}
	places := map[string]bool{errorSchema: true}
	for path, item := range c.doc.Paths.Map() {
		for method, op := range item.Operations() {
			for status, answer := range op.Responses.Map() {
				if answer.Value.Content[jsonType] != nil {
					places[schemaPath(path, method, status, answer)] = true
				}
			}
		}
	}
	for at := range places {
		if c.schemas[at], err = compiler.Compile("api:description#" + at); err != nil {
			return fmt.Errorf("read the schema at %s: %w", at, err)
		}
	}
	return nil
}

const jsonType = "application/json"

// schemaPath returns the path of the schema for a response's body.
func schemaPath(path, method, status string, answer *openapi3.ResponseRef) string {
	at := strings.TrimPrefix(answer.Ref, "#")
	if at == "" {
		at = "/paths/" + strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(path) + "/" +
			strings.ToLower(method) + "/responses/" + status
	}
	return at + "/content/application~1json/schema"
}

// Check returns an error if the description does not have the status, a header, a type or a field of a response. For a
// path or method that is not in the description, it checks that the response is an error.
func (c *ResponseChecker) Check(r *http.Request, status int, header http.Header, body []byte) error {
	path, ok := strings.CutPrefix(r.URL.Path, prefix)
	if !ok {
		return nil
	}
	if header.Get("X-Request-Id") == "" || header.Get("RateLimit-Policy") == "" {
		return fmt.Errorf("the response %[3]d to %[1]s %[2]s lacks X-Request-Id or RateLimit-Policy", r.Method, r.URL.Path, status)
	}
	template, op := c.findOperationOrNil(r.Method, path)
	if op == nil {
		return c.checkUndescribedIsError(r, status, body)
	}
	if err := c.checkAgainstOperation(r.Method, template, op, status, header, body); err != nil {
		return fmt.Errorf("the response %[3]d to %[1]s %[2]s does not match the description: %[4]w\n%[5]s", r.Method, r.URL.Path, status, err, body)
	}
	return nil
}

func (c *ResponseChecker) checkAgainstOperation(method, template string, op *openapi3.Operation, status int,
	header http.Header, body []byte,
) error {
	answer := op.Responses.Status(status)
	if answer == nil {
		return errors.New("the description does not list this status")
	}
	for name, h := range answer.Value.Headers {
		value := header.Get(name)
		if value == "" && h.Value.Required {
			return fmt.Errorf("the header %s is missing", name)
		}
		if _, err := strconv.Atoi(value); value != "" && h.Value.Schema.Value.Type.Is("integer") && err != nil {
			return fmt.Errorf("the header %s must be an integer, but is %q", name, value)
		}
	}
	if method == http.MethodHead {
		return nil
	}
	if answer.Value.Content[jsonType] == nil {
		if len(body) > 0 {
			return errors.New("the response has a body, but should have none")
		}
		return nil
	}
	if kind := header.Get("Content-Type"); kind != jsonType {
		return fmt.Errorf("the content type is %q, but should be JSON", kind)
	}
	return c.checkBody(schemaPath(template, method, strconv.Itoa(status), answer), body)
}

// checkBody checks a body against the schema at a path.
func (c *ResponseChecker) checkBody(at string, body []byte) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("the body is not JSON: %w", err)
	}
	return c.schemas[at].Validate(v)
}

// findOperationOrNil returns the path and the operation of a request in the description, or nil if there is none.
func (c *ResponseChecker) findOperationOrNil(
	method, path string,
) (templateOrEmpty string, operationOrNil *openapi3.Operation) {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	template, found := "", (*openapi3.Operation)(nil)
	for t, item := range c.doc.Paths.Map() {
		op := item.GetOperation(method)
		if op == nil || !matchesTemplate(t, path) {
			continue
		}
		if t == path {
			return t, op // a word goes before a parameter
		}
		template, found = t, op
	}
	return template, found
}

func matchesTemplate(template, path string) bool {
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

func (c *ResponseChecker) checkUndescribedIsError(r *http.Request, status int, body []byte) error {
	if r.Method == http.MethodOptions && status == http.StatusNoContent || r.Method == http.MethodHead {
		return nil
	}
	if err := c.checkBody(errorSchema, body); err != nil {
		return fmt.Errorf("the %[3]d response to %[1]s %[2]s does not match the documented error format: %[4]w\n%[5]s", r.Method, r.URL.Path, status, err, body)
	}
	return nil
}
