package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/cascadia"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/sim"
	"belfry/internal/network/threads"
	"belfry/web"
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
	if !strings.Contains(textOf(page.one(t, testid("flash"))), " on Threads connected.") {
		t.Error("nobody says that it is connected, and on which network")
	}
	compose := b.get(attribute(page.one(t, testid("flash-next")), "href"))
	compose.one(t, "input[name=account][checked]")
	if len(b.get("/accounts").all(testid("flash"))) != 0 {
		t.Error("it is said twice")
	}

	b.get(back).leads(t, "/accounts")
	page = b.get("/accounts")
	page.says(t, "This connection attempt has ended or expired")
	if n := len(page.all(testid("account"))); n != 1 {
		t.Errorf("a replayed way back left %d accounts", n)
	}
}

// The page kept the times and numbers of when it was opened.
func TestTheAccountsAreUpdatedWhenPostsChange(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	s.ws.Queued("soon", s.threads, s.Clock.Now().Add(time.Hour))
	list := s.b.get("/accounts?network=threads").one(t, `#accounts[data-live="posts"][hx-trigger="live"][hx-swap="morph"]`)
	if said := textOf(list); !strings.Contains(said, "1 queued") {
		t.Fatalf("the page says %q", said)
	}
	s.ws.Draft("changes nothing here", s.threads)
	s.b.part(http.MethodGet, attribute(list, "hx-get")).is(t, http.StatusNoContent)
	s.ws.Queued("later", s.threads, s.Clock.Now().Add(2*time.Hour))
	part := s.b.part(http.MethodGet, attribute(list, "hx-get")).is(t, http.StatusOK)
	part.one(t, "#accounts")
	part.says(t, "2 queued")
	if strings.Contains(part.text(), "Facebook") || len(part.all("h1")) != 0 {
		t.Errorf("the update is not of the same list: %s", part.text())
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
	explained("Access to Threads was not granted.", "Connect the account again and grant all permissions.")
	b.get("/accounts/callback/threads").leads(t, "/accounts")
	explained("Connect the account again.")
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
	if text := textOf(local.one(t, testid("unreachable"))); !strings.Contains(text, "Photos and videos cannot be published, because "+
		"Threads cannot download them") || !strings.Contains(text, "BELFRY_MEDIA_URL") {
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
	page.says(t, "Select a Page")
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

// The person had granted access to both Pages, and one of them was nowhere to be seen. A Page that stayed connected was
// then said not to be.
func TestAPageThatCannotBeConnectedIsNamed(t *testing.T) {
	t.Parallel()
	r := open(t)
	b := r.as(r.Workspace("one"))
	connectBoth := func(wantAccounts int, wantTexts ...string) {
		t.Helper()
		back := r.Consent(b.begin("facebook"), "Harbour Bakery", "Old Mill Choir")
		b.get(callback("facebook", back)).leads(t, "/accounts")
		page := b.get("/accounts")
		said := textOf(page.one(t, testid("flash")))
		for _, want := range wantTexts {
			if !strings.Contains(said, want) {
				t.Errorf("it does not say %q but %q", want, said)
			}
		}
		if n := len(page.all(testid("account"))); n != wantAccounts {
			t.Errorf("%d accounts are connected, want %d", n, wantAccounts)
		}
	}
	connectBoth(1, "Harbour Bakery on Facebook connected.",
		"Old Mill Choir was not connected. You cannot create content on this Page.")
	// As if the person could create content when they connected the other Page.
	_, err := r.Pool.Exec(t.Context(),
		`UPDATE accounts SET external_id = '126650918347205', display_name = 'Old Mill Choir'`)
	must(t, err)
	connectBoth(2, "Harbour Bakery on Facebook connected.",
		"Old Mill Choir was not reconnected. You cannot create content on this Page.")
}

// It said "connected" of accounts that were already there.
func TestConnectingAgainSaysThatTheAccountWasReconnected(t *testing.T) {
	t.Parallel()
	r := open(t)
	b := r.as(r.Workspace("one"))
	connect := func(want string, profiles ...string) {
		t.Helper()
		page := b.get(callback("facebook", r.Consent(b.begin("facebook"), profiles...)))
		if len(profiles) > 1 {
			form := b.get("/accounts/choose").form(t, testid("choose"))
			page = b.post("/accounts/choose", "pending", form.Get("pending"), "profile", form["profile"][0],
				"profile", form["profile"][1])
		}
		page.leads(t, "/accounts")
		if said := textOf(b.get("/accounts").one(t, testid("flash"))); !strings.Contains(said, want) {
			t.Errorf("it does not say %q but %q", want, said)
		}
	}
	connect("Harbour Bakery on Facebook connected.", "Harbour Bakery")
	connect("Harbour Bakery on Facebook reconnected.", "Harbour Bakery")
	connect("1 account connected, 1 reconnected.", "Harbour Bakery", "Night Owl Cycles")
	connect("2 accounts reconnected.", "Harbour Bakery", "Night Owl Cycles")
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
	page := b.get("/accounts")
	page.says(t, "You did not grant access to bell.ringer.")
	again := attribute(page.one(t, testid("flash-next")), "href")
	if want := "/accounts/" + account.ID + "/reconnect"; again != want {
		t.Errorf("the message leads to %q, want %q", again, want)
	}
	b.get(callback("threads", r.Consent(ask(), "bell.ringer"))).leads(t, "/accounts")
	page = b.get("/accounts")
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
	whole.says(t, "1 queued post becomes a draft", "Belfry stops using the account")
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
	page.says(t, "You have reached your limit of 3 accounts", "disconnect an account or change your subscription plan")
	page = b.get("/accounts/connect/threads").is(t, http.StatusPaymentRequired)
	page.says(t, "Disconnect an account, or change the subscription plan.")
	page.one(t, `a[href="https://example.org/plans"]`)
}

func TestAWorkspaceOverItsPlanSaysHowManyAccountsToDisconnect(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	for range 5 {
		ws.Account("threads")
	}
	ws.Use(core.PlanFree)
	b := r.as(ws)
	b.get("/accounts").says(t, "You are over your limit of 3 accounts", "disconnect at least 3 accounts or change")
	b.get("/accounts/connect/threads").is(t, http.StatusPaymentRequired).says(t,
		"Disconnect at least 3 accounts, or change the subscription plan.")
}

func TestAnAccountToReconnectIsAnnouncedEverywhere(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	account := ws.Account("threads")
	post := ws.Queued("soon", account, r.Clock.Now().Add(time.Hour))
	b := r.as(ws)
	if page := b.get("/posts"); len(page.all(testid("notice"))) != 0 || len(page.all(testid("row-note"))) != 0 {
		t.Error("a healthy account is announced")
	}
	b.get("/posts/"+post.ID).one(t, testid("send-now"))
	elsewhere := r.Replica(func(c *app.Config) { c.NetworksURL = "elsewhere" })
	must(t, elsewhere.RevokeOrRestoreAccountsOnNetworkSwitch(t.Context()))
	page := b.get("/posts")
	page.one(t, testid("notice")+` a[href$="/reconnect"][aria-label$=" on Threads"]`)
	if note := textOf(page.one(t, testid("row-note"))); note != "The account needs reconnecting" {
		t.Errorf("the row of its queued post says %q", note)
	}
	page = b.get("/posts/" + post.ID)
	page.one(t, testid("reconnect")+".primary")
	page.one(t, testid("timeline-next")+`[data-next="disconnected"]`)
	page.says(t, "Will fail unless the account is reconnected")
	if len(page.all(testid("send-now"))) != 0 {
		t.Error("its post can be sent now")
	}
	page = b.get("/accounts")
	page.one(t, testid("account")+`[data-status="revoked"]`)
	page.says(t, "Reconnect the account. If it does not exist on the network that this server now uses, disconnect it")
}

func TestAccountsAreSearchedAndFilteredInTheAddress(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	for range 3 {
		ws.Account("threads")
		ws.Account("facebook")
	}
	bakery := ws.Account("threads", "harbour.bakery")
	_, err := r.Pool.Exec(t.Context(), `UPDATE accounts SET status = 'revoked' WHERE id = $1`, ws.AccountID(bakery))
	must(t, err)
	b := r.as(ws)
	for query, want := range map[string]int{
		"": 7, "?q=HARBOUR+bake": 1, "?q=%40harbour.bakery": 1, "?network=facebook": 3, "?status=broken": 1, "?status=ok": 6,
		"?network=facebook&status=broken": 0, "?q=zzz": 0,
	} {
		page := b.get("/accounts"+query).is(t, http.StatusOK)
		if n := len(page.all(testid("account"))); n != want {
			t.Errorf("%q: %d accounts; want %d", query, n, want)
		}
		if empty := len(page.all(testid("empty"))) != 0; empty != (want == 0) {
			t.Errorf("%q: says that nothing matches: %t", query, empty)
		}
	}
	page := b.get("/accounts?q=bakery&network=threads&status=broken")
	form := page.form(t, ".account-filter")
	if form.Get("q") != "bakery" || form.Get("network") != "threads" || form.Get("status") != "broken" {
		t.Errorf("the form has %v", form)
	}
	part := b.part(http.MethodGet, "/accounts?q=bakery")
	if len(part.all("form")) != 0 || len(part.all(testid("account"))) != 1 {
		t.Error("the part is not the accounts alone")
	}
}

func TestTwoHundredAccountsAreTwoPages(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	ws.Account("threads")
	_, err := r.Pool.Exec(t.Context(), `
		INSERT INTO accounts (id, workspace_id, platform, external_id, username, display_name, avatar_url, status, connected_at,
			token, check_at, created_at)
		SELECT gen_random_uuid(), workspace_id, platform, external_id || n, username, 'Account ' || n, '', 'ok', connected_at,
			token, check_at, created_at FROM accounts, generate_series(1, 199) n`)
	must(t, err)
	_, err = r.Pool.Exec(t.Context(), `UPDATE accounts SET status = 'revoked' WHERE display_name = 'Account 199'`)
	must(t, err)
	b := r.as(ws)
	if first := b.get("/accounts").all(testid("account"))[0]; attribute(first, "data-status") != "revoked" {
		t.Error("the account to reconnect is not the first of its network")
	}
	seen := map[string]bool{}
	for _, address := range []string{"/accounts", attribute(b.get("/accounts").one(t, testid("next-page")), "href")} {
		page := b.get(address).is(t, http.StatusOK)
		for _, row := range page.all(testid("account")) {
			seen[attribute(row, "data-account")] = true
		}
		if len(page.body) > 300_000 {
			t.Errorf("%s has %d bytes", address, len(page.body))
		}
	}
	if len(seen) != 200 {
		t.Errorf("%d accounts are on the two pages", len(seen))
	}
	b.get("/accounts?page=2").one(t, testid("previous-page"))
	b.get("/accounts?page=99").one(t, testid("previous-page"))
}

func TestAnAccountShowsItsPostsAndTheNetworksLimit(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	s.checkAccounts()
	at := s.Clock.Now().Add(time.Hour)
	next := s.ws.Queued("next", s.threads, at)
	s.ws.Queued("later", s.threads, at.Add(time.Hour))
	quota := testid("account") + `[data-account="` + s.threads.ID + `"] ` + testid("quota")
	if text := textOf(s.b.get("/accounts").one(t, quota)); text != "0 of 250 posts in 24 hours" {
		t.Errorf("a figure that is up to date says %q", text)
	}
	told := s.Clock.Now()
	s.Clock.Advance(time.Minute)
	live := s.ws.Work(s.ws.Now("live", s.threads))
	page := s.b.get("/accounts").is(t, http.StatusOK)
	row := page.one(t, testid("account")+`[data-account="`+s.threads.ID+`"]`)
	href := func(id string) string {
		return attribute(cascadia.Query(row, cascadia.MustCompile(testid(id))), "href")
	}
	if href("next-post") != "/posts/"+next.ID || href("last-post") != "/posts/"+live.ID {
		t.Errorf("next %s, last %s", href("next-post"), href("last-post"))
	}
	if at := attribute(page.one(t, quota+" time"), "datetime"); at != told.UTC().Format(time.RFC3339) {
		t.Errorf("the figure is said to be as of %s, not %s", at, told)
	}
	for _, want := range []string{"2 queued", "0 of 250 posts in 24 hours Reported on 5 Oct 2026, 11:00 CEST, before the last post", "Connected"} {
		if !strings.Contains(textOf(row), want) {
			t.Errorf("it does not say %q: %s", want, textOf(row))
		}
	}
}

func TestAQuotaThatThisServerCountsIsShown(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	account := ws.Account("facebook", "Harbour Bakery")
	_, err := r.Pool.Exec(t.Context(), `INSERT INTO call_budgets (platform, scope, name, calls)
		VALUES ('facebook', $1, 'Reels', array_fill(clock() - '1 hour'::interval, ARRAY[28]) || (clock() - '25 hours'::interval))`, account.ID)
	must(t, err)
	quota := r.as(ws).get("/accounts").one(t, testid("quota"))
	if textOf(quota) != "28 of 30 Reels in 24 hours" || !strings.Contains(attribute(quota, "class"), "near") {
		t.Errorf("it says %q, as %s", textOf(quota), attribute(quota, "class"))
	}
}

func TestAnAccountOfAnOlderVersionSaysWhatItPrevents(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	ws.Account("youtube")
	ws.Account("threads")
	b := r.as(ws)
	if len(b.get("/accounts").all(testid("keeps-grant"))) != 0 {
		t.Error("a new account is said to be old")
	}
	_, err := r.Pool.Exec(t.Context(), `UPDATE accounts SET grant_hash = NULL`)
	must(t, err)
	if text := textOf(b.get("/accounts").one(t, testid("keeps-grant"))); !strings.Contains(text, "Until you reconnect it") {
		t.Errorf("it says %q", text)
	}
}

// The button led to an error.
func TestAnAccountIsNotReconnectedOnANetworkThatIsNotSetUp(t *testing.T) {
	t.Parallel()
	r := openWith(t, func(c *web.Config) {
		driver := threads.NewDriver()
		defaults := map[string]string{}
		for _, v := range driver.Variables {
			defaults[v.Name] = v.Default
		}
		var err error
		c.Networks, err = network.NewSet([]network.Driver{driver}, network.Environment{
			Get: func(name string) string { return defaults[name] },
		})
		must(t, err)
	})
	ws := r.Workspace("one")
	post := ws.Queued("soon", ws.Account("threads"), r.Clock.Now().Add(time.Hour))
	elsewhere := r.Replica(func(c *app.Config) { c.NetworksURL = "elsewhere" })
	must(t, elsewhere.RevokeOrRestoreAccountsOnNetworkSwitch(t.Context()))
	page := r.as(ws).get("/posts/" + post.ID)
	page.says(t, "Threads is not set up on this server.", "Ask the server's operator to add the network's credentials.")
	if len(page.all(testid("reconnect"))) != 0 {
		t.Error("the page offers to reconnect the account")
	}
}

// A post that a worker was sending was promised to be sent again, but its link only reconnected the account.
func TestReconnectingPromisesARetryOnlyWhereItRetries(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	s.Fault(sim.Fault{Network: "threads", Kind: sim.TokenRevoked})
	post := s.ws.Now("hello", s.threads)
	s.work(post)
	const promise = "If you reconnect the account here, Belfry sends this post again automatically."
	page := s.show(post)
	page.one(t, testid("reconnect")+`[href="/posts/`+post.ID+`/reconnect"]`)
	page.says(t, promise)
	_, err := s.Pool.Exec(t.Context(), `UPDATE publications SET due_at = clock(), lease_owner = 'w', lease_epoch = 1,
		lease_until = clock() + '1 minute'::interval`)
	must(t, err)
	page = s.show(post)
	page.one(t, testid("reconnect")+`[href="/accounts/`+s.threads.ID+`/reconnect"]`)
	if strings.Contains(page.text(), promise) {
		t.Error("the post promises a retry")
	}
}

// A green message, a notice and the row of the account all told of the same post.
func TestAReconnectedAccountTellsOfItsFailedPostsInOneMessage(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	account := s.ws.Account("threads", "maren.writes")
	post := s.ws.Now("hello", account)
	s.Fault(sim.Fault{Network: "threads", Kind: sim.TokenRevoked})
	s.work(post)
	ask := s.b.get("/accounts/"+account.ID+"/reconnect").is(t, http.StatusSeeOther).Header.Get("Location")
	s.b.get(callback("threads", s.Consent(ask, "maren.writes"))).leads(t, "/accounts")
	page := s.b.get("/accounts")
	page.one(t, testid("flash")+`[data-tone="warn"] `+testid("retry-others"))
	if notices := page.all(testid("notice")); len(notices) != 0 {
		t.Errorf("a notice repeats %q", textOf(notices[0]))
	}
	s.b.get("/accounts").one(t, testid("notice")) // without the message
}

// The message about one failed post hid the notice about all of them.
func TestAMessageAboutSomeFailedPostsDoesNotHideTheOthers(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	account := s.ws.Account("threads", "maren.writes")
	for network, account := range map[string]contract.Account{"threads": account, "facebook": s.page} {
		s.Fault(sim.Fault{Network: network, Kind: sim.TokenRevoked})
		s.work(s.ws.Now("hello", account))
	}
	ask := s.b.get("/accounts/"+account.ID+"/reconnect").is(t, http.StatusSeeOther).Header.Get("Location")
	s.b.get(callback("threads", s.Consent(ask, "maren.writes"))).leads(t, "/accounts")
	page := s.b.get("/accounts")
	page.one(t, testid("retry-others"))
	if said := textOf(page.one(t, testid("notice"))); !strings.HasPrefix(said, "2 posts need your attention.") {
		t.Errorf("the notice says %q", said)
	}
}

func TestReconnectingFromAFailedPostRetriesIt(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	account := s.ws.Account("threads", "maren.writes")
	first := s.ws.Queued("first", account, s.Clock.Now().Add(time.Minute))
	second := s.ws.Queued("second", account, s.Clock.Now().Add(2*time.Minute))
	s.Fault(sim.Fault{Network: "threads", Kind: sim.TokenRevoked})
	s.Clock.Advance(3 * time.Minute)
	for _, p := range []contract.Post{first, second} {
		if p = s.ws.Work(p); p.Error == nil || p.Error.Code != "account_revoked" {
			t.Fatalf("the post is %+v", p)
		}
	}
	s.b.post("/posts/"+first.ID+"/retry").is(t, http.StatusConflict).says(t, "Connect the account again, then retry the post.")
	path := "/posts/" + first.ID + "/reconnect"
	if button := s.b.get("/posts/"+first.ID).one(t, testid("reconnect")+".primary"); attribute(button, "href") != path ||
		textOf(button) != "Reconnect Maren Holt on Threads" {
		t.Errorf("the post offers %q at %s", textOf(button), attribute(button, "href"))
	}
	// A second link in a notice reconnected the account without sending the post.
	if notices := s.b.get("/posts/" + first.ID).all(testid("notice")); len(notices) != 0 {
		t.Errorf("a notice repeats %q", textOf(notices[0]))
	}
	ask := func() string { return s.b.get(path).is(t, http.StatusSeeOther).Header.Get("Location") }
	s.b.get(callback("threads", s.Deny(ask()))).leads(t, "/posts/"+first.ID)
	s.b.get("/posts/"+first.ID).says(t, "Access to Threads was not granted.")
	s.b.get(callback("threads", s.Consent(ask(), "maren.writes"))).leads(t, "/posts/"+first.ID)
	page := s.b.get("/posts/" + first.ID)
	page.says(t, "Maren Holt on Threads reconnected. The post was queued again. In the last 7 days, 1 other post failed because Belfry had lost access to the account.")
	retry := page.form(t, `form:has(`+testid("retry-others")+`)`)
	if len(page.all(testid("flash")+"[data-live]")) != 0 {
		t.Error("the button that retries the other post disappears when this one is live")
	}
	if p := s.ws.Work(first); p.Status != "live" {
		t.Errorf("the post is %s", p.Status)
	}
	if p := s.ws.Post(second); p.Status != "failed" {
		t.Errorf("nobody asked for it, and the other post is %s", p.Status)
	}
	s.b.send(http.MethodPost, "/posts/bulk", retry.Encode()).leads(t, "/posts/"+first.ID)
	if p := s.ws.Work(second); p.Status != "live" {
		t.Errorf("retried, the other post is %s: %+v", p.Status, p.Error)
	}
	page = s.b.get("/posts/" + first.ID)
	page.says(t, "1 post is live.")
	page.one(t, testid("flash-next")+`[href="/posts/`+second.ID+`"]`)
	s.seat(s.ws.Member(core.RoleEditor)).get(path).is(t, http.StatusForbidden)
}

// "The post was queued again." stayed beside Live.
func TestTheMessageAboutAPostThatIsRetriedByReconnectingIsUpdated(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	account := s.ws.Account("threads", "maren.writes")
	post := s.ws.Queued("first", account, s.Clock.Now().Add(time.Minute))
	s.Fault(sim.Fault{Network: "threads", Kind: sim.TokenRevoked})
	s.Clock.Advance(2 * time.Minute)
	s.ws.Work(post)
	ask := s.b.get("/posts/"+post.ID+"/reconnect").is(t, http.StatusSeeOther).Header.Get("Location")
	s.b.get(callback("threads", s.Consent(ask, "maren.writes"))).leads(t, "/posts/"+post.ID)
	flash := s.show(post).one(t, testid("flash"))
	if text := textOf(flash); text != "Maren Holt on Threads reconnected. The post was queued again." {
		t.Errorf("the message is %q", text)
	}
	s.ws.Work(post)
	s.b.part(http.MethodGet, attribute(flash, "hx-get")).is(t, http.StatusOK).says(t, "1 post is live.")
}
