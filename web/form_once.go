package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"belfry/internal/app"
	"belfry/internal/core"
	"belfry/views/layout"
	"belfry/views/ui"
)

// formLetters are the letters in ids from newFormID.
const formLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

// newFormID returns an id for a rendered form. It identifies the form if it is submitted twice.
func newFormID() string { return rand.Text() }

// newFormIDField returns the hidden input with the id of a form.
func newFormIDField() ui.Hidden { return ui.Hidden{Name: ui.FieldForm, Value: newFormID()} }

// newFormReplayKeyOrNil returns the key under which the response to a form is stored, so that submitting the form twice
// has an effect only once. It returns nil if the form has no id from newFormID.
func newFormReplayKeyOrNil(form url.Values) *app.ReplayKey {
	name := form.Get(ui.FieldForm)
	if len(name) != len(newFormID()) || strings.Trim(name, formLetters) != "" {
		return nil
	}
	return &app.ReplayKey{Route: "dashboard", Key: name, Body: []byte(form.Encode()), Status: http.StatusCreated}
}

// errNoRedirect is the error of a form that was answered with a page: nothing was done, and the form can be sent again.
var errNoRedirect = core.Fail(core.CodeConflict, "The response to the form is a page instead of a redirect.")

// formAnswer is the address to which a form redirected, and what the session keeps for the page there, by the keys in
// keysForNextPage.
type formAnswer struct {
	To   string
	Kept map[string]string
}

// keysForNextPage are the keys under which the session keeps what a form leaves for the page to which it redirects.
var keysForNextPage = []string{keyFlash, keySelected, keyBulkInput}

// actUnlessRepeated calls act unless the form was submitted before. Unlike actOnce and doOnce, it stores no result: it
// is for an action whose page shows a secret.
func (r *request) actUnlessRepeated(form url.Values, act func(context.Context) error) (repeated bool, err error) {
	repeated = true
	_, _, err = doOnce(r, form, func(ctx context.Context) (struct{}, error) {
		repeated = false
		return struct{}{}, act(ctx)
	})
	return repeated && err == nil, err
}

// actOnce makes a handler act only once on a form that is sent twice, for example because its button was pressed twice.
// The second time, the person gets the first answer again. The form needs an id (newFormID). A form that was answered
// with a page instead of a redirect can be sent again.
func actOnce(handle func(*request, url.Values) error) (handleOnce func(*request, url.Values) error) {
	return func(r *request, form url.Values) error {
		handled, handleErr := false, error(nil)
		first, mayBeOutdated, err := doOnce(r, form, func(ctx context.Context) (formAnswer, error) {
			handled = true
			handleErr = r.handleWithContext(ctx, form, handle)
			if r.ledTo == "" {
				return formAnswer{}, cmp.Or[error](handleErr, errNoRedirect)
			}
			answer := formAnswer{To: r.ledTo, Kept: map[string]string{}} // even if the redirect failed, the act is done
			for _, key := range keysForNextPage {
				if value := r.web.sessions.manager.GetString(ctx, r.sessionKeyForWorkspace(key)); value != "" {
					answer.Kept[key] = value
				}
			}
			return answer, nil
		})
		if errors.Is(err, errNoRedirect) {
			return nil
		}
		if err != nil || handled {
			return cmp.Or(err, handleErr)
		}
		for key, value := range first.Kept {
			r.putSessionValue(r.sessionKeyForWorkspace(key), value)
		}
		var flash layout.Flash
		if mayBeOutdated && json.Unmarshal([]byte(first.Kept[keyFlash]), &flash) == nil {
			r.setFlashWithDetails(newRepeatedFlash(flash))
		}
		return r.redirect(first.To)
	}
}

// newRepeatedFlash returns the message for a form that was sent before, from its first message.
func newRepeatedFlash(first layout.Flash) layout.Flash {
	first.Tone = ui.ToneInfo
	first.Text = "You already submitted this form, so the repeated submission changed nothing. The first result was: " + first.Text
	return first
}

// repeatFlashFor is how long the response to a repeated form shows the first message unchanged. Later, the message may
// no longer be true.
const repeatFlashFor = 10 * time.Second

// doneAt is the result of a form's action, and when the action was done.
type doneAt[T any] struct {
	At  time.Time
	Out T
}

// doOnce calls act and returns its result. If the form was submitted before, it returns the first result instead, and
// whether the repetition came so late that a message about that result may be outdated. Unlike actOnce, it lets the
// handler decide what to say the second time.
func doOnce[T any](
	r *request, form url.Values, act func(context.Context) (T, error),
) (out T, mayBeOutdated bool, err error) {
	repeated := r.newFormContentReplayKeyOrNil(form)
	if repeated == nil {
		out, err = act(r.context())
		return out, false, err
	}
	body, err := r.web.cfg.App.DoOnce(r.context(), r.caller, repeated, func(ctx context.Context) (any, error) {
		out, err := act(ctx)
		return doneAt[T]{r.web.cfg.Now(), out}, err
	})
	if err != nil {
		return out, false, err
	}
	var first doneAt[T]
	err = json.Unmarshal(body, &first)
	return first.Out, r.web.cfg.Now().Sub(first.At) > repeatFlashFor, err
}

// newFormContentReplayKeyOrNil is newFormReplayKeyOrNil for a form with several actions. Its key also depends on the
// form's address and values, so that each action can happen once.
func (r *request) newFormContentReplayKeyOrNil(form url.Values) *app.ReplayKey {
	replay := newFormReplayKeyOrNil(form)
	if replay != nil {
		sum := sha256.Sum256([]byte(r.echo.Request().URL.Path + "\n" + form.Encode()))
		replay.Key += "-" + hex.EncodeToString(sum[:16])
	}
	return replay
}

// handleWithContext calls a handler with another context, which the request does not keep.
func (r *request) handleWithContext(
	ctx context.Context, form url.Values, handle func(*request, url.Values) error,
) error {
	before := r.echo.Request()
	defer r.echo.SetRequest(before)
	r.echo.SetRequest(before.WithContext(ctx))
	return handle(r, form)
}
