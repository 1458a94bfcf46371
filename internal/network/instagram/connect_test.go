package instagram_test

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"belfry/internal/network"
	"belfry/internal/network/instagram"
	nt "belfry/internal/network/networktest"
)

func TestATokenIsRenewedAtHalfItsLife(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
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
func TestAnAccountWithoutThePermissionToPublishIsNotUsable(t *testing.T) {
	t.Parallel()
	for withheld, usable := range map[string]bool{
		"instagram_business_content_publish": false, "instagram_business_manage_insights": true,
	} {
		h := harness()
		h.Consent = url.Values{"username": {"nightowl.cycles"}, "withhold": {withheld}}
		w := nt.NewWorld(t, h)
		profiles, err := w.Net.ExchangeCode(t.Context(), w.GrantConsent())
		if err != nil || len(profiles) != 1 {
			t.Fatalf("%s: got %+v, %v", withheld, profiles, err)
		}
		p := profiles[0]
		if strings.Contains(p.Unusable, withheld) == usable || slices.Contains(p.Token.Scopes, withheld) {
			t.Errorf("%s: unusable %q, scopes %v", withheld, p.Unusable, p.Token.Scopes)
		}
	}
}

func TestAPersonalAccountIsNotUsable(t *testing.T) {
	t.Parallel()
	h := harness()
	h.Consent = url.Values{"username": {"maren.writes"}}
	w := nt.NewWorld(t, h)
	profiles, err := w.Net.ExchangeCode(t.Context(), w.GrantConsent())
	if err != nil || len(profiles) != 1 || !strings.Contains(profiles[0].Unusable, "Business or Creator") {
		t.Errorf("got %+v, %v", profiles, err)
	}
}

// Both forms of every answer have been seen, and the types of accounts in two spellings.
func TestAnswersInOtherFormsConnectToo(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	const scopes = `"instagram_business_basic","instagram_business_content_publish"`
	for _, exchange := range []string{
		`{"access_token":"IGAA-short-token","permissions":[` + scopes + `]}`,
		`{"data":[{"access_token":"IGAA-short-token","permissions":[` + scopes + `]}]}`,
		`{"data":[{"access_token":"IGAA-short-token","permissions":` + strings.ReplaceAll(scopes, `","`, `, `) + `}]}`,
	} {
		for kind, usable := range map[string]bool{"Business": true, "Media_Creator": true, "Personal": false, "": false} {
			w.ReplaceServer(func(rw http.ResponseWriter, r *http.Request) {
				body := `{"user_id":17841400000000001,"username":"ann","account_type":"` + kind + `"}`
				switch {
				case r.Method == http.MethodPost:
					body = exchange
				case strings.HasSuffix(r.URL.Path, "/access_token"):
					body = `{"access_token":"IGAA-long-token","token_type":"bearer","expires_in":5184000}`
				}
				_, _ = io.WriteString(rw, body)
			})
			profiles, err := w.Net.ExchangeCode(t.Context(), network.AuthResponse{Code: "AQ#_"})
			if err != nil || len(profiles) != 1 || (profiles[0].Unusable == "") != usable ||
				profiles[0].ExternalID != "17841400000000001" || profiles[0].DisplayName != "ann" {
				t.Errorf("%s %q: got %+v, %v", exchange, kind, profiles, err)
			}
		}
	}
}

func TestVariablesThatCannotBeUsedAreNamed(t *testing.T) {
	t.Parallel()
	good := map[string]string{"INSTAGRAM_GRAPH_VERSION": "v25.0", "INSTAGRAM_SETTLE": "2m", "INSTAGRAM_LOGIN": "instagram"}
	for name, value := range map[string]string{
		"INSTAGRAM_GRAPH_VERSION": "25", "INSTAGRAM_SETTLE": "soon", "INSTAGRAM_LOGIN": "email",
	} {
		_, err := instagram.New(network.Environment{Get: func(n string) string {
			if n == name {
				return value
			}
			return good[n]
		}})
		if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), value) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
