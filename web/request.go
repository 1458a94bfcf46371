package web

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/ui"
)

const htmlType = "text/html; charset=utf-8"

const requestKey = "web.visit"

// request is one request to the dashboard.
type request struct {
	echo           echo.Context
	web            *Web
	routed         bool        // it is for a route of ours, and no other site sent it
	caller         core.Caller // zero for a stranger
	sessionLoaded  bool        // the session has been read
	sessionChanged bool        // the session has changed
	showsSecret    bool        // the answer has a secret that was just made
	whoami         *contract.Whoami
	accounts       []contract.Account // nil until they have been asked for
}

func (w *Web) requestFor(c echo.Context) *request {
	if r, ok := c.Get(requestKey).(*request); ok {
		return r
	}
	r := &request{echo: c, web: w}
	c.Set(requestKey, r)
	return r
}

func (r *request) context() context.Context { return r.echo.Request().Context() }

// authenticate opens the session and finds out whose it is.
func (r *request) authenticate() error {
	s := r.web.sessions
	ctx, err := s.load(r.echo.Request())
	if err != nil {
		return err
	}
	r.echo.SetRequest(r.echo.Request().WithContext(ctx))
	r.sessionLoaded = true
	if r.caller, err = r.web.findCaller(ctx); err != nil || r.caller.IsZero() {
		return err
	}
	httpd.AddLogAttrs(r.echo, slog.String("workspace", r.caller.Workspace().String()),
		slog.String("user", r.caller.User().String()))
	// A page that looks for news by itself is no sign of a person.
	if r.echo.QueryParam(versionParam) == "" && s.timeSince(ctx, keySeen) >= touchEvery {
		r.putSession(keySeen, s.now().Unix())
	}
	return nil
}

// seenParam names the version of a page that its reader has (link.PostSince).
const versionParam = "seen"

func (r *request) putSession(key string, value any) {
	r.web.sessions.manager.Put(r.context(), key, value)
	r.sessionChanged = true
}

// popSession reads a text of the session and removes it.
func (r *request) popSession(key string) string {
	if !r.sessionLoaded || !r.web.sessions.manager.Exists(r.context(), key) {
		return ""
	}
	r.sessionChanged = true
	return r.web.sessions.manager.PopString(r.context(), key)
}

func (r *request) saveSession() error {
	if !r.sessionChanged {
		return nil
	}
	r.sessionChanged = false
	return r.web.sessions.save(r.context(), r.echo.Response())
}

// setFlash leaves a word for the page after an act.
func (r *request) setFlash(tone ui.Tone, text string) {
	r.putSession(keyTone, string(tone))
	r.putSession(keyFlash, text)
}

func (r *request) popFlash() *layout.Flash {
	text, tone := r.popSession(keyFlash), r.popSession(keyTone)
	if text == "" {
		return nil
	}
	return &layout.Flash{Tone: ui.Tone(tone), Text: text, Provisional: text == flashPublishing}
}

// wantsFragment tells whether htmx asks for a part of a page. It swaps whole pages too, but never says so here.
func (r *request) wantsFragment() bool {
	h := r.echo.Request().Header
	return h.Get("HX-Request") == "true" && h.Get("HX-Boosted") != "true"
}

// render answers with a page, or with its part where one is asked for. A page without a part has none.
func (r *request) render(status int, page, part templ.Component) error {
	shown := page
	if part != nil && r.wantsFragment() {
		shown = part
	}
	body := templ.GetBuffer()
	defer templ.ReleaseBuffer(body)
	if err := shown.Render(r.context(), body); err != nil {
		return err
	}
	if err := r.saveSession(); err != nil {
		return err
	}
	r.echo.Response().Header().Set("Vary", "HX-Request, Cookie")
	if r.showsSecret {
		return r.echo.Blob(status, htmlType, body.Bytes())
	}
	return httpd.WriteCompressible(r.echo, status, htmlType, body.Bytes())
}

// renderConfirm asks once before something that cannot be taken back.
func (r *request) renderConfirm(section layout.Section, m layout.ConfirmModel) error {
	frame, err := r.pageFrame(m.Title, section)
	if err != nil {
		return err
	}
	m.Frame = frame
	return r.render(http.StatusOK, layout.Confirm(m), layout.ConfirmPart(m))
}

// pathID is the id in the request's path.
func (r *request) pathID() string { return r.echo.Param("id") }

// retryAfter tells programs what the page tells people.
func (r *request) retryAfter(e *core.Error) {
	if e.RetryAfter > 0 {
		r.echo.Response().Header().Set("Retry-After", strconv.Itoa(e.RetryAfter))
	}
}

// redirect leads to another page after an act, also where htmx would only follow into a part of this one.
func (r *request) redirect(to string) error {
	if err := r.saveSession(); err != nil {
		return err
	}
	if r.wantsFragment() {
		r.echo.Response().Header().Set("HX-Redirect", to)
		return r.echo.NoContent(http.StatusNoContent)
	}
	return r.echo.Redirect(http.StatusSeeOther, to)
}

// askToSignIn leads a stranger to signing in, and back here afterwards; on a new server to the first run.
func (r *request) askToSignIn() error {
	first, err := r.web.cfg.App.SetUpOpen(r.context())
	if err != nil {
		return err
	}
	if first {
		return r.redirect(link.SetUp)
	}
	if done, err := r.offerSignInKeepingForm(); done || err != nil {
		return err
	}
	return r.redirect(link.SignInFor(r.currentPage()))
}
