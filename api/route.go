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

// route is one row of the table.
type route struct {
	method, path string // path under /v1, as {id}
	status       int    // when all is well
	operation    *app.Operation

	operationName        string
	tag, id              string // in the document
	summary, description string
	optionalBody         bool
	codes                []core.Code // that the operation's access and input do not imply

	body       *schema.Type   // nil when the route takes none
	query      *schema.Object // what the query may hold
	parameters []parameter
	idField    []int // of the input; nil when the path has no id
}

func row(request string, status int, operation, tag, id, summary string) route {
	method, path, _ := strings.Cut(request, " ")
	return route{method: method, path: path, status: status, operationName: operation, tag: tag, id: id, summary: summary}
}

// describe adds a description below the summary.
func (r route) describe(text string) route {
	r.description = text
	return r
}

// fails adds error codes that the operation may return.
func (r route) fails(codes ...core.Code) route {
	r.codes = append(r.codes, codes...)
	return r
}

// bodyOptional makes the body optional.
func (r route) bodyOptional() route {
	r.optionalBody = true
	return r
}

// compileInput finds the operation, and compiles the types of the route's path, query and body.
func (r *route) compileInput(registry huma.Registry) error {
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
	case r.hasBody():
		r.body, err = compileType(registry, registry.Schema(operation.Input, true, ""))
	case r.method == http.MethodPost:
		// Such a body says nothing, so nothing in it may be overlooked.
		r.body, r.optionalBody = &schema.Type{Object: &schema.Object{}}, true
	case r.idField == nil:
		r.parameters, r.query, err = compileParameters(registry, operation.Input)
	}
	return err
}

// hasBody reports whether the operation's input has fields in the body.
func (r *route) hasBody() bool {
	for _, field := range reflect.VisibleFields(r.operation.Input) {
		if name := field.Tag.Get("json"); name != "" && name != "-" {
			return true
		}
	}
	return false
}

// hasAnswer reports whether a successful response has a body.
func (r *route) hasAnswer() bool { return r.operation.Output != reflect.TypeFor[contract.None]() }

// possibleCodes returns every error code that the route may return, in the order of core.Codes.
func (r *route) possibleCodes() []core.Code {
	may := map[core.Code]bool{
		core.CodeRateLimited: true, core.CodeUnavailable: true, core.CodeInternal: true,
		core.CodeUnauthenticated: true, core.CodeInsufficientScope: true, core.CodeQuotaExceeded: true,
		core.CodeInvalidRequest:  true,
		core.CodeNotFound:        r.idField != nil,
		core.CodePayloadTooLarge: r.body != nil, core.CodeUnsupportedMediaType: r.body != nil,
		core.CodeIdempotencyMismatch: r.operation.Repeatable, core.CodeIdempotencyInProgress: r.operation.Repeatable,
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
