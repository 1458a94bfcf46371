package api

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/schema"
)

// route is one row of the table of routes.
type route struct {
	method, path string // the path is below /v1
	status       int    // of a successful response
	operation    *app.Operation

	operationName        string
	tag, id              string // in the document
	summary, description string
	optionalBody         bool
	codes                []core.Code // in addition to those that the operation's access and input imply

	body       *schema.Type   // nil if the route has no body
	query      *schema.Object // the parameters that the query may contain
	parameters []parameter
	idField    []int // the input's field for the id; nil if the path has no id
}

// newRoute returns a route. methodAndPath is, for example, "GET /posts", and operationName the name of the app's
// operation. The document shows tag, operationID and summary.
func newRoute(methodAndPath string, status int, operationName, tag, operationID, summary string) route {
	method, path, _ := strings.Cut(methodAndPath, " ")
	return route{
		method: method, path: path, status: status, operationName: operationName, tag: tag, id: operationID,
		summary: summary,
	}
}

// withDescription returns the route with a description below the summary.
func (r route) withDescription(text string) route {
	r.description = text
	return r
}

// withMoreErrorCodes returns the route with more error codes that the operation may return.
func (r route) withMoreErrorCodes(codes ...core.Code) route {
	r.codes = append(r.codes, codes...)
	return r
}

// withOptionalBody returns the route with an optional body.
func (r route) withOptionalBody() route {
	r.optionalBody = true
	return r
}

// bindOperation finds the route's operation, and compiles the types of its path, query and body.
func (r *route) bindOperation(registry huma.Registry) error {
	operation, ok := app.FindOperation(r.operationName)
	if !ok {
		return fmt.Errorf("there is no operation %s", r.operationName)
	}
	r.operation = operation
	if field, ok := operation.Input.FieldByName("ID"); ok && field.Tag.Get("path") == "id" {
		r.idField = field.Index
	}
	var err error
	r.query = &schema.Object{}
	switch {
	case r.hasBodyFields():
		r.body, err = compileType(registry, registry.Schema(operation.Input, true, ""))
	case r.method == http.MethodPost:
		// The operation has no fields, so a body can only be an empty object.
		r.body, r.optionalBody = &schema.Type{Object: &schema.Object{}}, true
	case r.idField == nil:
		r.parameters, r.query, err = compileParameters(registry, operation.Input)
	}
	return err
}

// hasBodyFields reports whether the operation's input has fields in the body.
func (r *route) hasBodyFields() bool {
	for _, field := range reflect.VisibleFields(r.operation.Input) {
		if name := field.Tag.Get("json"); name != "" && name != "-" {
			return true
		}
	}
	return false
}

// hasResponseBody reports whether a successful response has a body.
func (r *route) hasResponseBody() bool { return r.operation.Output != reflect.TypeFor[contract.None]() }

// possibleErrorCodes returns every error code that the route may return, in the order of core.Codes.
func (r *route) possibleErrorCodes() []core.Code {
	may := map[core.Code]bool{
		core.CodeRateLimited: true, core.CodeUnavailable: true, core.CodeInternal: true,
		core.CodeUnauthenticated: true, core.CodeInsufficientScope: true, core.CodeQuotaExceeded: true,
		core.CodeInvalidRequest:  true,
		core.CodeNotFound:        r.idField != nil,
		core.CodePayloadTooLarge: r.body != nil, core.CodeUnsupportedMediaType: r.body != nil,
		core.CodeIdempotencyMismatch: r.operation.Replayable, core.CodeIdempotencyInProgress: r.operation.Replayable,
	}
	for _, code := range r.codes {
		may[code] = true
	}
	var out []core.Code
	for _, code := range core.Codes {
		if may[code] {
			out = append(out, code)
		}
	}
	return out
}
