package web

import (
	"net/http"

	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/reference"
)

// showAPIDocs shows the description of the API, which is no secret.
func (r *request) showAPIDocs() error {
	m := r.web.reference
	m.Frame, m.Back = layout.Frame{Title: "API"}, link.Home
	return r.render(http.StatusOK, reference.Page(m), nil)
}
