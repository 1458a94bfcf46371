package web

import (
	"github.com/labstack/echo/v4"

	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/views/fault"
	"belfry/views/layout"
	"belfry/views/link"
)

// ErrorPage draws an error as a page, or as a part of the one that stands.
func (w *Web) ErrorPage(c echo.Context, e *core.Error) error {
	v := w.visit(c)
	if e.Code == core.CodeUnauthenticated {
		return v.askToSignIn()
	}
	m := fault.Model{
		Frame: v.faultFrame(e), Status: httpd.Status(e.Code), Error: *w.people(e), RequestID: httpd.RequestID(v.ctx()),
		RetryAfter: e.RetryAfter, Back: v.cameFrom(),
	}
	if m.Frame.Workspace == "" && m.Back == "" {
		m.Back = link.Home
	}
	return v.render(m.Status, fault.Page(m), fault.Part(m))
}

// faultFrame is the person's own frame where that can be drawn for sure: not of a database that is away,
// and not of a part that may be what went wrong.
func (v *visit) faultFrame(e *core.Error) layout.Frame {
	stranger := v.door("")
	if e.Code == core.CodeUnavailable || e.Code == core.CodeInternal || v.fragment() {
		return stranger
	}
	if !v.opened && v.recognise() != nil || v.caller.IsZero() {
		return stranger
	}
	f, err := v.frame("", "")
	if err != nil {
		return stranger
	}
	return f
}
