package web

import (
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"net/http"
	"strconv"

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

// request is a request to the dashboard, with what has been loaded for it.
type request struct {
	echo           echo.Context
	web            *Web
	routed         bool        // it matched a route and did not come from another site
	caller         core.Caller // zero if nobody is signed in
	link           link.Workspace
	preferences    app.Preferences
	sessionLoaded  bool
	sessionChanged bool // the session must be saved
	showsSecret    bool // the response contains a new secret, so it is not compressed
	whoami         *contract.Whoami
	accounts       []contract.Account // nil until loadAccounts
	formError      error              // why the form could not be read
	ledTo          string             // where the request was redirected
}

// requestFor returns the request of a context. Every call with the same context returns the same request.
func (w *Web) requestFor(c echo.Context) *request {
	if r, ok := c.Get(requestKey).(*request); ok {
		return r
	}
	r := &request{echo: c, web: w}
	c.Set(requestKey, r)
	return r
}

func (r *request) context() context.Context { return r.echo.Request().Context() }

// loadSessionAndRecordVisit loads the session and makes its person the caller, who remains zero if nobody is signed in.
// It records that the person was active, and which workspace they visited.
func (r *request) loadSessionAndRecordVisit() error {
	s := r.web.sessions
	ctx, err := s.loadSessionOrEmpty(r.echo.Request())
	if err != nil {
		return err
	}
	r.echo.SetRequest(r.echo.Request().WithContext(ctx))
	r.sessionLoaded = true
	if err := r.enterWorkspaceOrLast(r.addressedSlug()); err != nil || r.caller.IsZero() {
		return err
	}
	httpd.AddLogAttrs(r.echo, slog.String("workspace", r.caller.Workspace().String()),
		slog.String("user", r.caller.AttributedUser().String()))
	// Polling does not show that the person is active.
	if r.echo.QueryParam(versionParam) == "" && s.timeSinceStoredTime(ctx, keySeen) >= touchEvery {
		r.putSessionValue(keySeen, s.now().Unix())
	}
	if last := r.caller.Workspace().String(); r.isPageVisit() && s.manager.GetString(ctx, keyWorkspace) != last {
		r.putSessionValue(keyWorkspace, last)
	}
	return nil
}

// addressedSlug returns the slug in the request's address, or "" for an address without one.
func (r *request) addressedSlug() (slugOrEmpty string) {
	slug, _ := link.SplitWorkspace(r.echo.Request().URL.Path)
	return string(slug)
}

// enterWorkspaceOrLast makes the session's person the caller. The workspace is the one with the slug if they are a
// member of it; otherwise, it is the one that they visited last.
func (r *request) enterWorkspaceOrLast(slug string) error {
	visit, err := r.web.findVisitToSlugOrLast(r.context(), slug)
	r.caller, r.link, r.preferences = visit.Caller, link.Workspace(visit.Slug), visit.Preferences
	return err
}

// isPageVisit reports whether the request is for a whole page.
func (r *request) isPageVisit() bool {
	return r.echo.Request().Method == http.MethodGet && !r.wantsFragment()
}

// versionParam is the query parameter with the version that the page shows (link.PostSince).
const versionParam = "seen"

func (r *request) putSessionValue(key string, value any) {
	r.web.sessions.manager.Put(r.context(), key, value)
	r.sessionChanged = true
}

// sessionKeyForWorkspace returns the session's key for a value that belongs to the present workspace, because a person
// can have pages of several workspaces open.
func (r *request) sessionKeyForWorkspace(key string) string {
	if r.caller.IsZero() {
		return key
	}
	return key + "." + r.caller.Workspace().String()
}

// popSessionValue returns a value of the session and removes it, or "" if there is none.
func (r *request) popSessionValue(key string) (valueOrEmpty string) {
	if !r.sessionLoaded || !r.web.sessions.manager.Exists(r.context(), key) {
		return ""
	}
	r.sessionChanged = true
	return r.web.sessions.manager.PopString(r.context(), key)
}

// saveSessionIfChanged saves the session if it has changed. It must be called before the response is written.
func (r *request) saveSessionIfChanged() error {
	if !r.sessionChanged {
		return nil
	}
	r.sessionChanged = false
	return r.web.sessions.saveAndSetCookie(r.context(), r.echo.Response())
}

// setFlash stores a message for the next page.
func (r *request) setFlash(tone ui.Tone, text string) {
	r.setFlashWithDetails(layout.Flash{Tone: tone, Text: text})
}

// setFlashWithDetails is setFlash for a message with details or a button.
func (r *request) setFlashWithDetails(f layout.Flash) {
	if text, err := json.Marshal(f); err == nil { // it cannot fail: a flash contains only texts and buttons
		r.putSessionValue(r.sessionKeyForWorkspace(keyFlash), string(text))
	}
}

// popFlashOrNil returns the message for this page and removes it from the session. It is the workspace's message or, if
// there is none, one from before the person entered a workspace.
func (r *request) popFlashOrNil() *layout.Flash {
	var f layout.Flash
	text := r.popSessionValue(r.sessionKeyForWorkspace(keyFlash))
	if text == "" {
		text = r.popSessionValue(keyFlash)
	}
	if json.Unmarshal([]byte(text), &f) != nil {
		return nil
	}
	return r.withRemainingCountdown(f)
}

// withRemainingCountdown returns a message with the seconds that it counts down. If they have passed, it adds the end
// of the sentence.
func (r *request) withRemainingCountdown(f layout.Flash) *layout.Flash {
	if f.CountsDownTo.IsZero() {
		return &f
	}
	f.Countdown = int(math.Ceil(f.CountsDownTo.Sub(r.web.cfg.Now()).Seconds()))
	if f.Countdown <= 0 {
		f.Text += "…"
	}
	return &f
}

// wantsFragment reports whether htmx requests a part of a page. It is false for htmx's requests for whole pages.
func (r *request) wantsFragment() bool {
	h := r.echo.Request().Header
	return h.Get("HX-Request") == "true" && h.Get("HX-Boosted") != "true"
}

// render saves the session and writes a page, or the part of it that htmx requests. partOrNil is nil if the page has
// none.
func (r *request) render(status int, page, partOrNil templ.Component) error {
	shown := page
	if partOrNil != nil && r.wantsFragment() {
		shown = partOrNil
	}
	body := templ.GetBuffer()
	defer templ.ReleaseBuffer(body)
	if err := shown.Render(r.context(), body); err != nil {
		return err
	}
	if err := r.saveSessionIfChanged(); err != nil {
		return err
	}
	r.echo.Response().Header().Set("Vary", "HX-Request, Cookie")
	if r.showsSecret {
		return r.echo.Blob(status, htmlType, body.Bytes())
	}
	return httpd.WriteCompressible(r.echo, status, htmlType, body.Bytes())
}

// renderConfirmation asks for confirmation of an action that cannot be undone. It sets the model's Frame.
func (r *request) renderConfirmation(section layout.Section, m layout.ConfirmModel) error {
	frame, err := r.loadFrameAndPopFlash(m.Title, section)
	if err != nil {
		return err
	}
	m.Frame = frame
	return r.render(http.StatusOK, layout.Confirm(m), layout.ConfirmPart(m))
}

// pathID returns the id in the request's path.
func (r *request) pathID() string { return r.echo.Param("id") }

// setRetryAfterHeader sets the Retry-After header if the error says how long to wait.
func (r *request) setRetryAfterHeader(e *core.Error) {
	if e.RetryAfter > 0 {
		r.echo.Response().Header().Set("Retry-After", strconv.Itoa(e.RetryAfter))
	}
}

// redirect saves the session and redirects to another page. It sends HX-Redirect to htmx, which would otherwise load
// the page as a part of the present one.
func (r *request) redirect(to string) error {
	r.ledTo = to
	if err := r.saveSessionIfChanged(); err != nil {
		return err
	}
	if r.wantsFragment() {
		r.echo.Response().Header().Set("HX-Redirect", to)
		return r.echo.NoContent(http.StatusNoContent)
	}
	return r.echo.Redirect(http.StatusSeeOther, to)
}

// askToSignInOrSetUp redirects to the sign-in page or, on a new server, to the set-up page. The sign-in leads back to
// the requested page. A form with a text is kept until after the sign-in.
func (r *request) askToSignInOrSetUp() error {
	first, err := r.web.cfg.App.NeedsSetUp(r.context())
	if err != nil {
		return err
	}
	if first {
		return r.redirect(link.SetUp)
	}
	if done, err := r.offerSignInKeepingPostForm(); done || err != nil {
		return err
	}
	return r.redirect(link.SignInFor(r.requestedOrRefererPageURL()))
}
