package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/views/fault"
	"belfry/views/layout"
	"belfry/views/posts"
)

// ErrorPage draws an error as a page, or as a part of the one that stands.
func (w *Web) ErrorPage(c echo.Context, e *core.Error) error {
	v := w.visit(c)
	if e.Code == core.CodeUnauthenticated {
		return v.askToSignIn()
	}
	m := fault.Model{
		Frame: v.faultFrame(e), Status: httpd.Status(e.Code), Error: *w.people(e), RequestID: httpd.RequestID(v.ctx()),
		RetryAfter: e.RetryAfter, Back: v.cameFrom(), Kept: v.kept(),
	}
	if e.RetryAfter > 0 {
		m.Error.Hint = "" // the page says itself how long to wait
	}
	if m.Back == internal(v.Request().URL.RequestURI()) {
		m.Back = "" // it is this very page
	}
	return v.render(m.Status, fault.Page(m), fault.Part(m))
}

// kept is the text of a form that could not be taken, so that nobody has to write it again.
func (v *visit) kept() string {
	if !v.admitted || v.Request().Method != http.MethodPost {
		return ""
	}
	form, err := v.form()
	if err != nil {
		return ""
	}
	return form.Get(posts.FieldText)
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
