package api

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/labstack/echo/v4"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/httpd"
)

// version is the release of the interface that the document describes (Spec §9).
const version = "1.4.0"

// guide is the chapter in front of the routes.
//
//go:embed guide.md
var guide string

// describe makes the OpenAPI document of the routes.
func (a *API) describe(r huma.Registry) error {
	a.oapi = &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info:    &huma.Info{Title: "Belfry", Version: version, Description: strings.TrimSpace(guide) + "\n\n" + codesChapter()},
		Servers: []*huma.Server{{URL: prefix, Description: "This server"}},
		Tags:    tags(),
		Components: &huma.Components{
			Schemas: r, Headers: headers(), SecuritySchemes: securitySchemes(),
			Responses: failures(r.Schema(reflect.TypeFor[contract.Error](), true, "")),
		},
	}
	for _, row := range a.routes {
		a.oapi.AddOperation(row.operationOf(r))
	}
	a.oapi.AddOperation(documentOperation())
	if err := a.graft(r); err != nil {
		return err
	}
	var out bytes.Buffer
	compact, err := json.Marshal(a.oapi)
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	if err := json.Indent(&out, compact, "", "  "); err != nil {
		return fmt.Errorf("indent: %w", err)
	}
	a.document = append(out.Bytes(), '\n')
	return nil
}

// Document is the OpenAPI document as GET /openapi.json answers it.
func (a *API) Document() []byte { return bytes.Clone(a.document) }

func (a *API) serveDocument(c echo.Context) error { return write(c, http.StatusOK, a.document) }

// operationOf describes one route.
func (r *route) operationOf(registry huma.Registry) *huma.Operation {
	op := &huma.Operation{
		Method: r.method, Path: r.path, OperationID: r.operation, Summary: r.summary, Tags: []string{r.tag},
		Description: strings.TrimSpace(r.description + "\n\n" + r.needs.sentence()), Security: r.needs.security(),
		Responses: failuresByStatus(r.failures()),
	}
	op.Responses[strconv.Itoa(r.status)] = r.success(registry)
	if r.action.byID {
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: "id", In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString},
			Description: "An id from this workspace's lists. A malformed one, another workspace's and one that does not exist are answered alike.",
		})
	}
	for _, p := range r.parameters {
		op.Parameters = append(op.Parameters, &huma.Param{Name: p.name, In: "query", Description: p.schema.Description, Schema: p.schema})
	}
	if r.needs.repeats {
		least, most := 1, 255
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: "Idempotency-Key", In: "header", Description: "1 to 255 visible ASCII characters, the same for every try of one request.",
			Schema: &huma.Schema{Type: huma.TypeString, MinLength: &least, MaxLength: &most, Pattern: "^[!-~]+$"},
		})
	}
	if r.action.body != nil {
		op.RequestBody = &huma.RequestBody{
			Required: !r.action.bare,
			Content:  map[string]*huma.MediaType{jsonType: {Schema: registry.Schema(r.action.body, true, "")}},
		}
	}
	return op
}

// success describes the answer of a route when all is well.
func (r *route) success(registry huma.Registry) *huma.Response {
	out := &huma.Response{Description: http.StatusText(r.status), Headers: headersOf("X-Request-Id", "RateLimit", "RateLimit-Policy", "Belfry-Sandbox")}
	if r.needs.repeats {
		out.Headers["Idempotency-Replayed"] = headerRef("Idempotency-Replayed")
	}
	if r.action.answer != nil {
		out.Content = map[string]*huma.MediaType{jsonType: {Schema: registry.Schema(r.action.answer, true, "")}}
	}
	return out
}

// failures describes each code once; answers refer to it.
func failures(body *huma.Schema) map[string]*huma.Response {
	out := map[string]*huma.Response{}
	for _, code := range core.Codes {
		out[string(code)] = failure(body, code)
	}
	return out
}

func failure(body *huma.Schema, codes ...core.Code) *huma.Response {
	lines := make([]string, 0, len(codes))
	for _, code := range codes {
		lines = append(lines, "`"+string(code)+"`: "+meanings[code])
	}
	out := &huma.Response{
		Description: strings.Join(lines, "\n\n"), Headers: headersOf("X-Request-Id", "RateLimit", "RateLimit-Policy", "Belfry-Sandbox"),
		Content: map[string]*huma.MediaType{jsonType: {Schema: body}},
	}
	for _, code := range codes {
		if retryable[code] {
			out.Headers["Retry-After"] = headerRef("Retry-After")
		}
	}
	return out
}

// retryable are the codes whose answers say how long to wait.
var retryable = map[core.Code]bool{
	core.CodeRateLimited: true, core.CodeUnavailable: true, core.CodeIdempotencyInProgress: true,
}

// failuresByStatus describes the codes that a route may answer, which share a status now and then.
func failuresByStatus(codes []core.Code) map[string]*huma.Response {
	byStatus := map[int][]core.Code{}
	for _, code := range codes {
		status := httpd.Status(code)
		byStatus[status] = append(byStatus[status], code)
	}
	out := map[string]*huma.Response{}
	for status, codes := range byStatus {
		out[strconv.Itoa(status)] = &huma.Response{Ref: "#/components/responses/" + string(codes[0])}
		if len(codes) > 1 {
			out[strconv.Itoa(status)] = failure(&huma.Schema{Ref: schemaPrefix + "Error"}, codes...)
		}
	}
	return out
}

func documentOperation() *huma.Operation {
	r := route{status: http.StatusOK}
	op := &huma.Operation{
		Method: http.MethodGet, Path: "/openapi.json", OperationID: "getDescription", Tags: []string{"identity"},
		Summary: "Show this description of the API", Description: "Needs no credential.", Security: []map[string][]string{{}},
		Responses: failuresByStatus([]core.Code{core.CodeRateLimited, core.CodeInternal, core.CodeUnavailable}),
	}
	ok := r.success(nil)
	ok.Content = map[string]*huma.MediaType{jsonType: {Schema: &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}}}
	op.Responses["200"] = ok
	return op
}
