package instagram_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/instagram"
	nt "belfry/internal/network/networktest"
	"belfry/internal/network/sim"
)

func TestThePickerShowsWhatCannotBeUsed(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, withFacebook([]string{bakery, cycles, choir}, granted))
	profiles, err := w.Net.ExchangeCode(t.Context(), w.GrantConsent())
	if err != nil || len(profiles) != 3 {
		t.Fatalf("got %+v, %v", profiles, err)
	}
	for i, want := range []struct{ username, name, why string }{
		{"harbour.bakery", "Harbour Bakery", ""},
		{"", "Night Owl Cycles", "is linked to this Page"},
		{"old.mill.choir", "Old Mill Choir", "create content"},
	} {
		p := profiles[i]
		if p.Username != want.username || p.DisplayName != want.name || (p.Unusable == "") != (want.why == "") ||
			!strings.Contains(p.Unusable, want.why) {
			t.Errorf("want %+v, got %+v", want, p)
		}
	}
	if profiles[0].ExternalID != "17841405309217644" || profiles[0].Token.Access == profiles[2].Token.Access {
		t.Errorf("got %+v", profiles)
	}
}

func TestAMissingPermissionMakesEveryAccountUnusable(t *testing.T) {
	t.Parallel()
	without := func(scope string) []string {
		return slices.DeleteFunc(slices.Clone(granted), func(s string) bool { return s == scope })
	}
	for _, scope := range []string{"instagram_content_publish", "pages_read_engagement"} {
		w := nt.NewWorld(t, withFacebook([]string{bakery}, without(scope)))
		profiles, err := w.Net.ExchangeCode(t.Context(), w.GrantConsent())
		if err != nil || len(profiles) != 1 || !strings.Contains(profiles[0].Unusable, scope) {
			t.Errorf("%s: got %+v, %v", scope, profiles, err)
		}
	}
	for _, scopes := range [][]string{without("pages_show_list"), granted} {
		w := nt.NewWorld(t, withFacebook(nil, scopes))
		_, err := w.Net.ExchangeCode(t.Context(), w.GrantConsent())
		if e := w.RequireError(err, network.Rejected); e.Message == "" || e.Hint == "" {
			t.Errorf("got %+v", e)
		}
	}
}

// A Page's token has no date, but Instagram's data is only open to it for 90 days after the consent.
func TestATokenOfAPageEndsAfter90Days(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, withFacebook([]string{bakery}, granted))
	token := w.Connect().Token
	if ends := token.ExpiresAt.Sub(w.Now()); ends != 90*24*time.Hour || !token.RefreshAt.IsZero() {
		t.Errorf("ends after %v, renewed %v", ends, token.RefreshAt)
	}
	same, err := w.Net.(network.Refresher).RefreshToken(t.Context(), token)
	if err != nil || same.Access != token.Access || !same.ExpiresAt.Equal(token.ExpiresAt) {
		t.Errorf("got %+v, %v", same, err)
	}
}

// Tokens of Pages have been refused reads that the person's own was granted; writes are not tried twice.
func TestReadsThatAPageIsRefusedAreMadeAsThePerson(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, withFacebook([]string{bakery}, granted))
	it := w.NewItem("Twice asked")
	handle := w.NewHandle(it)
	for _, code := range [][2]int{{10, 0}, {100, 33}} {
		refuse := func(call string) {
			w.AddFault(sim.Fault{Call: call, Kind: sim.Error, Code: code[0], Subcode: code[1], Message: "Hidden"})
		}
		refuse("status")
		if st, err := w.Net.AdvanceStatus(t.Context(), it, handle); err != nil || st.Verdict != core.Ready {
			t.Errorf("%v: %+v, %v", code, st, err)
		}
		refuse("list")
		if st, err := w.Net.FindPost(t.Context(), it); err != nil || st.Verdict != core.Absent {
			t.Errorf("%v: %+v, %v", code, st, err)
		}
		refuse("publish")
		if _, err := w.Net.Publish(t.Context(), it, handle); err == nil || len(w.VisiblePosts()) != 0 {
			t.Errorf("%v: published as the person: %v", code, err)
		}
	}
	refusedTwice := sim.Fault{Call: "status", Kind: sim.Error, Code: 10, Message: "Hidden", Times: new(2)}
	w.AddFault(refusedTwice)
	_, err := w.Net.AdvanceStatus(t.Context(), it, handle)
	w.CheckError(err, network.Revoked, it.Token.Access, it.Token.Extra["person"])
}

func TestAccountsOfTheOtherLoginStillPublish(t *testing.T) {
	t.Parallel()
	for login, h := range map[string]nt.Harness{
		"facebook": harness(), "instagram": withFacebook([]string{bakery}, granted),
	} {
		w := nt.NewWorld(t, h)
		it := w.NewItem("Connected before")
		other, err := instagram.New(network.Environment{Client: w.Client, Now: w.Now, Get: func(name string) string {
			return map[string]string{
				"INSTAGRAM_CLIENT_ID": "99", "INSTAGRAM_CLIENT_SECRET": "of-the-other-app", "INSTAGRAM_LOGIN": login,
				"INSTAGRAM_GRAPH_VERSION": "v25.0", "INSTAGRAM_SETTLE": "2m",
			}[name]
		}})
		if err != nil {
			t.Fatal(err)
		}
		w.Net = other
		it.ArmedAt = w.Now()
		if st, err := other.Publish(t.Context(), it, w.NewHandle(it)); err != nil || st.Verdict != core.Done {
			t.Errorf("with %s: %+v, %v", login, st, err)
		}
		if err := other.VerifyToken(t.Context(), it.Token); err != nil {
			t.Errorf("with %s: %v", login, err)
		}
	}
}

// An account goes on publishing by its own login after a change to the other, so the account decides who brings bytes.
func TestBytesAreSentOnlyForAccountsOfFacebookLogin(t *testing.T) {
	t.Parallel()
	own, pages := nt.NewWorld(t, harness()), nt.NewWorld(t, withFacebook([]string{bakery}, granted))
	if a, b := own.Connect().Login, pages.Connect().Login; a != "instagram" || b != "facebook" {
		t.Errorf("the logins are %q and %q", a, b)
	}
	one := []core.Media{video}
	for _, c := range []struct {
		name     string
		net      network.Network
		login    string
		settings string
		media    []core.Media
		want     network.Transfer
	}{
		{"a Reel", own.Net, "facebook", `{}`, one, network.Either},
		{"a Reel, own login", pages.Net, "instagram", `{}`, one, network.Pulled},
		{"a Reel, as connected now", pages.Net, "", `{}`, one, network.Either},
		{"a Reel, as connected now by the own login", own.Net, "", `{}`, one, network.Pulled},
		{"a Story", pages.Net, "facebook", `{"contentType":"stories"}`, one, network.Either},
		{"no file", own.Net, "instagram", `{}`, nil, ""},
		{"a photo", pages.Net, "facebook", `{}`, []core.Media{photo}, network.Pulled},
		{"a carousel", pages.Net, "facebook", `{}`, []core.Media{video, video}, network.Pulled},
	} {
		d := network.Draft{Media: c.media, Settings: json.RawMessage(c.settings), Account: core.Account{Login: c.login}}
		if got := c.net.DeliveryFor(d).Files; got != c.want {
			t.Errorf("%s: %s; want %s", c.name, got, c.want)
		}
	}
}

// A plan may take an account for one of the other login. The post then fails before anything is sent.
func TestAFileWithoutAnAddressIsRefusedWhereBytesAreNotTaken(t *testing.T) {
	t.Parallel()
	own, pages := nt.NewWorld(t, harness()), nt.NewWorld(t, withFacebook([]string{bakery}, granted))
	for name, c := range map[string]struct {
		w     *nt.World
		media core.Media
	}{"a video": {own, video}, "a photo": {pages, photo}} {
		it := newItem(c.w, `{}`, "A", c.media)
		it.Files[0].URL = ""
		_, err := c.w.Net.CreateHandle(t.Context(), it)
		if e := c.w.RequireError(err, network.Rejected, it.Token.Access); e.Code != "media_unreachable" || e.Hint == "" {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

func TestAnUploadAddressElsewhereGetsNoBytes(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, withFacebook([]string{bakery}, granted))
	it := newItem(w, `{}`, "A", video)
	it.Files[0].URL = ""
	for _, uri := range []string{
		"", "https://evil.example/ig-api-upload/v25.0/17", "http://rupload.facebook.com/ig-api-upload/v25.0/17",
		"https://rupload.facebook.com.evil.example/17", "https://rupload.facebook.com/ig-api-upload/v25.0/18",
	} {
		w.ReplaceServer(func(rw http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintf(rw, `{"id":"17","uri":%q}`, uri) })
		_, err := w.Net.CreateHandle(t.Context(), it)
		w.CheckError(err, network.Unknown, it.Token.Access)
	}
}
