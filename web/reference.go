package web

import (
	"net/http"

	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/reference"
)

// apiDocs shows the description of the API, which is no secret.
func (v *visit) apiDocs() error {
	m := v.web.reference
	m.Frame, m.Back = layout.Frame{Title: "API"}, link.Home
	return v.render(http.StatusOK, reference.Page(m), nil)
}
