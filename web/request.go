package web

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/ui"
)

const htmlType = "text/html; charset=utf-8"

const requestKey = "web.visit"

// request is a request to the dashboard.
type request struct {
	echo           echo.Context
	web            *Web
	routed         bool        // it is for a route of ours, and no other site sent it
	caller         core.Caller // zero for a stranger
	link           link.Workspace
	preferences    app.Preferences
	sessionLoaded  bool // the session has been read
	sessionChanged bool // the session has changed
	showsSecret    bool // the answer has a secret that was just made
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

// authenticate loads the session and its person.
func (r *request) authenticate() error {
	s := r.web.sessions
	ctx, err := s.load(r.echo.Request())
	if err != nil {
		return err
	}
	r.echo.SetRequest(r.echo.Request().WithContext(ctx))
	r.sessionLoaded = true
	if err := r.enterWorkspace(r.addressedWorkspace()); err != nil || r.caller.IsZero() {
		return err
	}
	httpd.AddLogAttrs(r.echo, slog.String("workspace", r.caller.Workspace().String()),
		slog.String("user", r.caller.User().String()))
	// A page that looks for news by itself is no sign of a person.
	if r.echo.QueryParam(versionParam) == "" && s.timeSince(ctx, keySeen) >= touchEvery {
		r.putSession(keySeen, s.now().Unix())
	}
	if last := r.caller.Workspace().String(); r.isPageVisit() && s.manager.GetString(ctx, keyWorkspace) != last {
		r.putSession(keyWorkspace, last)
	}
	return nil
}

// addressedWorkspace returns the slug in the request's address, or "" for an address without one.
func (r *request) addressedWorkspace() string {
	slug, _ := link.SplitWorkspace(r.echo.Request().URL.Path)
	return string(slug)
}

// enterWorkspace makes the session's person the caller, in the workspace with the slug if they are a member of it, and
// else in the one that they visited last.
func (r *request) enterWorkspace(slug string) error {
	visit, err := r.web.findVisit(r.context(), slug)
	r.caller, r.link, r.preferences = visit.Caller, link.Workspace(visit.Slug), visit.Preferences
	return err
}

// isPageVisit reports whether a person opens a page.
func (r *request) isPageVisit() bool {
	return r.echo.Request().Method == http.MethodGet && !r.wantsFragment()
}

// versionParam is the parameter with the version that the reader has (link.PostSince).
const versionParam = "seen"

func (r *request) putSession(key string, value any) {
	r.web.sessions.manager.Put(r.context(), key, value)
	r.sessionChanged = true
}

// popSession returns a value of the session and removes it.
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

// setFlash stores a message for the page after an action.
func (r *request) setFlash(tone ui.Tone, text string) {
	r.setFullFlash(layout.Flash{Tone: tone, Text: text})
}

// setFullFlash is setFlash for a message with more than a sentence.
func (r *request) setFullFlash(f layout.Flash) {
	f.Provisional = strings.HasPrefix(f.Text, flashPrefix)
	if text, err := json.Marshal(f); err == nil { // it has texts and buttons only
		r.putSession(keyFlash, string(text))
	}
}

func (r *request) popFlash() *layout.Flash {
	var f layout.Flash
	if json.Unmarshal([]byte(r.popSession(keyFlash)), &f) != nil {
		return nil
	}
	return &f
}

// wantsFragment reports whether htmx requests a part of a page. Its requests for whole pages do not count.
func (r *request) wantsFragment() bool {
	h := r.echo.Request().Header
	return h.Get("HX-Request") == "true" && h.Get("HX-Boosted") != "true"
}

// render writes a page, or its part if one is requested. part is nil for a page without one.
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

// renderConfirm asks for confirmation of an action that cannot be undone.
func (r *request) renderConfirm(section layout.Section, m layout.ConfirmModel) error {
	frame, err := r.pageFrame(m.Title, section)
	if err != nil {
		return err
	}
	m.Frame = frame
	return r.render(http.StatusOK, layout.Confirm(m), layout.ConfirmPart(m))
}

// pathID returns the id in the request's path.
func (r *request) pathID() string { return r.echo.Param("id") }

// retryAfter sets the Retry-After header for programs.
func (r *request) retryAfter(e *core.Error) {
	if e.RetryAfter > 0 {
		r.echo.Response().Header().Set("Retry-After", strconv.Itoa(e.RetryAfter))
	}
}

// redirect redirects to another page after an action. htmx, which would load it as a part of this page, gets
// HX-Redirect.
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

// askToSignIn redirects to the sign-in page, which leads back here, or to the set-up page on a new server.
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
