package api

import (
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"belfry/internal/contract"
	"belfry/internal/core"
)

// describeItself describes the route that serves this description. It requires no credential.
func (d description) describeItself() *huma.Operation {
	op := &huma.Operation{
		Method: http.MethodGet, Path: "/openapi.json", OperationID: "getDescription", Tags: []string{"identity"},
		Summary: "Show this description of the API", Description: "Requires no credential.", Security: []map[string][]string{{}},
		Responses: d.describeFailures([]core.Code{core.CodeRateLimited, core.CodeInternal, core.CodeUnavailable}),
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

// describeUpload describes the signed address that a reservation returns (Spec §4, Media). It is outside /v1: its
// token is the credential, and no limit of the API applies to it.
func (d description) describeUpload(answer *huma.Schema) *huma.Operation {
	op := &huma.Operation{
		Method: http.MethodPut, Path: contract.UploadPath + "{token}", OperationID: "putUpload", Tags: []string{"media"},
		Summary:     "Upload the bytes of a file",
		Description: "Use the whole `uploadUrl` from `POST /media/uploads`, and send no credential. The address is for one file and expires after one hour. You can repeat an interrupted upload.",
		Servers:     []*huma.Server{{URL: "/", Description: "This server. Upload addresses are complete URLs."}},
		Security:    []map[string][]string{{}},
		Parameters: []*huma.Param{
			{
				Name: "token", In: "path", Required: true, Description: "The signed token from the upload address.",
				Schema: &huma.Schema{Type: huma.TypeString},
			},
			{
				Name: "Content-Length", In: "header", Required: true, Description: "The reserved `size`.",
				Schema: &huma.Schema{Type: huma.TypeInteger}, Example: 48213,
			},
		},
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/octet-stream": {}}},
		Responses:   map[string]*huma.Response{},
	}
	only := func() map[string]*huma.Header { return headersOf("X-Request-Id") }
	for status, codes := range groupByStatus([]core.Code{
		core.CodeSizeMismatch, core.CodeNotFound, core.CodeAlreadyUploaded, core.CodeUploadInProgress, core.CodeUploadExpired,
		core.CodeInternal, core.CodeUnavailable,
	}) {
		op.Responses[status] = d.examples.failureResponse(only(), codes...)
	}
	op.Responses[strconv.Itoa(lengthRequired)] = d.examples.failureResponse(only(), core.CodeSizeMismatch)
	op.Responses["200"] = &huma.Response{
		Description: http.StatusText(http.StatusOK), Headers: only(),
		Content: d.examples.jsonContent(answer),
	}
	return op
}
