package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/core"
)

// begin starts to connect and gives the consent page's address.
func (b *browser) begin(platform string) string {
	b.r.t.Helper()
	page := b.get("/accounts/connect/"+platform).is(b.r.t, http.StatusSeeOther)
	to := page.Header.Get("Location")
	if !strings.HasPrefix(to, b.r.NetworksURL) {
		b.r.t.Fatalf("connecting leads to %q", to)
	}
	return to
}

func callback(platform string, query url.Values) string {
	return "/accounts/callback/" + platform + "?" + query.Encode()
}

func TestConnectingAnAccount(t *testing.T) {
	t.Parallel()
	r := open(t)
	b := r.as(r.Workspace("one"))
	page := b.get("/accounts").is(t, http.StatusOK)
	page.one(t, testid("connect-threads"))
	page.one(t, testid("connect-facebook"))
	back := callback("threads", r.Consent(b.begin("threads"), "bell.ringer"))
	b.get(back).leads(t, "/accounts")
	page = b.get("/accounts")
	page.one(t, testid("account")+`[data-status="ok"]`)
	page.says(t, "@bell.ringer")
	if !strings.Contains(textOf(page.one(t, testid("flash"))), " connected.") {
		t.Error("nobody says that it is connected")
	}
	if len(b.get("/accounts").all(testid("flash"))) != 0 {
		t.Error("it is said twice")
	}

	b.get(back).leads(t, "/accounts")
	page = b.get("/accounts")
	page.says(t, "This connection attempt has expired")
	if n := len(page.all(testid("account"))); n != 1 {
		t.Errorf("a replayed way back left %d accounts", n)
	}
}

func TestAWayBackBelongsToItsBrowserPersonAndNetwork(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws, other := r.Workspace("one"), r.Workspace("two")
	b := r.as(ws)
	for name, thief := range map[string]*browser{"another browser of the same person": r.as(ws), "another workspace": r.as(other)} {
		back := callback("threads", r.Consent(b.begin("threads"), "bell.ringer"))
		thief.get(back).leads(t, "/accounts")
		page := thief.get("/accounts")
		if page.says(t, "started in another browser"); len(page.all(testid("account"))) != 0 {
			t.Errorf("%s: an account is there", name)
		}
	}
	b.get(callback("facebook", r.Consent(b.begin("threads"), "bell.ringer"))).leads(t, "/accounts")
	r.browser().get(callback("threads", r.Consent(b.begin("threads"), "bell.ringer"))).leads(t, "/sign-in")
	late := callback("threads", r.Consent(b.begin("threads"), "bell.ringer"))
	r.Clock.Advance(10*time.Minute + time.Second)
	b.get(late).leads(t, "/accounts")
	if n := len(b.get("/accounts").all(testid("account"))); n != 0 {
		t.Errorf("%d accounts came of it", n)
	}
}

// The answer used to stand at the network's way back, where loading it again was another error.
func TestConsentThatIsNotGivenIsExplained(t *testing.T) {
	t.Parallel()
	r := open(t)
	b := r.as(r.Workspace("one"))
	explained := func(words ...string) {
		t.Helper()
		page := b.get("/accounts").is(t, http.StatusOK)
		page.one(t, testid("flash")+`[data-tone="danger"]`)
		page.says(t, words...)
	}
	b.get(callback("threads", r.Deny(b.begin("threads")))).leads(t, "/accounts")
	explained("Access to Threads was not granted.", "Start again")
	b.get("/accounts/callback/threads").leads(t, "/accounts")
	explained("Start again")
	for _, path := range []string{"/accounts/connect/nowhere", "/accounts/callback/nowhere?code=1&state=2"} {
		b.get(path).is(t, http.StatusNotFound)
	}
}

func TestActionsOfAccountsWithTheSameNameHaveDifferentNames(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	ws.Account("threads", "harbour.bakery")
	ws.Account("facebook")
	_, err := r.Pool.Exec(t.Context(), `UPDATE accounts SET display_name = 'Harbour Bakery'`)
	must(t, err)
	names := map[string]bool{}
	for _, n := range r.as(ws).get("/accounts").all(".account-acts a") {
		name := attribute(n, "aria-label")
		if names[name] {
			t.Errorf("two actions are called %q", name)
		}
		names[name] = true
	}
	if len(names) != 4 || !names["Reconnect Harbour Bakery on Threads"] {
		t.Errorf("the actions are called %v", names)
	}
}

func TestAnAccountSaysThatItsFilesCannotBeDownloaded(t *testing.T) {
	t.Parallel()
	said := func(mediaURL string, change func(*app.Config)) *page {
		r := open(t, change, func(c *app.Config) { c.MediaURL = mediaURL })
		ws := r.Workspace("one")
		ws.Account("threads")
		ws.Account("youtube")
		return r.as(ws).get("/accounts").is(t, http.StatusOK)
	}
	without := func(c *app.Config) { c.NetworksURL = "" }
	local := said("http://localhost:8080", without)
	if text := textOf(local.one(t, testid("unreachable"))); !strings.Contains(text, "Photos and videos cannot be published: "+
		"Threads would download them") || !strings.Contains(text, "BELFRY_MEDIA_URL") {
		t.Errorf("it says %q", text)
	}
	for _, reached := range []*page{
		said("https://files.example.org", without), said("http://localhost:8080", func(*app.Config) {}),
	} {
		if len(reached.all(testid("unreachable"))) != 0 {
			t.Error("a server whose files can be downloaded is said to be unreachable")
		}
	}
}

func TestChoosingAmongPages(t *testing.T) {
	t.Parallel()
	r := open(t)
	b := r.as(r.Workspace("one"))
	b.get(callback("facebook", r.ConsentAll(b.begin("facebook")))).leads(t, "/accounts/choose")
	page := b.get("/accounts/choose").is(t, http.StatusOK)
	if n := len(page.all(testid("profile"))); n < 2 {
		t.Fatalf("%d Pages to choose from", n)
	}
	form := page.form(t, testid("choose"))
	pending := form.Get("pending")

	page = b.post("/accounts/choose", "pending", pending).is(t, http.StatusBadRequest)
	page.says(t, "Nothing was selected.")
	if len(page.all(testid("profile")+" input[checked]")) != 0 {
		t.Error("the redrawn choice has others chosen than were")
	}
	b.post("/accounts/choose", "pending", pending, "profile", "1").is(t, http.StatusBadRequest)
	r.as(r.Workspace("two")).post("/accounts/choose", "pending", pending, "profile", form.Get("profile")).is(t,
		http.StatusConflict)

	b.post("/accounts/choose", "pending", pending, "profile", form.Get("profile")).leads(t, "/accounts")
	if n := len(b.get("/accounts").all(testid("account"))); n != 1 {
		t.Errorf("one was chosen, %d are connected", n)
	}
	b.post("/accounts/choose", "pending", pending, "profile", form.Get("profile")).is(t, http.StatusConflict)
	b.get("/accounts/choose").leads(t, "/accounts")
}

func TestReconnectingKeepsTheAccount(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	account := ws.Account("threads", "bell.ringer")
	b := r.as(ws)
	ask := func() string {
		return b.get("/accounts/"+account.ID+"/reconnect").is(t, http.StatusSeeOther).Header.Get("Location")
	}
	b.get(callback("threads", r.Consent(ask(), "somebody.else"))).leads(t, "/accounts")
	b.get("/accounts").says(t, "a different profile")
	b.get(callback("threads", r.Consent(ask(), "bell.ringer"))).leads(t, "/accounts")
	page := b.get("/accounts")
	if got := attribute(page.one(t, testid("account")), "data-account"); got != account.ID {
		t.Errorf("the account is %s after it was %s", got, account.ID)
	}
}

func TestDisconnectingAsksFirst(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	account := ws.Account("threads")
	ws.Queued("hello", account, r.Clock.Now().Add(time.Hour))
	b := r.as(ws)
	path := "/accounts/" + account.ID + "/disconnect"
	whole := b.get(path).is(t, http.StatusOK)
	whole.says(t, "1 queued post becomes a draft", "Belfry deletes its access")
	part := b.part(http.MethodGet, path).is(t, http.StatusOK)
	if len(part.all("nav")) != 0 || len(whole.all("nav")) == 0 {
		t.Error("the part is a page, or the page a part")
	}
	part.one(t, `form[action="`+path+`"] `+testid("confirm"))
	b.get("/accounts").one(t, testid("account"))
	b.post(path).leads(t, "/accounts")
	page := b.get("/accounts")
	if len(page.all(testid("account"))) != 0 {
		t.Error("it is still there")
	}
	b.post(path).is(t, http.StatusNotFound)
}

func TestAFullPlanSaysSo(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.WorkspaceOn(core.PlanFree, "one", "UTC")
	for range 3 {
		ws.Account("threads")
	}
	b := r.as(ws)
	page := b.get("/accounts").is(t, http.StatusOK)
	page.says(t, "All 3 accounts in your plan are connected.")
	page = b.get("/accounts/connect/threads").is(t, http.StatusPaymentRequired)
	page.one(t, `a[href="https://example.org/plans"]`)
}

func TestAnAccountToReconnectIsAnnouncedEverywhere(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	ws.Account("threads")
	b := r.as(ws)
	if len(b.get("/posts").all(testid("notice"))) != 0 {
		t.Error("a healthy account is announced")
	}
	must(t, r.Replica(func(c *app.Config) { c.NetworksURL = "elsewhere" }).ReviewAccounts(t.Context()))
	page := b.get("/posts")
	page.one(t, testid("notice")+` a[href="/accounts"]`)
	page = b.get("/accounts")
	page.one(t, testid("account")+`[data-status="revoked"]`)
	page.says(t, "Reconnect the account.")
}
