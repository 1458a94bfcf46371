package web

import (
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/auth"
	"belfry/views/link"
)

// withForm makes a handler of one that takes the form of the request.
func withForm(handle func(*request, url.Values) error) func(*request) error {
	return func(r *request) error {
		form, err := r.readForm()
		if err != nil {
			return err
		}
		return handle(r, form)
	}
}

// readForm reads the body of a form. It converts the line ends of browsers, CRLF, to LF.
func (r *request) readForm() (url.Values, error) {
	httpReq := r.echo.Request()
	kind, _, err := mime.ParseMediaType(httpReq.Header.Get("Content-Type"))
	if err != nil || kind != "application/x-www-form-urlencoded" {
		return nil, core.Fail(core.CodeUnsupportedMediaType, "This address accepts only form data.").
			WithHint("Send application/x-www-form-urlencoded.")
	}
	if err := httpReq.ParseForm(); err != nil {
		if _, tooBig := errors.AsType[*http.MaxBytesError](err); tooBig {
			return nil, err
		}
		return nil, core.Invalid("", "The form could not be read.").WithCause(err)
	}
	return httpReq.PostForm, cleanForm(httpReq.PostForm)
}

// cleanForm refuses invalid characters and converts line ends.
func cleanForm(form url.Values) error {
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

// longestCarry bounds what a form may hold that is carried over signing in, as it is sent.
const maxSavedForm = 256 << 10

// offerSignInKeepingForm asks somebody to sign in who has just sent a text: what they wrote comes back to them
// afterwards. It returns false when the request is no such form.
func (r *request) offerSignInKeepingForm() (bool, error) {
	httpReq := r.echo.Request()
	next := formPage(httpReq.URL.Path)
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

// formPage is the page of the form that an address takes, where that form holds a text.
func formPage(path string) string {
	at, rest := link.SplitWorkspace(path)
	if here := link.Workspace(""); rest == here.CreatePosts() || rest == here.PlanPosts() {
		return at.Compose()
	}
	page := safeReturnURL(strings.TrimSuffix(path, "/plan"))
	if !strings.HasSuffix(page, "/edit") {
		return ""
	}
	return page
}

// takeSavedForm is a form that was carried over signing in. It is given back once.
func (r *request) takeSavedForm() (url.Values, bool) {
	form, err := url.ParseQuery(r.popSession(keySavedForm))
	return form, err == nil && len(form) > 0
}
