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

// version is the version of the API that the document describes (Spec §9).
const version = "1.4.0"

// guide is the introduction of the document, before the routes.
//
//go:embed guide.md
var guide string

// buildDocument builds the OpenAPI document of the routes, adds what is specific to this server, and stores it in a.
func (a *API) buildDocument(r huma.Registry) error {
	limits := contract.Limits{Limits: map[string]any{}}
	for _, rules := range a.cfg.Networks.Rules() {
		limits.Limits[string(rules.Describe().ID)] = contract.LimitsOf(rules.Describe().Limits)
	}
	e, err := newExampleBook(limits)
	if err != nil {
		return err
	}
	r.Schema(reflect.TypeFor[contract.Error](), true, "")
	a.oapi = &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "Belfry", Version: version, Description: strings.TrimSpace(guide) + "\n\n" + formatCodesChapter(),
			Contact: &huma.Contact{Name: "The operator of this server"},
		},
		Servers: []*huma.Server{{URL: prefix, Description: "This server"}},
		Tags:    describeTags(),
		Components: &huma.Components{
			Schemas: r, Headers: describeHeaders(), SecuritySchemes: describeSecuritySchemes(),
			Responses: map[string]*huma.Response{},
		},
	}
	d := documentBuilder{a.oapi, r, e}
	for _, row := range a.routes {
		a.oapi.AddOperation(d.describeRoute(row))
	}
	a.oapi.AddOperation(d.describeDocumentRoute())
	a.oapi.AddOperation(d.describeUploadRoute(r.Schema(reflect.TypeFor[contract.Uploaded](), true, "")))
	a.oapi.Components.Examples = e.used
	if err := a.addSchemasOfThisServer(r); err != nil {
		return err
	}
	addTimeFormatsAndNulls(r)
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

// Document returns the OpenAPI document that GET /openapi.json serves.
func (a *API) Document() []byte { return bytes.Clone(a.document) }

func (a *API) serveDocument(c echo.Context) error { return writeJSON(c, http.StatusOK, a.document) }

// documentBuilder builds the OpenAPI document.
type documentBuilder struct {
	doc      *huma.OpenAPI
	registry huma.Registry
	examples *exampleBook
}

// describeRoute describes one route.
func (d documentBuilder) describeRoute(r *route) *huma.Operation {
	op := &huma.Operation{
		Method: r.method, Path: r.path, OperationID: r.id, Summary: r.summary, Tags: []string{r.tag},
		Description: strings.TrimSpace(r.description + "\n\n" + describeAccess(r.operation.Access)),
		Security:    listAcceptedCredentials(r.operation.Access),
		Responses:   d.describeAndShareFailures(r.possibleErrorCodes()),
	}
	op.Responses[strconv.Itoa(r.status)] = d.describeSuccess(r)
	if r.idField != nil {
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: "id", In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString},
			Description: "The ID of a record in this workspace. The response is the same for malformed and unknown IDs, and for IDs from another workspace.",
		})
	}
	for _, p := range r.parameters {
		op.Parameters = append(op.Parameters,
			&huma.Param{Name: p.name, In: "query", Description: p.schema.Description, Schema: p.schema})
	}
	if r.operation.Replayable {
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: "Idempotency-Key", In: "header",
			Description: "1 to 255 visible ASCII characters. Send the same key when you repeat a request, and a new key with each new request.",
			Schema:      &huma.Schema{Type: huma.TypeString, MinLength: new(1), MaxLength: new(255), Pattern: "^[!-~]+$"},
			Example:     "0b5bd0f4-5e6c-4f0e-8f43-6a9c6f6f1b52",
		})
	}
	if r.hasBodyFields() {
		op.RequestBody = &huma.RequestBody{
			Required: !r.optionalBody,
			Content:  d.examples.jsonContentWithExample(d.registry.Schema(r.operation.Input, true, "")),
		}
	}
	return op
}

// describeSuccess describes a route's response to a successful request.
func (d documentBuilder) describeSuccess(r *route) *huma.Response {
	out := &huma.Response{Description: http.StatusText(r.status), Headers: commonHeaders()}
	if r.operation.Replayable {
		out.Headers["Idempotency-Replayed"] = headerRef("Idempotency-Replayed")
	}
	if r.hasResponseBody() {
		out.Content = d.examples.jsonContentWithExample(d.registry.Schema(r.operation.Output, true, ""))
	}
	return out
}

// commonHeaders returns the headers that any response of /v1 may have.
func commonHeaders() map[string]*huma.Header {
	return headerRefs("X-Request-Id", "RateLimit", "RateLimit-Policy", "Belfry-Sandbox")
}

// retryable contains the codes of errors whose responses have the header Retry-After.
var retryable = map[core.Code]bool{
	core.CodeRateLimited: true, core.CodeUnavailable: true, core.CodeIdempotencyInProgress: true,
	core.CodeUploadInProgress: true,
}

// describeAndShareFailures describes the error responses of a route, by status. If only one code has a status, it adds
// the response to the document's components, so that all routes share it.
func (d documentBuilder) describeAndShareFailures(codes []core.Code) (byStatus map[string]*huma.Response) {
	byStatus = map[string]*huma.Response{}
	for status, codes := range groupByStatus(codes) {
		if len(codes) > 1 {
			byStatus[status] = d.examples.newFailureResponse(commonHeaders(), codes...)
			continue
		}
		name := string(codes[0])
		d.doc.Components.Responses[name] = d.examples.newFailureResponse(commonHeaders(), codes[0])
		byStatus[status] = &huma.Response{Ref: "#/components/responses/" + name}
	}
	return byStatus
}

func groupByStatus(codes []core.Code) (codesByStatus map[string][]core.Code) {
	codesByStatus = map[string][]core.Code{}
	for _, code := range codes {
		status := strconv.Itoa(httpd.Status(code))
		codesByStatus[status] = append(codesByStatus[status], code)
	}
	return codesByStatus
}

// describeDocumentRoute describes the route that serves this document. The route requires no credential.
func (d documentBuilder) describeDocumentRoute() *huma.Operation {
	op := &huma.Operation{
		Method: http.MethodGet, Path: "/openapi.json", OperationID: "getDescription", Tags: []string{"identity"},
		Summary: "Show this description of the API", Description: "Requires no credential.", Security: []map[string][]string{{}},
		Responses: d.describeAndShareFailures([]core.Code{core.CodeRateLimited, core.CodeInternal, core.CodeUnavailable}),
	}
	op.Responses["200"] = &huma.Response{
		Description: http.StatusText(http.StatusOK), Headers: commonHeaders(),
		Content: map[string]*huma.MediaType{jsonType: {
			Schema:   &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true},
			Examples: map[string]*huma.Example{"excerpt": {Value: map[string]any{"openapi": "3.1.0"}}},
		}},
	}
	return op
}

// describeUploadRoute describes the route of signed upload addresses (Spec §4, Media). The route is outside /v1: its
// token is the credential, and no limit of the API applies to it.
func (d documentBuilder) describeUploadRoute(responseSchema *huma.Schema) *huma.Operation {
	op := &huma.Operation{
		Method: http.MethodPut, Path: contract.UploadPath + "{token}", OperationID: "putUpload", Tags: []string{"media"},
		Summary:     "Upload the bytes of a file",
		Description: "Use the complete `uploadUrl` from `POST /media/uploads`, and send no credential. The address works for one file, until `expiresAt`. You can repeat an interrupted upload.",
		Servers:     []*huma.Server{{URL: "/", Description: "This server. Use each `uploadUrl` unchanged: it is a complete URL."}},
		Security:    []map[string][]string{{}},
		Parameters: []*huma.Param{
			{
				Name: "token", In: "path", Required: true, Description: "The signed token from the upload address.",
				Schema: &huma.Schema{Type: huma.TypeString},
			},
			{
				Name: "Content-Length", In: "header", Required: true, Description: "The `size` from the reservation.",
				Schema: &huma.Schema{Type: huma.TypeInteger}, Example: 48213,
			},
		},
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/octet-stream": {}}},
		Responses:   map[string]*huma.Response{},
	}
	headers := headerRefs("X-Request-Id")
	for status, codes := range groupByStatus([]core.Code{
		core.CodeSizeMismatch, core.CodeNotFound, core.CodeAlreadyUploaded, core.CodeUploadInProgress, core.CodeUploadExpired,
		core.CodeInternal, core.CodeUnavailable,
	}) {
		op.Responses[status] = d.examples.newFailureResponse(headers, codes...)
	}
	op.Responses[strconv.Itoa(lengthRequired)] = d.examples.newFailureResponse(headers, core.CodeSizeMismatch)
	op.Responses["200"] = &huma.Response{
		Description: http.StatusText(http.StatusOK), Headers: headers,
		Content: d.examples.jsonContentWithExample(responseSchema),
	}
	return op
}
