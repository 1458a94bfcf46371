package web

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/posts"
	"belfry/views/ui"
)

// formLetters are those of the names that newForm gives.
const formLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

// newFormID names a form that is drawn, so that pressing its button twice does its work once.
func newFormID() string { return rand.Text() }

// replay is a form that may arrive twice; nil for one without a name that we gave.
func replay(form url.Values) *contract.Replay {
	name := form.Get(posts.FieldForm)
	if len(name) != len(newFormID()) || strings.Trim(name, formLetters) != "" {
		return nil
	}
	return &contract.Replay{Route: "dashboard", Key: name, Body: []byte(form.Encode()), Status: http.StatusCreated}
}

// create makes the posts of a form, counted in the hourly limit like a program's request. A refusal that
// the form can show is the second result.
func (r *request) create(form url.Values, in contract.PlanPosts) (contract.Posts, *core.Error, error) {
	claim := replay(form)
	var made contract.Posts
	admitted, err := r.web.cfg.App.Admit(r.context(), r.caller, app.Need{Scope: core.Write, Create: true, Replay: claim})
	if e, ok := asRefusal(err); ok {
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
	made, err = r.web.cfg.App.CreatePosts(r.context(), r.caller, contract.CreatePosts{PlanPosts: in, Confirm: true, Replay: claim})
	e, ok := asRefusal(err)
	if core.CodeOf(err) == core.CodeNotFound {
		e, ok = core.AsError(err), true
	}
	if !ok {
		return made, nil, err
	}
	r.forget(claim)
	return made, e, nil
}

// forgetTime bounds how long a refused form is freed after its browser may have gone.
const forgetTime = 10 * time.Second

// forget frees a form that was refused, so that it may be sent again.
func (r *request) forget(claim *contract.Replay) {
	if claim == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.context()), forgetTime)
	defer cancel()
	if err := r.web.cfg.App.Forget(ctx, r.caller, *claim); err != nil {
		r.web.cfg.Log.ErrorContext(ctx, "form not freed", slog.Any("error", err))
	}
}

func (r *request) flashCreated(made []contract.Post) {
	if len(made) == 0 {
		return
	}
	one, many := flashPublishing, "Publishing %d posts…"
	switch p := made[0]; {
	case p.Status == string(core.PostDraft):
		one, many = "Draft saved.", "%d drafts saved."
	case p.PublishAt != nil && p.PublishAt.After(r.web.cfg.Now().Add(time.Minute)):
		one, many = "Post scheduled.", "%d posts scheduled."
	}
	if len(made) > 1 {
		one = fmt.Sprintf(many, len(made))
	}
	r.setFlash(ui.ToneGood, one)
}
