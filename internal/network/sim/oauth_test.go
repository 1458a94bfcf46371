package sim_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"maps"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"belfry/internal/network/sim"
)

const (
	wayBack  = "https://app.example.org/back"
	verifier = "a-verifier-of-at-least-43-characters-of-the-url-alphabet"
)

// login is an authorization server with a clock that the test moves.
type login struct {
	*testing.T
	kit   *sim.Kit
	oauth *sim.OAuth
	now   time.Time
}

func newLogin(t *testing.T, journal string, change func(*sim.OAuthConfig)) *login {
	t.Helper()
	l := &login{T: t, now: time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)}
	kit, err := sim.New(sim.Config{ClientID: "app", ClientSecret: "secret", JournalPath: journal, Now: func() time.Time { return l.now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = kit.Close() })
	cfg := sim.OAuthConfig{
		Network: "net", Title: "Net", ClientParam: "client_key", Scopes: []string{"basic", "post", "list"},
		Needed: []string{"basic"}, CodeLife: time.Minute, CodePrefix: "c.", UnknownApp: "unknown app", BadScope: "bad scope",
		Prefixes: map[string]string{sim.AccessToken: "act.", sim.RefreshToken: "rft."},
		Denied:   [][2]string{{"error", "access_denied"}}, Form: []string{"who"},
		Granted:  func(c sim.Consented) [][2]string { return [][2]string{{"scopes", strings.Join(c.Scopes, ",")}} },
		Accounts: func() sim.Group { return sim.Group{Title: "Who?"} },
		Choose: func(form url.Values) (sim.Consented, error) {
			if form.Get("who") == "" {
				return sim.Consented{}, errors.New("nobody was chosen")
			}
			return sim.Consented{Subject: form.Get("who")}, nil
		},
	}
	if change != nil {
		change(&cfg)
	}
	l.kit, l.oauth = kit, sim.NewOAuth(kit, cfg)
	return l
}

// visit opens the consent page or submits a decision. It returns the status, the page and the redirect.
func (l *login) visit(method string, change url.Values) (status int, body string, back url.Values) {
	l.Helper()
	form := url.Values{
		"client_key": {"app"}, "redirect_uri": {wayBack}, "scope": {"basic,post list"}, "response_type": {"code"},
		"state": {"st"},
	}
	maps.Copy(form, change)
	r := httptest.NewRequestWithContext(l.Context(), method, "https://net.example/login?"+form.Encode(), nil)
	w := httptest.NewRecorder()
	l.oauth.ServeConsent(w, r)
	to, err := url.Parse(w.Header().Get("Location"))
	if err != nil {
		l.Fatal(err)
	}
	return w.Code, w.Body.String(), to.Query()
}

// code returns the code of a person who granted everything except the withheld scopes.
func (l *login) code(change url.Values) string {
	l.Helper()
	form := url.Values{"decision": {"allow"}, "who": {"maren"}, "grant": {"post", "list"}}
	maps.Copy(form, change)
	status, body, back := l.visit("POST", form)
	if status != 302 || back.Get("state") != "st" {
		l.Fatalf("consent: %d %s", status, body)
	}
	return back.Get("code")
}

func TestConsentPageRefusesWhatNoAppMayAsk(t *testing.T) {
	t.Parallel()
	l := newLogin(t, "", func(c *sim.OAuthConfig) { c.PKCE, c.NeedPKCE = sim.PKCEHex, true })
	sum := sha256.Sum256([]byte(verifier))
	good := url.Values{"code_challenge": {hex.EncodeToString(sum[:])}, "code_challenge_method": {"S256"}}
	if status, body, _ := l.visit("GET", good); status != 200 || !strings.Contains(body, `name="code_challenge"`) {
		t.Errorf("the page answered %d:\n%s", status, body)
	}
	for words, change := range map[string]url.Values{
		"unknown app":                             {"client_key": {"other"}},
		"response_type":                           {"response_type": {"token"}},
		"state is missing":                        {"state": {""}},
		"scope is missing":                        {"scope": {""}},
		"bad scope: write":                        {"scope": {"basic,write"}},
		"scope must include basic":                {"scope": {"post"}},
		"redirect_uri is missing":                 {"redirect_uri": {""}},
		"does not accept the parameter client_id": {"client_id": {"app"}},
		"state was given more than":               {"state": {"a", "b"}},
		"code_challenge is missing":               {"code_challenge": {""}},
		"encoded as hex":                          {"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}},
		"code_challenge_method must be S256":      {"code_challenge_method": {"plain"}},
		"must use https; http is all":             {"redirect_uri": {"http://example.org/"}},
	} {
		form := url.Values{"code_challenge": good["code_challenge"], "code_challenge_method": {"S256"}}
		maps.Copy(form, change)
		if status, body, _ := l.visit("GET", form); status != 400 || !strings.Contains(body, words) {
			t.Errorf("want %q, answered %d:\n%s", words, status, body)
		}
	}
}

func TestConsentTellsWhatWasDeclined(t *testing.T) {
	t.Parallel()
	l := newLogin(t, "", nil)
	if status, _, back := l.visit("POST", url.Values{"decision": {"deny"}}); status != 302 ||
		back.Get("error") != "access_denied" || back.Get("state") != "st" {
		t.Errorf("a refusal: %d %v", status, back)
	}
	if status, body, _ := l.visit("POST", url.Values{"decision": {"allow"}}); status != 400 || !strings.Contains(body, "nobody") {
		t.Errorf("no choice: %d", status)
	}
	_, _, back := l.visit("POST", url.Values{"decision": {"allow"}, "who": {"maren"}, "grant": {"list"}})
	if back.Get("scopes") != "basic,list" {
		t.Errorf("the way back says %v", back)
	}
	c, why, err := l.oauth.RedeemCode(back.Get("code"), wayBack, "")
	if err != nil || why != "" || c.Subject != "maren" || !slices.Equal(c.Declined, []string{"post"}) {
		t.Errorf("consented %+v, %s, %v", c, why, err)
	}
	withholding := newLogin(t, "", func(c *sim.OAuthConfig) { c.Withhold = true })
	c, _, _ = withholding.oauth.RedeemCode(withholding.code(url.Values{"withhold": {"basic", "post"}, "grant": nil}), wayBack, "")
	if !slices.Equal(c.Scopes, []string{"basic", "list"}) {
		t.Errorf("granted %v: what is needed cannot be withheld", c.Scopes)
	}
}

// Somebody who reconnects an account must find it: the app cannot tell the network which one it means.
func TestTheConsentPageBeginsWithTheAccountsThatWereLostLast(t *testing.T) {
	t.Parallel()
	l := newLogin(t, "", func(c *sim.OAuthConfig) {
		c.Accounts = func() sim.Group {
			group := sim.Group{Apart: []sim.Choice{{Type: "radio", Name: "who", Value: "nobody"}}}
			for _, who := range []string{"ana", "ben", "kit", "maren", "papercut"} {
				group.Choices = append(group.Choices, sim.Choice{Type: "radio", Name: "who", Value: who, Label: who})
			}
			return group
		}
	})
	offered := func(want string) {
		t.Helper()
		_, body, _ := l.visit("GET", nil)
		got := regexp.MustCompile(`name="who" value="([^"]+)"( checked)?`).FindAllStringSubmatch(body, -1)
		var all string
		for _, m := range got {
			all += m[1] + m[2] + ", "
		}
		if all != want {
			t.Errorf("offered %q, want %q", all, want)
		}
	}
	offered("ana checked, ben, kit, maren, papercut, nobody, ")
	for _, who := range []string{"maren", "papercut", "kit", "nobody"} {
		_, err := l.oauth.IssueToken(sim.Token{
			Consented: sim.Consented{Subject: who}, Kind: sim.AccessToken, Grant: l.code(url.Values{"who": {who}}),
		}, 0)
		if err != nil {
			t.Fatal(err)
		}
	}
	offered("kit checked, papercut, maren, ana, ben, nobody, ")
	if err := l.oauth.EndPersonAccess("papercut"); err != nil {
		t.Fatal(err)
	}
	offered("papercut checked, kit, maren, ana, ben, nobody, ")
}

func TestACodeIsGoodOnceForItsOwnAppAndVerifier(t *testing.T) {
	t.Parallel()
	sum := sha256.Sum256([]byte(verifier))
	for form, challenge := range map[sim.PKCE]string{
		sim.PKCEHex: hex.EncodeToString(sum[:]), sim.PKCEBase64: base64.RawURLEncoding.EncodeToString(sum[:]),
	} {
		l := newLogin(t, "", func(c *sim.OAuthConfig) { c.PKCE = form })
		asked := url.Values{"code_challenge": {challenge}, "code_challenge_method": {"S256"}}
		code := l.code(asked)
		redeem := func(code, back, verifier string, want sim.Refusal) {
			t.Helper()
			if _, why, err := l.oauth.RedeemCode(code, back, verifier); err != nil || why != want {
				t.Errorf("%s: want %q, got %q, %v", form, want, why, err)
			}
		}
		redeem("c.madeup", wayBack, verifier, sim.Unknown)
		redeem(code, wayBack+"/", verifier, sim.WrongRedirect)
		redeem(code, wayBack, "", sim.WrongVerifier)
		redeem(code, wayBack, verifier+"x", sim.WrongVerifier)
		redeem(code, wayBack, verifier, "")
		redeem(code, wayBack, verifier, sim.Used)
		redeem(l.code(nil), wayBack, verifier, sim.WrongVerifier)
		late := l.code(asked)
		l.now = l.now.Add(time.Minute)
		redeem(late, wayBack, verifier, sim.Expired)
	}
	l := newLogin(t, "", nil)
	if l.oauth.CheckClient("other", "secret") != sim.WrongClient || l.oauth.CheckClient("app", "x") != sim.WrongSecret ||
		l.oauth.CheckClient("app", "secret") != "" {
		t.Error("the client is not checked")
	}
}

func TestRefreshTokensRotateWhereTheNetworkRotates(t *testing.T) {
	t.Parallel()
	journal := filepath.Join(t.TempDir(), "j.jsonl")
	l := newLogin(t, journal, nil)
	access, refresh, err := l.oauth.IssuePair(sim.Consented{Subject: "maren", Scopes: []string{"basic"}}, "c.1", time.Hour, 48*time.Hour)
	if err != nil || !strings.HasPrefix(access.Text, "act.") || !strings.HasPrefix(refresh.Text, "rft.") {
		t.Fatalf("pair %+v %+v, %v", access, refresh, err)
	}
	renew := func(text string, rotate bool, want sim.Refusal) sim.Token {
		t.Helper()
		a, r, why, err := l.oauth.RenewTokens(text, rotate, time.Hour, 48*time.Hour)
		if err != nil || why != want {
			t.Fatalf("want %q, got %q, %v", want, why, err)
		}
		if _, why := l.oauth.FindToken(a.Text); want == "" && (why != "" || !a.HasScopes("basic") || a.Subject != "maren") {
			t.Errorf("the renewed token %+v does not work: %s", a, why)
		}
		return r
	}
	if same := renew(refresh.Text, false, ""); same.Text != refresh.Text {
		t.Error("a network that does not rotate replaced the refresh token")
	}
	l.now = l.now.Add(47 * time.Hour)
	next := renew(refresh.Text, true, "")
	renew(refresh.Text, true, sim.Used)
	renew(access.Text, true, sim.Unknown)
	renew("rft.madeup", true, sim.Unknown)
	if _, why := l.oauth.FindToken(access.Text); why != sim.Expired {
		t.Errorf("an access token of yesterday: %q", why)
	}
	l.now = l.now.Add(47 * time.Hour)
	next = renew(next.Text, true, "") // the rotated token has its whole life again
	_ = l.kit.Close()

	again := newLogin(t, journal, nil)
	again.now = l.now
	if err := again.oauth.EndTokens(sim.Revoked, 0, func(t sim.Token) bool { return t.Grant == "c.1" }); err != nil {
		t.Fatal(err)
	}
	if _, why := again.oauth.FindToken(next.Text); why != sim.Revoked {
		t.Errorf("after a revocation: %q", why)
	}
	if _, why := again.oauth.FindToken(refresh.Text); why != sim.Used {
		t.Errorf("a rotated token after a restart: %q", why)
	}
}

func TestOneOfManyRefreshesAtOnceWins(t *testing.T) {
	t.Parallel()
	l := newLogin(t, "", nil)
	_, refresh, err := l.oauth.IssuePair(sim.Consented{Subject: "maren"}, "c.1", time.Hour, 0)
	if err != nil {
		t.Fatal(err)
	}
	var wins sync.Map
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, r, why, _ := l.oauth.RenewTokens(refresh.Text, true, time.Hour, 0); why == "" {
				wins.Store(r.Text, true)
			}
		})
	}
	all.Wait()
	n := 0
	wins.Range(func(any, any) bool { n++; return true })
	if n != 1 {
		t.Errorf("%d callers got a new refresh token, want 1", n)
	}
}
