package apptest

import (
	"net/url"
	"strings"

	"belfry/internal/sandbox"
)

// Consent opens a network's consent page as a person would, allows everything for the profiles, of which there must be
// at least one, and returns the query of the redirect. For only the profile "", it keeps the page's own choice.
func (h *Harness) Consent(authorizeURL string, profiles ...string) url.Values {
	h.t.Helper()
	page := h.openConsentPage(authorizeURL)
	must(h.t, page.ChooseOrEnterProfiles(profiles))
	return h.submitConsentDecision(page, sandbox.Allow)
}

// Deny opens a network's consent page, refuses, and returns the query of the redirect.
func (h *Harness) Deny(authorizeURL string) url.Values {
	h.t.Helper()
	page := h.openConsentPage(authorizeURL)
	must(h.t, page.ChooseOrEnterProfiles([]string{""}))
	return h.submitConsentDecision(page, sandbox.Deny)
}

// ConsentAll opens a network's consent page, allows everything for all profiles on it, and returns the query of the
// redirect.
func (h *Harness) ConsentAll(authorizeURL string) url.Values {
	h.t.Helper()
	page := h.openConsentPage(authorizeURL)
	page.TickAll()
	return h.submitConsentDecision(page, sandbox.Allow)
}

func (h *Harness) openConsentPage(authorizeURL string) *sandbox.ConsentPage {
	h.t.Helper()
	page, err := sandbox.OpenConsentPage(h.Context(), authorizeURL)
	must(h.t, err)
	return page
}

func (h *Harness) submitConsentDecision(page *sandbox.ConsentPage, decision string) (redirectQuery url.Values) {
	h.t.Helper()
	back, err := page.Submit(h.Context(), h.NetworksURL, decision)
	must(h.t, err)
	if !strings.HasPrefix(back.String(), PublicURL+"/accounts/callback/") {
		h.t.Fatalf("the redirect leads to %s", back)
	}
	return back.Query()
}
