// Package web is the entry point for people: sessions, pages, forms and parts of pages. It converts between HTTP and
// operations, and decides nothing about posts, accounts or keys.
package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/labstack/echo/v4"

	"belfry/internal/app"
	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/internal/network"
	"belfry/static"
	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/reference"
)

// Config is the configuration of the dashboard. Every field is required unless it says otherwise.
type Config struct {
	App      *app.App
	Networks *network.Set
	// Sessions stores sessions under hashes of their tokens.
	Sessions  scs.CtxStore
	Server    *httpd.Server
	Log       *slog.Logger
	PublicURL *url.URL
	// Now is the clock for pages and sessions.
	Now func() time.Time
	// SetUpCode is the code that a person must enter to set up a new server.
	SetUpCode string
	// SandboxPath is the path of the service's own simulated networks; empty if there are none.
	SandboxPath string
	// UpgradeURL is the address for changing the plan; optional.
	UpgradeURL string
}

// Web serves the dashboard. It is safe for concurrent use.
type Web struct {
	cfg       Config
	sessions  *sessions
	streams   streams
	reference reference.Model
	uploads   uploadForms
}

// New checks the configuration and returns the dashboard.
func New(cfg Config) (*Web, error) {
	if cfg.App == nil || cfg.Networks == nil || cfg.Sessions == nil || cfg.Server == nil || cfg.Log == nil ||
		cfg.PublicURL == nil ||
		cfg.Now == nil || cfg.SetUpCode == "" {
		return nil, errors.New("web: Config needs App, Networks, Sessions, Server, Log, PublicURL, Now and SetUpCode")
	}
	return &Web{cfg: cfg, sessions: newSessions(cfg.Sessions, cfg.PublicURL.Scheme == "https", cfg.Now)}, nil
}

// Mount adds the routes of the dashboard, the API reference and their assets. openAPI is the OpenAPI document;
// Mount returns an error if it cannot be parsed.
func (w *Web) Mount(e *echo.Echo, openAPI []byte) (err error) {
	if w.reference, err = reference.ParseOpenAPI(openAPI, w.cfg.PublicURL.JoinPath("v1").String()); err != nil {
		return err
	}
	e.GET(static.Prefix+"*", echo.WrapHandler(static.Handler()))
	w.mountEventCallbacks(e)
	for _, rt := range serverRoutes() {
		w.addRoute(e, rt)
	}
	for _, rt := range workspaceRoutes(link.Workspace(workspace)) {
		w.addRoute(e, rt)
	}
	for _, rt := range workspaceRoutes("") {
		rt.handle = (*request).redirectToPathInLastWorkspace
		w.addRoute(e, rt)
	}
	return nil
}

func (w *Web) addRoute(e *echo.Echo, rt route) {
	limits := httpd.LimitBody(httpd.MaxJSONBytes)
	if rt.takesFiles || rt.streams {
		limits = httpd.LiftTimeLimits(0)
	}
	e.Add(rt.method, rt.path, w.handlerFor(rt), w.cfg.Server.RequireSameOriginWrites, limits)
}

// handlerFor returns the handler for a route. It counts the request, loads the session and, unless the route is public,
// requires a signed-in person.
func (w *Web) handlerFor(rt route) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := w.requestFor(c)
		r.routed = true
		if err := w.cfg.App.ThrottlePageRequest(r.context(), httpd.ClientAddressKey(c)); err != nil {
			return err
		}
		if err := r.loadSessionAndRecordVisit(); err != nil {
			return err
		}
		if !rt.public && r.caller.IsZero() {
			if rt.streams {
				return r.refuseStream()
			}
			return r.askToSignInOrSetUp()
		}
		if slug := r.addressedSlug(); slug != "" && slug != string(r.link) {
			return r.redirectToRenamedWorkspace(slug)
		}
		return r.handleAndPromptIfPasswordNeeded(rt.handle)
	}
}

// FindCallerByCookieInRefererWorkspace returns the person who is signed in by the dashboard's cookie, in the workspace
// of the page in Referer. It returns the zero Caller if nobody is signed in. It does not check that the request comes
// from our own pages.
func (w *Web) FindCallerByCookieInRefererWorkspace(r *http.Request) (callerOrZero core.Caller, err error) {
	ctx, err := w.sessions.loadSessionOrEmpty(r)
	if err != nil {
		return core.Caller{}, err
	}
	var of link.Workspace
	if page, err := url.Parse(r.Referer()); err == nil {
		of, _ = link.SplitWorkspace(page.Path)
	}
	visit, err := w.findVisitToSlugOrLast(ctx, string(of))
	if of != "" && visit.Slug != string(of) {
		return core.Caller{}, err
	}
	return visit.Caller, err
}

// findVisitToSlugOrLast returns the person of the session in the context, and their workspace: the one with the slug if
// they are a member of it, or else the one that they visited last. It returns the zero Visit if nobody is signed in.
func (w *Web) findVisitToSlugOrLast(ctx context.Context, slug string) (visitOrZero app.Visit, err error) {
	session, ok := w.sessions.unverifiedSession(ctx)
	if !ok {
		return app.Visit{}, nil
	}
	visit, err := w.cfg.App.AuthenticateInWorkspaceOrLast(ctx, session, slug)
	if core.CodeOf(err) == core.CodeUnauthenticated {
		return app.Visit{}, nil
	}
	return visit, err
}

// redirectHomeOrAskToSignInOrSetUp redirects to the start page of the workspace that the person visited last, or does
// what askToSignInOrSetUp does.
func (r *request) redirectHomeOrAskToSignInOrSetUp() error {
	if !r.caller.IsZero() {
		return r.redirect(r.link.Home())
	}
	return r.askToSignInOrSetUp()
}

// redirectToPathInLastWorkspace redirects from an address without a workspace to the same path in the workspace that
// the person visited last. A form is not submitted there, because it may belong to another workspace.
func (r *request) redirectToPathInLastWorkspace() error {
	httpReq := r.echo.Request()
	to := r.link.At(httpReq.URL.EscapedPath())
	if httpReq.Method == http.MethodGet || httpReq.Method == http.MethodHead {
		return r.redirectKeepingMethodAndQuery(to)
	}
	return r.redirect(to)
}

// redirectToRenamedWorkspace redirects from a former slug of a workspace to the present one. For people who are not
// members, it returns not_found.
func (r *request) redirectToRenamedWorkspace(formerSlug string) error {
	current, err := r.web.cfg.App.ResolveFormerWorkspaceSlug(r.context(), r.caller, formerSlug)
	if err != nil {
		return err
	}
	_, rest := link.SplitWorkspace(r.echo.Request().URL.EscapedPath())
	return r.redirectKeepingMethodAndQuery(link.Workspace(current).At(rest))
}

// redirectKeepingMethodAndQuery makes the browser repeat the request, with its method, query and form, at another path.
func (r *request) redirectKeepingMethodAndQuery(path string) error {
	if err := r.saveSessionIfChanged(); err != nil {
		return err
	}
	if query := r.echo.Request().URL.RawQuery; query != "" {
		path += "?" + query
	}
	return r.echo.Redirect(http.StatusTemporaryRedirect, path)
}

// showAPIDocs shows the API reference, which is public.
func (r *request) showAPIDocs() error {
	m := r.web.reference
	m.Frame, m.Back = layout.Frame{Title: "API"}, link.Home
	return r.render(http.StatusOK, reference.Page(m), nil)
}
