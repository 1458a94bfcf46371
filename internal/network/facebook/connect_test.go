package facebook_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"belfry/internal/network"
	"belfry/internal/network/networktest"
)

// consenting returns a harness whose person selects these Pages and permissions.
func consenting(pages, scopes []string) networktest.Harness {
	h := harness()
	h.Consent = url.Values{"page": pages, "grant": scopes}
	return h
}

func without(scope string) []string {
	return slices.DeleteFunc(slices.Clone(granted), func(s string) bool { return s == scope })
}

const (
	bakery = "104758391620475"
	choir  = "126650918347205" // whose figures may be seen, and no more
)

func TestThePickerShowsWhatCannotBeUsed(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, consenting([]string{bakery, choir}, granted))
	profiles, err := w.Net.ExchangeCode(t.Context(), w.GrantConsent())
	if err != nil || len(profiles) != 2 {
		t.Fatalf("got %+v, %v", profiles, err)
	}
	if p := profiles[0]; p.ExternalID != bakery || p.Unusable != "" || p.DisplayName != "Harbour Bakery" ||
		p.Username != "harbourbakery" {
		t.Errorf("the first: %+v", p)
	}
	if p := profiles[1]; p.ExternalID != choir || !strings.Contains(p.Unusable, "create content") {
		t.Errorf("the second: %+v", p)
	}
	if profiles[0].Token.Access == profiles[1].Token.Access {
		t.Error("two Pages share a token")
	}
}

func TestAMissingPermissionMakesEveryPageUnusable(t *testing.T) {
	t.Parallel()
	for _, scope := range []string{"pages_manage_posts", "pages_read_engagement"} {
		w := networktest.NewWorld(t, consenting([]string{bakery}, without(scope)))
		profiles, err := w.Net.ExchangeCode(t.Context(), w.GrantConsent())
		if err != nil || len(profiles) != 1 || !strings.Contains(profiles[0].Unusable, scope) {
			t.Errorf("%s: got %+v, %v", scope, profiles, err)
		}
	}
	w := networktest.NewWorld(t, consenting([]string{bakery}, without("pages_show_list")))
	_, err := w.Net.ExchangeCode(t.Context(), w.GrantConsent())
	if e := w.RequireError(err, network.Rejected); !strings.Contains(e.Message, "list Pages") || e.Hint == "" {
		t.Errorf("got %+v", e)
	}
}

func TestPermissionsThatPublishingDoesNotNeedMayBeDeclined(t *testing.T) {
	t.Parallel()
	for _, scope := range []string{"read_insights", "business_management", "pages_read_user_content"} {
		w := networktest.NewWorld(t, consenting([]string{bakery}, without(scope)))
		it := w.NewItem("Still works without " + scope)
		sent, err := w.Net.Publish(t.Context(), it, "")
		if err != nil {
			t.Fatal(err)
		}
		if st, err := w.Net.FindPost(t.Context(), it); err != nil || st != sent {
			t.Errorf("%s: got %+v, %v", scope, st, err)
		}
	}
}

func TestNoPageIsAnErrorInWords(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, consenting(nil, granted))
	_, err := w.Net.ExchangeCode(t.Context(), w.GrantConsent())
	if e := w.RequireError(err, network.Rejected); e.Message == "" || e.Hint == "" {
		t.Errorf("got %+v", e)
	}
}

// More Pages than one answer lists: the rest is fetched, and no token travels in an address.
func TestAllPagesOfPagesAreListed(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	w.ReplaceServer(func(rw http.ResponseWriter, r *http.Request) {
		page := func(id string) string {
			return fmt.Sprintf(`{"id":%q,"name":"Page %s","access_token":"EAA-page-token-%s","tasks":["MANAGE"],"picture":{"data":{"url":"https://x.example/%s"}}}`, id, id, id, id)
		}
		body := `{"access_token":"EAA-a-token-of-the-person","token_type":"bearer"}`
		switch {
		case strings.HasSuffix(r.URL.Path, "/me/permissions"):
			var list []string
			for _, scope := range granted {
				list = append(list, fmt.Sprintf(`{"permission":%q,"status":"granted"}`, scope))
			}
			body = `{"data":[` + strings.Join(list, ",") + `]}`
		case strings.HasSuffix(r.URL.Path, "/me/accounts") && r.URL.Query().Get("after") == "":
			body = `{"data":[` + page("1") + `,` + page("2") +
				`],"paging":{"cursors":{"after":"Q"},"next":"https://graph.facebook.com/v25.0/me/accounts?access_token=EAA-x&after=Q"}}`
		case strings.HasSuffix(r.URL.Path, "/me/accounts"):
			body = `{"data":[` + page("3") + `],"paging":{"cursors":{"after":"R"}}}`
		}
		_, _ = io.WriteString(rw, body)
	})
	profiles, err := w.Net.ExchangeCode(t.Context(), network.AuthResponse{Code: "AQ#_=_", RedirectURI: "x"})
	if err != nil || len(profiles) != 3 || profiles[2].ExternalID != "3" ||
		profiles[2].Token.Access != "EAA-page-token-3" {
		t.Errorf("got %+v, %v", profiles, err)
	}
}

func TestTheVersionIsASetting(t *testing.T) {
	t.Parallel()
	h := harness()
	for i, v := range h.Driver.Variables {
		if v.Name == "FACEBOOK_GRAPH_VERSION" {
			h.Driver.Variables[i].Default = "v26.0"
		}
	}
	w := networktest.NewWorld(t, h)
	if address := w.Net.AuthorizeURL(network.AuthRequest{}); !strings.Contains(address,
		"/www.facebook.com/v26.0/dialog/oauth?") {
		t.Errorf("got %s", address)
	}
	if it := w.NewItem("On the newest version"); it.Profile != ticked && it.Profile != bakery {
		t.Errorf("got %+v", it)
	}
}
