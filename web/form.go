package web

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/auth"
	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/ui"
)

// withForm returns a handler that reads the request's form and passes it to handle.
func withForm(handle func(*request, url.Values) error) func(*request) error {
	return func(r *request) error {
		form, err := r.readForm()
		if err != nil {
			return err
		}
		return handle(r, form)
	}
}

// errNoRedirect is the error of a form that was answered with a page: nothing was done, and it can be sent again.
var errNoRedirect = core.Fail(core.CodeConflict, "The form was answered with a page.")

// formAnswer is the address to which a form redirected, and what the session keeps for the page there.
type formAnswer struct{ To, Flash, Selected string }

// actOnce makes a handler act only once on a form that is sent twice, for example because its button was pressed twice:
// the second time, the person gets the first answer again. The form needs an id (newFormID). A form that was answered
// with a page instead of a redirect can be sent again.
func actOnce(handle func(*request, url.Values) error) func(*request, url.Values) error {
	return func(r *request, form url.Values) error {
		handled, handleErr := false, error(nil)
		first, outdated, err := doOnce(r, form, func(ctx context.Context) (formAnswer, error) {
			handled = true
			handleErr = r.handleWithContext(ctx, form, handle)
			if r.ledTo == "" {
				return formAnswer{}, cmp.Or[error](handleErr, errNoRedirect)
			}
			kept := r.web.sessions.manager // what was done is done, even if the redirect failed
			return formAnswer{
				To: r.ledTo, Flash: kept.GetString(ctx, r.sessionKeyForWorkspace(keyFlash)),
				Selected: kept.GetString(ctx, r.sessionKeyForWorkspace(keySelected)),
			}, nil
		})
		if errors.Is(err, errNoRedirect) {
			return nil
		}
		if err != nil || handled {
			return cmp.Or(err, handleErr)
		}
		r.putSessionValue(r.sessionKeyForWorkspace(keyFlash), first.Flash)
		r.putSessionValue(r.sessionKeyForWorkspace(keySelected), first.Selected)
		var flash layout.Flash
		if outdated && json.Unmarshal([]byte(first.Flash), &flash) == nil {
			r.setFlashWithDetails(newRepeatedFlash(flash))
		}
		return r.redirect(first.To)
	}
}

// newRepeatedFlash returns the message for a form that was sent before, from its first message.
func newRepeatedFlash(first layout.Flash) layout.Flash {
	first.Tone = ui.ToneInfo
	first.Text = "You already submitted this form, so nothing has changed. The first result was: " + first.Text
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
// whether a message about that result may be outdated. Unlike actOnce, it lets the handler decide what to say the
// second time.
func doOnce[T any](
	r *request, form url.Values, act func(context.Context) (T, error),
) (out T, outdated bool, err error) {
	repeated := r.newReplayPerAct(form)
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

// newReplayPerAct is newFormReplay for a form with several actions. Its key depends on the form's address and values,
// so that each action can happen once.
func (r *request) newReplayPerAct(form url.Values) *app.Replay {
	replay := newFormReplay(form)
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

// readForm reads the request's form, without the query of the address. It converts line ends to LF.
func (r *request) readForm() (url.Values, error) {
	httpReq := r.echo.Request()
	kind, _, err := mime.ParseMediaType(httpReq.Header.Get("Content-Type"))
	if err != nil || kind != "application/x-www-form-urlencoded" {
		return nil, core.Fail(core.CodeUnsupportedMediaType, "This address accepts only form data.").
			WithHint("Send application/x-www-form-urlencoded.")
	}
	if err := httpReq.ParseForm(); err != nil { // only the first time: later, the form looks empty
		r.formError = newFormError(err)
	}
	if r.formError != nil {
		return nil, r.formError
	}
	return httpReq.PostForm, normalizeForm(httpReq.PostForm)
}

// readQuery returns the parameters of the address, which echo leaves out if there are too many.
func (r *request) readQuery() (url.Values, error) {
	query, err := url.ParseQuery(r.echo.Request().URL.RawQuery)
	if err != nil {
		return nil, newFormError(err)
	}
	return query, nil
}

// newFormError returns the error for a form or a query that cannot be parsed.
func newFormError(err error) error {
	if _, tooBig := errors.AsType[*http.MaxBytesError](err); tooBig {
		return err
	}
	return core.Invalid("", "The form could not be read.").
		WithHint("It is damaged or has too many fields. Go back, choose fewer items, and try again.").WithCause(err)
}

// normalizeForm converts the line ends in a form to LF. It returns an error if a value contains invalid characters.
func normalizeForm(form url.Values) error {
	for name, values := range form {
		for i, value := range values {
			if !utf8.ValidString(value) || strings.ContainsRune(value, 0) {
				return core.Invalid(name, "%q contains invalid characters.", name)
			}
			values[i] = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(value)
		}
	}
	return nil
}

// maxSavedForm is the maximum size in bytes of an encoded form that is kept until after the sign-in.
const maxSavedForm = 256 << 10

// offerSignInKeepingForm shows the sign-in page to a person who submitted a form with the text of a post. The form is
// shown again after the sign-in. It does nothing and returns false if the request is not such a form.
func (r *request) offerSignInKeepingForm() (done bool, err error) {
	httpReq := r.echo.Request()
	next := pageOfTextForm(httpReq.URL.Path)
	if httpReq.Method != http.MethodPost || next == "" || r.wantsFragment() {
		return false, nil
	}
	form, err := r.readForm()
	if err != nil {
		return true, err
	}
	text := form.Encode()
	if len(text) > maxSavedForm {
		return false, nil
	}
	e := core.Fail(core.CodeUnauthenticated,
		"Your session has ended.").WithHint("Sign in to continue. Your text is saved.")
	told := contract.ErrorOf(e, "")
	return true, r.renderSignIn(http.StatusUnauthorized, auth.SignInModel{Next: next, Carry: text, Refused: &told})
}

// pageOfTextForm returns the page with the form that is submitted to a path, or "" if the form contains no text of a
// post.
func pageOfTextForm(submitPath string) string {
	at, rest := link.SplitWorkspace(submitPath)
	if here := link.Workspace(""); rest == here.CreatePosts() || rest == here.PlanPosts() {
		return at.Compose()
	}
	page := safeReturnURL(strings.TrimSuffix(submitPath, "/plan"))
	if !strings.HasSuffix(page, "/edit") {
		return ""
	}
	return page
}

// popSavedForm returns the form that was kept until after the sign-in, and removes it from the session.
func (r *request) popSavedForm() (form url.Values, ok bool) {
	form, err := url.ParseQuery(r.popSessionValue(keySavedForm))
	return form, err == nil && len(form) > 0
}
