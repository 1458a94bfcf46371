package web

import (
	"net/http"
	"net/url"
	"strings"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/auth"
	"belfry/views/link"
)

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
	if path == link.Create || path == link.Plan {
		return link.Compose
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
