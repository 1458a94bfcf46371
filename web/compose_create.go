package web

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
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

// formLetters are the letters in ids from newFormID.
const formLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

// newFormID returns an id for a rendered form, so that submitting it twice has an effect only once.
func newFormID() string { return rand.Text() }

// replay returns the replay for a form that may be submitted twice, or nil if it has no id of ours.
func replay(form url.Values) *app.Replay {
	name := form.Get(posts.FieldForm)
	if len(name) != len(newFormID()) || strings.Trim(name, formLetters) != "" {
		return nil
	}
	return &app.Replay{Route: "dashboard", Key: name, Body: []byte(form.Encode()), Status: http.StatusCreated}
}

// create creates the posts of a form, which counts toward the hourly limit like a program's request. A refusal that
// the form can show is the second result.
func (r *request) create(form url.Values, in contract.PlanPosts) (contract.Posts, *core.Error, error) {
	var made contract.Posts
	operation, ok := app.FindOperation("posts_create")
	if !ok {
		return made, nil, errors.New("there is no operation that creates posts")
	}
	answer, err := r.web.cfg.App.Do(r.context(), operation, app.Request{
		Caller: r.caller, Decode: app.Given(contract.CreatePosts{PlanPosts: in, Confirm: true}), Replay: replay(form),
	})
	if err == nil {
		err = json.Unmarshal(answer.Body, &made)
	}
	e, ok := asRefusal(err)
	if core.CodeOf(err) == core.CodeNotFound {
		e, ok = core.AsError(err), true
	}
	if ok {
		return made, e, nil
	}
	return made, nil, err
}

func (r *request) flashCreated(made []contract.Post) {
	if len(made) == 0 {
		return
	}
	one, many := flashPublishing, flashPublishingMany
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
