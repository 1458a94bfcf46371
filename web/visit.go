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

const visitKey = "web.visit"

// visit is one request to the dashboard.
type visit struct {
	echo.Context
	web      *Web
	admitted bool        // it is for a route of ours, and no other site sent it
	caller   core.Caller // zero for a stranger
	opened   bool        // the session has been read
	dirty    bool        // the session has changed
	who      *contract.Whoami
	listed   []contract.Account // nil until they have been asked for
}

func (w *Web) visit(c echo.Context) *visit {
	if v, ok := c.Get(visitKey).(*visit); ok {
		return v
	}
	v := &visit{Context: c, web: w}
	c.Set(visitKey, v)
	return v
}

func (v *visit) ctx() context.Context { return v.Request().Context() }

// recognise opens the session and finds out whose it is.
func (v *visit) recognise() error {
	s := v.web.sessions
	ctx, err := s.load(v.Request())
	if err != nil {
		return err
	}
	v.SetRequest(v.Request().WithContext(ctx))
	v.opened = true
	p, ok := s.person(ctx)
	if !ok {
		return nil
	}
	caller, err := v.web.cfg.App.SessionCaller(ctx, p.user, p.workspace, p.proof)
	if core.CodeOf(err) == core.CodeUnauthenticated {
		return nil
	}
	if err != nil {
		return err
	}
	v.caller = caller
	httpd.Note(v, slog.String("workspace", p.workspace), slog.String("user", p.user))
	// A page that looks for news by itself is no sign of a person.
	if v.QueryParam(seenParam) == "" && s.since(ctx, keySeen) >= touchEvery {
		v.put(keySeen, s.now().Unix())
	}
	return nil
}

// seenParam names the version of a page that its reader has (link.PostSince).
const seenParam = "seen"

func (v *visit) put(key string, value any) {
	v.web.sessions.manager.Put(v.ctx(), key, value)
	v.dirty = true
}

// take reads a text of the session and removes it.
func (v *visit) take(key string) string {
	if !v.opened || !v.web.sessions.manager.Exists(v.ctx(), key) {
		return ""
	}
	v.dirty = true
	return v.web.sessions.manager.PopString(v.ctx(), key)
}

func (v *visit) save() error {
	if !v.dirty {
		return nil
	}
	v.dirty = false
	return v.web.sessions.save(v.ctx(), v.Response())
}

// say leaves a word for the page after an act.
func (v *visit) say(tone ui.Tone, text string) {
	v.put(keyTone, string(tone))
	v.put(keyFlash, text)
}

func (v *visit) flash() *layout.Flash {
	text, tone := v.take(keyFlash), v.take(keyTone)
	if text == "" {
		return nil
	}
	return &layout.Flash{Tone: ui.Tone(tone), Text: text, Hopes: text == handedOver}
}

// fragment tells whether htmx asks for a part of a page. It swaps whole pages too, but never says so here.
func (v *visit) fragment() bool {
	h := v.Request().Header
	return h.Get("HX-Request") == "true" && h.Get("HX-Boosted") != "true"
}

// render answers with a page, or with its part where one is asked for. A page without a part has none.
func (v *visit) render(status int, page, part templ.Component) error {
	shown := page
	if part != nil && v.fragment() {
		shown = part
	}
	body := templ.GetBuffer()
	defer templ.ReleaseBuffer(body)
	if err := shown.Render(v.ctx(), body); err != nil {
		return err
	}
	if err := v.save(); err != nil {
		return err
	}
	v.Response().Header().Set("Vary", "HX-Request, Cookie")
	return v.Blob(status, "text/html; charset=utf-8", body.Bytes())
}

// confirm asks once before something that cannot be taken back.
func (v *visit) confirm(section layout.Section, m layout.ConfirmModel) error {
	frame, err := v.frame(m.Title, section)
	if err != nil {
		return err
	}
	m.Frame = frame
	return v.render(http.StatusOK, layout.Confirm(m), layout.ConfirmPart(m))
}

// id is the id in the request's path.
func (v *visit) id() string { return v.Param("id") }

// retryAfter tells programs what the page tells people.
func (v *visit) retryAfter(e *core.Error) {
	if e.RetryAfter > 0 {
		v.Response().Header().Set("Retry-After", strconv.Itoa(e.RetryAfter))
	}
}

// redirect leads to another page after an act, also where htmx would only follow into a part of this one.
func (v *visit) redirect(to string) error {
	if err := v.save(); err != nil {
		return err
	}
	if v.fragment() {
		v.Response().Header().Set("HX-Redirect", to)
		return v.NoContent(http.StatusNoContent)
	}
	return v.Redirect(http.StatusSeeOther, to)
}

// askToSignIn leads a stranger to signing in, and back here afterwards; on a new server to the first run.
func (v *visit) askToSignIn() error {
	first, err := v.web.cfg.App.SetUpOpen(v.ctx())
	if err != nil {
		return err
	}
	if first {
		return v.redirect(link.SetUp)
	}
	if done, err := v.carry(); done || err != nil {
		return err
	}
	return v.redirect(link.SignInFor(v.here()))
}
