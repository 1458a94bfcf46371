package threads_test

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"belfry/internal/network"
	"belfry/internal/network/networktest"
	"belfry/internal/network/sim"
)

func TestATokenIsRenewedAtHalfItsLife(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	token := w.Connect().Token
	const day = 24 * time.Hour
	if token.ExpiresAt.Sub(w.Now()) != 60*day || token.RefreshAt.Sub(w.Now()) != 30*day {
		t.Errorf("ends %v, renewed %v", token.ExpiresAt, token.RefreshAt)
	}
	w.Advance(23 * time.Hour)
	_, err := w.Net.(network.Refresher).RefreshToken(t.Context(), token)
	w.CheckError(err, network.Rejected, token.Access)
}

// Whoever leaves out a permission that publishing needs learns it before a post fails for it.
func TestAProfileWithoutThePermissionToPublishIsNotUsable(t *testing.T) {
	t.Parallel()
	for withheld, want := range map[string]string{
		"threads_content_publish": "The permission threads_content_publish was not granted.", "threads_manage_insights": "",
	} {
		h := harness()
		h.Consent = url.Values{"username": {"nightowl.cycles"}, "withhold": {withheld}}
		w := networktest.NewWorld(t, h)
		profiles, err := w.Net.ExchangeCode(t.Context(), w.GrantConsent())
		if err != nil || len(profiles) != 1 {
			t.Fatalf("%s: got %+v, %v", withheld, profiles, err)
		}
		p := profiles[0]
		if !strings.HasPrefix(p.Unusable, want) || (p.Unusable == "") != (want == "") ||
			slices.Contains(p.Token.Scopes, withheld) || len(p.Token.Scopes) != 2 {
			t.Errorf("%s: unusable %q, scopes %v", withheld, p.Unusable, p.Token.Scopes)
		}
		if want != "" && !strings.Contains(p.Unusable, "Connect again") {
			t.Errorf("no advice in %q", p.Unusable)
		}
	}
}

// tokens responds to the calls that connect a profile. The response with the long-lived token has the given body.
func tokens(long string) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		body := `{"id":"17841405793187218","username":"a","threads_profile_picture_url":""}`
		switch {
		case strings.HasSuffix(r.URL.Path, "/debug_token"):
			body = `{"data":{"is_valid":true,"scopes":["threads_basic","threads_content_publish"]}}`
		case strings.HasSuffix(r.URL.Path, "/oauth/access_token"):
			body = `{"access_token":"THQ-short-lived-token","user_id":17841405793187218}`
		case strings.HasSuffix(r.URL.Path, "/access_token"), strings.HasSuffix(r.URL.Path, "/refresh_access_token"):
			body = long
		}
		_, _ = io.WriteString(rw, body)
	}
}

func TestAShortLifeIsRenewedNoEarlierThanADay(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	for _, c := range []struct {
		long  string
		after time.Duration
	}{
		{`{"access_token":"THQ-long-lived-token","expires_in":172800}`, 24 * time.Hour},
		{`{"access_token":"THQ-long-lived-token","expires_in":129600}`, 24 * time.Hour},
		{`{"access_token":"THQ-long-lived-token","expires_in":864000}`, 120 * time.Hour},
		{`{"access_token":"THQ-long-lived-token","expires_in":86400}`, 0},
		{`{"access_token":"THQ-long-lived-token"}`, 0},
	} {
		w.ReplaceServer(tokens(c.long))
		profiles, err := w.Net.ExchangeCode(t.Context(), network.AuthResponse{Code: "AQ#_", RedirectURI: "x"})
		if err != nil {
			t.Fatal(err)
		}
		p := profiles[0]
		at := p.Token.RefreshAt
		if (c.after == 0) != at.IsZero() || (c.after > 0 && at.Sub(w.Now()) != c.after) {
			t.Errorf("%s: renewed at %v, now is %v", c.long, at, w.Now())
		}
		if p.DisplayName != "a" {
			t.Errorf("without a name the username stands in: %+v", p)
		}
	}
	w.ReplaceServer(tokens(`{"expires_in":5}`))
	_, err := w.Net.ExchangeCode(t.Context(), network.AuthResponse{Code: "AQ", RedirectURI: "x"})
	w.CheckError(err, network.Unknown)
}

// A refresh that leaves out the date keeps the old one.
func TestARefreshKeepsWhatItDoesNotSay(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	old := w.Connect().Token
	w.Advance(48 * time.Hour)
	w.ReplaceServer(tokens(`{"access_token":"THQ-another-long-token"}`))
	fresh, err := w.Net.(network.Refresher).RefreshToken(t.Context(), old)
	if err != nil || fresh.Access != "THQ-another-long-token" || !fresh.ExpiresAt.Equal(old.ExpiresAt) ||
		len(fresh.Scopes) != len(old.Scopes) {
		t.Errorf("got %+v, %v", fresh, err)
	}
}

// 190 without a subcode: the stored date decides, then the network's word about the token.
func TestADeadTokenWithoutASubcode(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	token := w.Connect().Token
	w.AddFault(sim.Fault{Call: "profile", Kind: sim.Error, Code: 190, Status: 401, Times: new(2)})
	w.CheckError(w.Net.VerifyToken(t.Context(), token), network.Revoked, token.Access)
	past := token
	past.ExpiresAt = w.Now().Add(-time.Second)
	w.CheckError(w.Net.VerifyToken(t.Context(), past), network.Expired, token.Access)

	var asked []string
	w.ReplaceServer(func(rw http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]+" "+r.Header.Get("Authorization"))
		switch {
		case strings.HasSuffix(r.URL.Path, "/me"):
			rw.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(rw, `{"error":{"code":190,"message":"Invalid OAuth 2.0 Access Token"}}`)
		case strings.HasSuffix(r.URL.Path, "/oauth/access_token"):
			_, _ = io.WriteString(rw, `{"access_token":"TH|app|token","token_type":"bearer"}`)
		default:
			_, _ = io.WriteString(rw, `{"data":{"is_valid":false,"expires_at":1600000000}}`)
		}
	})
	w.CheckError(w.Net.VerifyToken(t.Context(), token), network.Expired, token.Access)
	if len(asked) != 3 || asked[1] != "access_token " || asked[2] != "debug_token Bearer TH|app|token" {
		t.Errorf("asked %q", asked)
	}
}

// A permission that is withdrawn later is missed when a call needs it.
func TestAMissingScopeAsksForReconnecting(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	it := w.NewItem("a")
	w.AddFault(sim.Fault{Call: "create", Kind: sim.Error, Code: 10, Status: 403})
	_, err := w.Net.CreateHandle(t.Context(), it)
	var e *network.Error
	if !errors.As(err, &e) || e.Kind != network.Revoked || !strings.Contains(e.Hint, "permission") {
		t.Errorf("got %v", err)
	}
}
