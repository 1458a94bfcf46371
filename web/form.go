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
	return httpReq.PostForm, checkCharactersAndNormalizeLineEnds(httpReq.PostForm)
}

// readQuery returns the parameters of the address, which echo leaves out if there are too many. It does not check
// their characters.
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
		WithHint("It is damaged or has too many fields. Go back and try again, with fewer items if you chose many.").WithCause(err)
}

// checkCharactersAndNormalizeLineEnds converts the line ends in a form to LF. It returns an error if a value contains
// invalid characters.
func checkCharactersAndNormalizeLineEnds(form url.Values) error {
	for name, values := range form {
		for i, value := range values {
			if !utf8.ValidString(value) || strings.ContainsRune(value, 0) {
				return core.Invalid(name, "The field %q contains invalid characters.", name).
					WithHint("Remove these characters, then try again.")
			}
			values[i] = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(value)
		}
	}
	return nil
}

// maxSavedForm is the maximum size in bytes of an encoded form that is kept until after the sign-in.
const maxSavedForm = 256 << 10

// offerSignInKeepingPostForm shows the sign-in page to a person who submitted a form with the text of a post. The form
// is shown again after the sign-in. It does nothing and returns false if the request is not such a form,
// or if the form is too large.
func (r *request) offerSignInKeepingPostForm() (rendered bool, err error) {
	httpReq := r.echo.Request()
	next := pageOfPostTextForm(httpReq.URL.Path)
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
		"Your session has ended.").WithHint("Sign in to continue. Belfry then shows your text again.")
	told := contract.ErrorOf(e, "")
	return true, r.renderSignIn(http.StatusUnauthorized, auth.SignInModel{Next: next, Carry: text, Refused: &told})
}

// pageOfPostTextForm returns the page with the form that is submitted to a path, or "" if the form contains no text of
// a post.
func pageOfPostTextForm(submitPath string) (pagePathOrEmpty string) {
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

// popFormKeptForSignIn returns the form that was kept until after the sign-in, and removes it from the session.
func (r *request) popFormKeptForSignIn() (form url.Values, ok bool) {
	form, err := url.ParseQuery(r.popSessionValue(keySavedForm))
	return form, err == nil && len(form) > 0
}
