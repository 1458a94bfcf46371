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
const longestCarry = 256 << 10

// carry asks somebody to sign in who has just sent a text: what they wrote comes back to them afterwards.
// It returns false when the request is no such form.
func (v *visit) carry() (bool, error) {
	r := v.Request()
	next := formPage(r.URL.Path)
	if r.Method != http.MethodPost || next == "" || v.fragment() {
		return false, nil
	}
	form, err := v.form()
	if err != nil {
		return true, err
	}
	text := form.Encode()
	if len(text) > longestCarry {
		return false, nil
	}
	e := core.Fail(core.CodeUnauthenticated, "You are not signed in any more.").WithHint("Sign in, and what you wrote comes back.")
	told := contract.ErrorOf(e, "")
	return true, v.showSignIn(http.StatusUnauthorized, auth.SignInModel{Next: next, Carry: text, Refused: &told})
}

// formPage is the page of the form that an address takes, where that form holds a text.
func formPage(path string) string {
	if path == link.Create || path == link.Plan {
		return link.Compose
	}
	page := internal(strings.TrimSuffix(path, "/plan"))
	if !strings.HasSuffix(page, "/edit") {
		return ""
	}
	return page
}

// carried is a form that was carried over signing in. It is given back once.
func (v *visit) carried() (url.Values, bool) {
	form, err := url.ParseQuery(v.take(keyCarried))
	return form, err == nil && len(form) > 0
}
