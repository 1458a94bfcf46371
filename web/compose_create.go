package web

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/posts"
	"belfry/views/ui"
)

// newForm names a form that is drawn, so that pressing its button twice does its work once.
func newForm() string { return rand.Text() }

// replay is a form that may arrive twice; nil for one without a name.
func replay(route string, form url.Values) *app.Replay {
	name := form.Get(posts.FieldForm)
	if name == "" {
		return nil
	}
	return &app.Replay{Route: "dashboard " + route, Key: name, Body: []byte(form.Encode())}
}

// create makes the posts of a form, counted in the hourly limit like a program's request. A refusal that
// the form can show is the second result.
func (v *visit) create(form url.Values, in contract.PlanPosts) (contract.Posts, *core.Error, error) {
	claim := replay("create posts", form)
	var made contract.Posts
	admitted, err := v.web.cfg.App.Admit(v.ctx(), v.caller, app.Need{Scope: core.Write, Create: true, Replay: claim})
	if e, ok := refused(err); ok {
		return made, e, nil
	}
	if err != nil {
		return made, nil, err
	}
	if admitted.Replayed {
		if err := json.Unmarshal(admitted.Body, &made); err != nil {
			return made, nil, fmt.Errorf("read a kept answer: %w", err)
		}
		return made, nil, nil
	}
	// The browser may go away at any moment; what was made must be kept for the next time it asks.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(v.ctx()), keepTime)
	defer cancel()
	made, err = v.web.cfg.App.CreatePosts(v.ctx(), v.caller, contract.CreatePosts{PlanPosts: in, Confirm: true})
	e, ok := refused(err)
	if missing := core.CodeOf(err) == core.CodeNotFound; missing {
		e, ok = core.AsError(err), true
	}
	if ok {
		v.forget(ctx, claim)
		return made, e, nil
	}
	if err != nil {
		return made, nil, err
	}
	v.keep(ctx, claim, made)
	return made, nil, nil
}

// keepTime bounds how long an answer is kept after its browser may have gone.
const keepTime = 10 * time.Second

func (v *visit) forget(ctx context.Context, claim *app.Replay) {
	if claim == nil {
		return
	}
	if err := v.web.cfg.App.Forget(ctx, v.caller, *claim); err != nil {
		v.web.cfg.Log.ErrorContext(ctx, "form not freed", slog.Any("error", err))
	}
}

// keep remembers what a form has made. When that fails the form stays taken, rather than make it twice.
func (v *visit) keep(ctx context.Context, claim *app.Replay, made any) {
	if claim == nil {
		return
	}
	body, err := json.Marshal(made)
	if err == nil {
		err = v.web.cfg.App.Keep(ctx, v.caller, *claim, http.StatusCreated, body)
	}
	if err != nil {
		v.web.cfg.Log.ErrorContext(ctx, "answer not kept for its form", slog.Any("error", err))
	}
}

func (v *visit) sayCreated(made []contract.Post) {
	if len(made) == 0 {
		return
	}
	many := fmt.Sprintf("%d posts are", len(made))
	if len(made) == 1 {
		many = "The post is"
	}
	word := " on the way."
	switch p := made[0]; {
	case p.Status == string(core.PostDraft) && len(made) == 1:
		word = " kept as a draft."
	case p.Status == string(core.PostDraft):
		word = " kept as drafts."
	case p.PublishAt != nil && p.PublishAt.After(v.web.cfg.Now().Add(time.Minute)):
		word = " scheduled."
	}
	v.say(ui.ToneGood, many+word)
}
