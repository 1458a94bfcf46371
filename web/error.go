package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/views/errorpage"
	"belfry/views/layout"
	"belfry/views/posts"
)

// ErrorPage draws an error as a page, or as a part of the current one.
func (w *Web) ErrorPage(c echo.Context, e *core.Error) error {
	r := w.requestFor(c)
	if e.Code == core.CodeUnauthenticated {
		return r.askToSignIn()
	}
	m := errorpage.Model{
		Frame: r.errorFrame(e), Status: httpd.Status(e.Code), Error: *w.humanize(e), RequestID: httpd.RequestID(r.context()),
		RetryAfter: e.RetryAfter, Back: r.refererPage(), Kept: r.submittedText(),
	}
	if e.RetryAfter > 0 {
		m.Error.Hint = "" // the page says itself how long to wait
	}
	if m.Back == safeReturnURL(r.echo.Request().URL.RequestURI()) {
		m.Back = "" // it is this very page
	}
	return r.render(m.Status, errorpage.Page(m), errorpage.Part(m))
}

// submittedText is the text of a form that could not be taken, so that nobody has to write it again.
func (r *request) submittedText() string {
	if !r.routed || r.echo.Request().Method != http.MethodPost {
		return ""
	}
	form, err := r.readForm()
	if err != nil {
		return ""
	}
	return form.Get(posts.FieldText)
}

// errorFrame is the person's own frame where that can be drawn for sure: not of a database that is away,
// not of a part that may be what went wrong, and not for an address that has asked for too much already.
func (r *request) errorFrame(e *core.Error) layout.Frame {
	stranger := r.signedOutFrame("")
	if e.Code == core.CodeUnavailable || e.Code == core.CodeInternal || r.wantsFragment() {
		return stranger
	}
	if !r.sessionLoaded && (e.Code == core.CodeRateLimited || r.authenticate() != nil) || r.caller.IsZero() {
		return stranger
	}
	f, err := r.pageFrame("", "")
	if err != nil {
		return stranger
	}
	return f
}
