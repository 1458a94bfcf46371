package networktest

import (
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"belfry/internal/network"
	"belfry/internal/network/sim"
)

func testConnect(t *testing.T, h Harness) {
	w := NewWorld(t, h)
	grant := w.GrantConsent()
	profiles, err := w.Net.ExchangeCode(t.Context(), grant)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, p := range profiles {
		if p.ExternalID == "" || p.DisplayName == "" || p.AvatarURL == "" || p.Token.Access == "" ||
			p.Token.IssuedAt.IsZero() || len(p.Token.Scopes) == 0 {
			t.Errorf("an incomplete profile: %+v", p)
		}
		if seen[p.ExternalID] {
			t.Errorf("profile %s twice", p.ExternalID)
		}
		seen[p.ExternalID] = true
		if err := w.Net.VerifyToken(t.Context(), p.Token); err != nil {
			t.Errorf("the token of %s does not work: %v", p.ExternalID, err)
		}
		if p.Unusable == "" {
			checkRereadProfile(t, w, p)
		}
		_, renewable := w.Net.(network.Refresher)
		lapses := !p.Token.LapsesAt.IsZero()
		renewable = renewable && !h.NoRenewal
		if renewable && !lapses && p.Token.ExpiresAt.IsZero() || renewable != (lapses || !p.Token.RefreshAt.IsZero()) {
			t.Errorf("renewable %v: %+v", renewable, p.Token)
		}
	}
	_, err = w.Net.ExchangeCode(t.Context(), grant)
	e := w.RequireError(err, network.Rejected, network.Secret(grant.Code))
	if e.Hint == "" || e.Message == "" {
		t.Errorf("the refusal of a used code has no message or hint: %+v", e)
	}
}

// checkRereadProfile reads a connected profile again, if the network supports that, and checks that it is the same.
func checkRereadProfile(t *testing.T, w *World, p network.Profile) {
	t.Helper()
	reader, ok := w.Net.(network.ProfileReader)
	if !ok {
		return
	}
	again, err := reader.ReadProfile(t.Context(), p.ExternalID, p.Token)
	if err != nil || again.ExternalID != p.ExternalID || again.Username != p.Username ||
		again.DisplayName != p.DisplayName || again.AvatarURL == "" {
		t.Errorf("reading the profile %+v again returned %+v: %v", p, again, err)
	}
}

func testRefusedConsent(t *testing.T, h Harness) {
	w := NewWorld(t, h)
	if back := w.SubmitConsent("deny"); back.Get("error") != "access_denied" || back.Get("code") != "" ||
		back.Get("state") != "the-state" {
		t.Errorf("after a refusal, the redirect has %v", back)
	}
}

func testWrongCode(t *testing.T, h Harness) {
	w := NewWorld(t, h)
	good := w.GrantConsent()
	for name, grant := range map[string]network.AuthResponse{
		"a made-up code":   {Code: "AQ-this-is-not-a-code-of-anyone", RedirectURI: callback, Verifier: good.Verifier},
		"another redirect": {Code: good.Code, RedirectURI: callback + "/elsewhere", Verifier: good.Verifier},
		"no code":          {RedirectURI: callback, Verifier: good.Verifier},
		"another verifier": {Code: good.Code, RedirectURI: callback, Verifier: good.Verifier + "x"},
	} {
		if name == "another verifier" && good.Verifier == "" {
			continue
		}
		_, err := w.Net.ExchangeCode(t.Context(), grant)
		if e := w.RequireError(err, network.Rejected, network.Secret(grant.Code)); e.Message == "" {
			t.Errorf("%s: no message", name)
		}
	}
	if _, err := w.Net.ExchangeCode(t.Context(), good); err != nil {
		t.Errorf("failed attempts used up the code: %v", err)
	}
}

func testRefresh(t *testing.T, h Harness) {
	w := NewWorld(t, h)
	r, ok := w.Net.(network.Refresher)
	old := w.Connect().Token
	if !ok || h.NoRenewal {
		if !old.RefreshAt.IsZero() || !old.LapsesAt.IsZero() {
			t.Error("a token that cannot be renewed has a renewal time")
		}
		return
	}
	w.Advance(renewalTime(old).Sub(w.Now()))
	for kind, want := range map[string]network.ErrorKind{
		sim.ServerError: network.Transient, sim.RateLimited: network.RateLimited,
	} {
		w.AddFault(sim.Fault{Call: "refresh", Kind: kind})
		_, err := r.RefreshToken(t.Context(), old)
		w.CheckError(err, want, old.Access)
	}
	fresh, err := r.RefreshToken(t.Context(), old)
	if err != nil {
		t.Fatal(err)
	}
	if fresh.Access == old.Access || !renewalTime(fresh).After(renewalTime(old)) ||
		old.LapsesAt.IsZero() && !fresh.ExpiresAt.After(old.ExpiresAt) || !slices.Equal(fresh.Scopes, old.Scopes) ||
		(fresh.Refresh == "") != (old.Refresh == "") || !maps.Equal(fresh.Extra, old.Extra) {
		t.Errorf("the fresh token %+v is not a renewal of %+v", fresh, old)
	}
	if err := w.Net.VerifyToken(t.Context(), fresh); err != nil {
		t.Errorf("the fresh token does not work: %v", err)
	}
	w.AddFault(sim.Fault{Call: "refresh", Kind: sim.TruncatedJSON}) // which may cost a token that can be used only once
	_, err = r.RefreshToken(t.Context(), fresh)
	w.CheckError(err, network.Unknown, fresh.Access, fresh.Refresh)
	w.ReplaceServer(func(rw http.ResponseWriter, _ *http.Request) {
		_, _ = rw.Write([]byte(`{"token_type":"bearer","access_token":""}`))
	})
	_, err = r.RefreshToken(t.Context(), fresh)
	w.CheckError(err, network.Unknown, fresh.Access)
	w.ReplaceServer(nil)
	if !fresh.ExpiresAt.IsZero() {
		w.Advance(fresh.ExpiresAt.Sub(w.Now()) + time.Second)
		_, err = r.RefreshToken(t.Context(), fresh)
		w.CheckError(err, network.Expired, fresh.Access, fresh.Refresh)
	}
}

// renewalTime returns when a token must be renewed.
func renewalTime(t network.Token) time.Time {
	if !t.LapsesAt.IsZero() {
		return t.LapsesAt
	}
	return t.RefreshAt
}
