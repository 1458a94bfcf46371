package web

import (
	"net/http"

	"belfry/internal/core"
	"belfry/static"
	"belfry/views/design"
	"belfry/views/layout"
)

// showDesignSystem shows the design system. It exists only in sandbox mode.
func (r *request) showDesignSystem() error {
	if !r.web.isInSandbox() {
		return core.NotFound()
	}
	m := design.Model{Frame: layout.Frame{Title: "Design"}, Tokens: static.DesignTokenNames()}
	return r.render(http.StatusOK, design.Page(m), nil)
}
