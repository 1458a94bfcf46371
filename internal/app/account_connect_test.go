package app_test

import (
	"bytes"
	"context"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/sim"
	"belfry/internal/network/threads"
	"belfry/internal/secret"
	"belfry/internal/store"
)

// begin starts to connect a Threads profile and gives consent; what comes back is the query of the way back.
func begin(t *testing.T, h *apptest.Harness, ws *apptest.Workspace, profile string) url.Values {
	t.Helper()
	start, err := h.App.StartConnect(t.Context(), ws.Owner, contract.Connect{Platform: "threads"})
	must(t, err)
	return h.Consent(start.AuthorizeURL, profile)
}

func finish(t *testing.T, h *apptest.Harness, ws *apptest.Workspace, platform string,
	back url.Values,
) (app.Connected, error) {
	t.Helper()
	return h.App.FinishConnectOrReconnect(t.Context(), ws.Owner, platform, back)
}

// stored reads one column of an account as it lies in the database.
func stored[T any](t *testing.T, h *apptest.Harness, account contract.Account, column string) T {
	t.Helper()
	id, err := core.ParseID[core.AccountKind](account.ID)
	must(t, err)
	var v T
	must(t, h.Pool.QueryRow(t.Context(), `SELECT `+column+` FROM accounts WHERE id = $1`, id).Scan(&v))
	return v
}

func TestAProfileIsConnectedThroughItsConsentPage(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	done, err := finish(t, h, ws, "threads", begin(t, h, ws, "maren.writes"))
	must(t, err)
	if len(done.Accounts) != 1 || done.Choice != "" {
		t.Fatalf("it came to %+v", done)
	}
	a := done.Accounts[0]
	if a.DisplayName != "Maren Holt" || *a.Username != "maren.writes" || a.Status != "ok" || a.Platform != "threads" ||
		!a.CreatedAt.Equal(h.Clock.Now()) || !a.ExpiresAt.Equal(h.Clock.Now().Add(60*24*time.Hour)) {
		t.Errorf("the account is %+v", a)
	}
	sealed := stored[[]byte](t, h, a, "token")
	if len(sealed) == 0 || bytes.Contains(sealed, []byte("THQ")) || bytes.Contains(sealed, []byte("access")) {
		t.Error("the token is not sealed")
	}
	if got := stored[string](t, h, a, "connected_at"); got != h.NetworksURL {
		t.Errorf("connected_at is %q", got)
	}
	list, err := h.App.ListAccounts(t.Context(), ws.Key(core.Read).Caller)
	if err != nil || len(list.Accounts) != 1 || list.Accounts[0].ID != a.ID {
		t.Errorf("the list is %+v, %v", list, err)
	}
}

func TestAStateServesOneBrowserOneWorkspaceOneNetworkOnceForTenMinutes(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	one, two := h.Workspace("one"), h.Workspace("two")
	back := begin(t, h, one, "one")
	foreign := url.Values{"state": {"made-up"}, "code": back["code"]}
	stranger := one.Member(core.RoleAdmin)
	for name, try := range map[string]func() (app.Connected, error){
		"another session": func() (app.Connected, error) {
			return h.App.FinishConnectOrReconnect(t.Context(), one.Owner.WithSessionID("another-browser"), "threads", back)
		},
		"another person": func() (app.Connected, error) {
			return h.App.FinishConnectOrReconnect(t.Context(), stranger, "threads", back)
		},
		"another one's":   func() (app.Connected, error) { return finish(t, h, two, "threads", back) },
		"another network": func() (app.Connected, error) { return finish(t, h, one, "facebook", back) },
		"a made-up state": func() (app.Connected, error) { return finish(t, h, one, "threads", foreign) },
		"no state": func() (app.Connected,
			error,
		) {
			return finish(t, h, one, "threads", url.Values{"code": back["code"]})
		},
		"a choice instead": func() (app.Connected, error) {
			return h.App.ConnectChosenProfiles(t.Context(), one.Owner, back.Get("state"), []string{"1"})
		},
	} {
		_, err := try()
		if e := want(t, core.CodeConflict, err); e.Message != "This connection attempt has ended or expired, or was started in another browser." {
			t.Errorf("%s: %s", name, e.Message)
		}
	}
	h.Clock.Advance(10*time.Minute - time.Second)
	_, err := finish(t, h, one, "threads", back)
	must(t, err)
	_, err = finish(t, h, one, "threads", back)
	want(t, core.CodeConflict, err)

	late := begin(t, h, one, "late")
	h.Clock.Advance(10 * time.Minute)
	_, err = finish(t, h, one, "threads", late)
	want(t, core.CodeConflict, err)
	var hash []byte
	must(t, h.Pool.QueryRow(t.Context(), `SELECT state_hash FROM connections`).Scan(&hash))
	if len(hash) != 32 || strings.Contains(late.Get("state"), string(hash)) {
		t.Errorf("the state lies open: %x", hash)
	}
}

func TestARefusedConsentConnectsNothing(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	start, err := h.App.StartConnect(t.Context(), ws.Owner, contract.Connect{Platform: "threads"})
	must(t, err)
	back := h.Deny(start.AuthorizeURL)
	_, err = finish(t, h, ws, "threads", back)
	if e := want(t, core.CodeConflict, err); !strings.Contains(e.Message, "Access to Threads was not granted") {
		t.Errorf("it says %s", e.Message)
	}
	_, err = finish(t, h, ws, "threads", back)
	want(t, core.CodeConflict, err)

	h.Fault(sim.Fault{Network: "threads", Call: "exchange", Kind: sim.Reject, Message: "The code is not for this app"})
	_, err = finish(t, h, ws, "threads", begin(t, h, ws, "one"))
	if e := want(t, core.CodeConflict, err); !strings.Contains(e.Message, "The code is not for this app") {
		t.Errorf("the network's words are lost: %s", e.Message)
	}
	h.Fault(sim.Fault{Network: "threads", Call: "exchange", Kind: sim.ServerError})
	_, err = finish(t, h, ws, "threads", begin(t, h, ws, "one"))
	want(t, core.CodeUnavailable, err)
	if list, err := h.App.ListAccounts(t.Context(), ws.Owner); err != nil || len(list.Accounts) != 0 {
		t.Errorf("there are accounts: %+v, %v", list, err)
	}
}

func TestARefusedConsentSaysWhoMustAct(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	for name, refused := range map[string]struct {
		fault sim.Fault
		hint  string
	}{
		"the wrong client of YouTube": {
			sim.Fault{Network: "youtube", Reason: "invalid_client", Status: 401},
			"Ask the server's operator to check BELFRY_YOUTUBE_CLIENT_ID and BELFRY_YOUTUBE_CLIENT_SECRET.",
		},
		"an unknown reason of YouTube": {
			sim.Fault{Network: "youtube", Reason: "unheard_of", Status: 401}, "Connect the account again.",
		},
		"the wrong app of Facebook, with a subcode": {
			sim.Fault{Network: "facebook", Code: 101, Subcode: 7, Status: 400},
			"This server is not configured correctly for Facebook. Ask the server's operator to fix its configuration.",
		},
	} {
		fault := refused.fault
		fault.Call, fault.Kind = "exchange", sim.Reject
		h.Fault(fault)
		start, err := h.App.StartConnect(t.Context(), ws.Owner, contract.Connect{Platform: fault.Network})
		must(t, err)
		_, err = finish(t, h, ws, fault.Network, h.Consent(start.AuthorizeURL, "one"))
		if e := want(t, core.CodeConflict, err); e.Hint != refused.hint || !strings.Contains(e.Message, "refused to connect") {
			t.Errorf("after %s, it says %q with the hint %q; want %q", name, e.Message, e.Hint, refused.hint)
		}
	}
}

func TestOfSeveralProfilesThePersonChooses(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.WorkspaceOn(core.PlanFree, "one", "UTC")
	start, err := h.App.StartConnect(t.Context(), ws.Owner, contract.Connect{Platform: "facebook"})
	must(t, err)
	offered, err := finish(t, h, ws, "facebook", h.ConsentAll(start.AuthorizeURL))
	must(t, err)
	if offered.Choice == "" || len(offered.Accounts) != 0 || len(offered.Profiles) < 3 || offered.Platform != "facebook" {
		t.Fatalf("it came to %+v", offered)
	}
	var usable, unusable []string
	for _, p := range offered.Profiles {
		if p.Unusable == "" {
			usable = append(usable, p.ExternalID)
		} else {
			unusable = append(unusable, p.ExternalID)
		}
	}
	choose := func(ids ...string) (app.Connected, error) {
		return h.App.ConnectChosenProfiles(t.Context(), ws.Owner, offered.Choice, ids)
	}
	_, err = choose()
	want(t, core.CodeInvalidRequest, err)
	_, err = choose("made-up")
	want(t, core.CodeInvalidRequest, err)
	if len(unusable) == 0 {
		t.Fatal("the simulator offers no Page that cannot be published to")
	}
	_, err = choose(usable[0], unusable[0])
	want(t, core.CodeInvalidRequest, err)

	ws.Account("threads")
	ws.Account("threads")
	_, err = choose(usable[:2]...) // four of three
	if e := want(t, core.CodeQuotaExceeded, err); e.Quota.Limit != 3 {
		t.Errorf("the figures are %+v", e.Quota)
	}
	_, err = h.App.ConnectChosenProfiles(t.Context(), ws.Owner.WithSessionID("another-browser"), offered.Choice, usable[:1])
	want(t, core.CodeConflict, err)
	done, err := choose(usable[0], usable[0]) // the choice stayed open
	must(t, err)
	if len(done.Accounts) != 1 || done.Accounts[0].Platform != "facebook" || done.Accounts[0].ExpiresAt != nil {
		t.Errorf("it connected %+v", done.Accounts)
	}
	_, err = choose(usable[0])
	want(t, core.CodeConflict, err)
}

func TestThePlansAccountsAreCountedUnderALock(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.WorkspaceOn(core.PlanFree, "one", "UTC")
	backs := make([]url.Values, 6)
	for i := range backs {
		backs[i] = begin(t, h, ws, "profile_"+string(rune('a'+i)))
	}
	connected := make(chan app.Connected, len(backs))
	together(t, len(backs), func(i int) error {
		done, err := finish(t, h, ws, "threads", backs[i])
		if core.CodeOf(err) == core.CodeQuotaExceeded {
			return nil
		}
		connected <- done
		return err
	})
	if len(connected) != 3 {
		t.Errorf("%d were connected of 3", len(connected))
	}
	_, err := h.App.StartConnect(t.Context(), ws.Owner, contract.Connect{Platform: "threads"})
	if e := want(t, core.CodeQuotaExceeded, err); *e.Quota != (core.QuotaFacts{Limit: 3, Used: 3}) {
		t.Errorf("the figures are %+v", e.Quota)
	}
	// A renewal is none more.
	list, err := h.App.ListAccounts(t.Context(), ws.Owner)
	must(t, err)
	start, err := h.App.StartReconnect(t.Context(), ws.Owner, list.Accounts[0].ID)
	must(t, err)
	done, err := finish(t, h, ws, "threads", h.Consent(start.AuthorizeURL, *list.Accounts[0].Username))
	if err != nil || done.Accounts[0].ID != list.Accounts[0].ID {
		t.Errorf("a renewal came to %+v, %v", done, err)
	}
}

func TestAProfileOfAnotherWorkspaceIsAnotherAccount(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	one, two := h.Workspace("one"), h.Workspace("two")
	a, b := one.Account("threads", "maren.writes"), two.Account("threads", "maren.writes")
	if a.ID == b.ID {
		t.Error("two workspaces share an account")
	}
	must(t, h.App.DisconnectAccount(t.Context(), one.Owner, a.ID))
	if list, err := h.App.ListAccounts(t.Context(), two.Owner); err != nil || len(list.Accounts) != 1 ||
		list.Accounts[0].Status != "ok" {
		t.Errorf("the other's account is %+v, %v", list, err)
	}
}

func TestReconnectTakesTheSameProfileOnly(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	a := ws.Account("threads", "maren.writes")
	_, err := h.Pool.Exec(t.Context(), `UPDATE accounts SET status = 'revoked', status_reason = 'withdrawn'`)
	must(t, err)
	reconnect := func(profile string) (app.Connected, error) {
		start, err := h.App.StartReconnect(t.Context(), ws.Owner, a.ID)
		must(t, err)
		return finish(t, h, ws, "threads", h.Consent(start.AuthorizeURL, profile))
	}
	_, err = reconnect("harbour.bakery")
	if e := want(t, core.CodeConflict, err); e.Message != "You did not grant access to Maren Holt." ||
		e.Hint != "Reconnect, and grant access to Maren Holt. To use another profile, connect it as a new account." {
		t.Errorf("it says %s %s", e.Message, e.Hint)
	}
	if got := stored[string](t, h, a, "status"); got != "revoked" {
		t.Errorf("the wrong profile made it %s", got)
	}
	before := stored[[]byte](t, h, a, "token")
	done, err := reconnect("maren.writes")
	must(t, err)
	if done.Accounts[0].ID != a.ID || done.Accounts[0].Status != "ok" || stored[string](t, h, a, "status_reason") != "" {
		t.Errorf("it came to %+v", done.Accounts)
	}
	if bytes.Equal(before, stored[[]byte](t, h, a, "token")) {
		t.Error("the token is the old one")
	}
}

func TestReconnectingWakesArmedPublicationsOnly(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	a, other := ws.Account("threads", "maren.writes"), ws.Account("threads", "harbour.bakery")
	at := h.Clock.Now().Add(48 * time.Hour)
	armed, waiting, foreign := ws.Queued("armed", a, at), ws.Queued("waiting", a, at), ws.Queued("other", other, at)
	for _, p := range []contract.Post{armed, foreign} {
		id, err := core.ParseID[core.PostKind](p.ID)
		must(t, err)
		// Only a restore leaves a post armed so long before its time.
		receipt := store.RestoredReceipt{Post: id, ArmedAt: h.Clock.Now()}
		rearmed, err := h.Store.In(ws.ID).RearmPublication(t.Context(), receipt, h.Clock.Now())
		if must(t, err); !rearmed {
			t.Fatalf("%s is not armed", p.Text)
		}
		_, err = h.Pool.Exec(t.Context(), `UPDATE publications SET next_action_at = $1 WHERE post_id = $2`, at, id)
		must(t, err)
	}
	start, err := h.App.StartReconnect(t.Context(), ws.Owner, a.ID)
	must(t, err)
	_, err = finish(t, h, ws, "threads", h.Consent(start.AuthorizeURL, "maren.writes"))
	must(t, err)
	for _, c := range []struct {
		post contract.Post
		due  time.Time
	}{{armed, h.Clock.Now()}, {waiting, at}, {foreign, at}} {
		id, err := core.ParseID[core.PostKind](c.post.ID)
		must(t, err)
		var due time.Time
		must(t, h.Pool.QueryRow(t.Context(), `SELECT next_action_at FROM publications WHERE post_id = $1`, id).Scan(&due))
		if !due.Equal(c.due) {
			t.Errorf("%s is due at %s; want %s", c.post.Text, due, c.due)
		}
	}
}

func TestAccountsOfOtherNetworksAreRevokedUntilThoseAreInUseAgain(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	ws.Account("threads")
	expired := ws.Account("threads")
	_, err := h.Pool.Exec(t.Context(), `UPDATE accounts SET status = 'expired' WHERE id = $1`, ws.AccountID(expired))
	must(t, err)
	onReal := h.Replica(func(c *app.Config) { c.NetworksURL = "" })
	review := func(a *app.App) (status []string, reason string) {
		t.Helper()
		must(t, a.RevokeOrRestoreAccountsOnNetworkSwitch(t.Context()))
		cards, err := a.ListAccountCards(t.Context(), ws.Owner, app.AccountFilter{})
		must(t, err)
		for _, c := range cards {
			status = append(status, string(c.Status))
		}
		return status, cards[0].StatusReason
	}
	if status, reason := review(h.App); strings.Join(status, ",") != "ok,expired" || reason != "" {
		t.Errorf("with the same networks: %v, %q", status, reason)
	}
	for range 2 {
		if status, reason := review(onReal); strings.Join(status, ",") != "revoked,revoked" ||
			!strings.Contains(reason, "has switched networks") {
			t.Errorf("with the real networks: %v, %q", status, reason)
		}
	}
	// Another version said it in other words.
	_, err = h.Pool.Exec(t.Context(), `UPDATE accounts SET status_reason = 'Its networks were simulated.'`)
	must(t, err)
	if status, reason := review(h.App); status[0] != "ok" || reason != "" {
		t.Errorf("back again: %v, %q", status, reason)
	}
}

// The plan asked to reconnect the account, which nobody could do.
func TestAPlanDoesNotAskToReconnectOnANetworkThatIsNotSetUp(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	account := ws.Account("threads")
	_, err := h.Pool.Exec(t.Context(), `UPDATE accounts SET status = 'revoked' WHERE id = $1`, ws.AccountID(account))
	must(t, err)
	driver := threads.NewDriver()
	defaults := map[string]string{}
	for _, v := range driver.Variables {
		defaults[v.Name] = v.Default
	}
	notSetUp, err := network.NewSet([]network.Driver{driver}, network.Environment{
		Get: func(name string) string { return defaults[name] },
	})
	must(t, err)
	codes := func(a *app.App) (codes []string) {
		t.Helper()
		plan, err := a.PlanPosts(t.Context(), ws.Owner, contract.PlanPosts{
			Targets: contract.Targets{AccountIDs: []string{account.ID}}, Text: "x", When: &contract.When{Word: "now"},
		})
		must(t, err)
		for _, issue := range plan.Rows[0].Issues {
			codes = append(codes, issue.Code)
		}
		return codes
	}
	if got := codes(h.App); !slices.Equal(got, []string{"account_revoked"}) {
		t.Errorf("on a network that is set up, the issues are %v", got)
	}
	elsewhere := h.Replica(func(c *app.Config) { c.Networks = notSetUp })
	if got := codes(elsewhere); !slices.Equal(got, []string{"network_unavailable"}) {
		t.Errorf("on a network that is not set up, the issues are %v", got)
	}
}

func TestOnlyPeopleWhoManageConnect(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	a := ws.Account("threads")
	for _, c := range []core.Caller{ws.Member(core.RoleEditor), ws.Member(core.RoleViewer), ws.Key(core.Write).Caller} {
		_, err := h.App.StartConnect(t.Context(), c, contract.Connect{Platform: "threads"})
		want(t, core.CodeInsufficientScope, err)
		_, err = h.App.StartReconnect(t.Context(), c, a.ID)
		want(t, core.CodeInsufficientScope, err)
		_, err = h.App.FinishConnectOrReconnect(t.Context(), c, "threads", url.Values{})
		want(t, core.CodeInsufficientScope, err)
		_, err = h.App.ConnectChosenProfiles(t.Context(), c, "x", nil)
		want(t, core.CodeInsufficientScope, err)
		want(t, core.CodeInsufficientScope, h.App.DisconnectAccount(t.Context(), c, a.ID))
	}
	_, err := h.App.StartConnect(t.Context(), ws.Owner, contract.Connect{Platform: "myspace"})
	want(t, core.CodeInvalidRequest, err)
}

// proving is a network with PKCE, on top of a real one.
type proving struct {
	network.Network
	asked network.AuthRequest
	grant network.AuthResponse
}

func (p *proving) Describe() network.Description {
	d := p.Network.Describe()
	d.PKCE = true
	return d
}

func (p *proving) AuthorizeURL(r network.AuthRequest) string {
	p.asked = r
	return p.Network.AuthorizeURL(r)
}

func (p *proving) ExchangeCode(_ context.Context, g network.AuthResponse) ([]network.Profile, error) {
	p.grant = g
	return []network.Profile{{ExternalID: "1", DisplayName: "One", Token: network.Token{Access: "a-token"}}}, nil
}

func TestANetworkWithPKCEIsShownTheVerifierOfItsChallenge(t *testing.T) {
	t.Parallel()
	p := &proving{}
	h := apptest.New(t, replace(t, func(n network.Network) network.Network {
		p.Network = n
		return p
	}))
	ws := h.Workspace("one")
	back := begin(t, h, ws, "one")
	var sealed []byte
	must(t, h.Pool.QueryRow(t.Context(), `SELECT verifier FROM connections`).Scan(&sealed))
	_, err := finish(t, h, ws, "threads", back)
	must(t, err)
	if p.asked.Challenge == "" || secret.PKCEChallenge(p.grant.Verifier) != p.asked.Challenge {
		t.Errorf("asked with %q, answered with %q", p.asked.Challenge, p.grant.Verifier)
	}
	if len(sealed) == 0 || bytes.Contains(sealed, []byte(p.grant.Verifier)) {
		t.Error("the verifier lies open")
	}
	if p.grant.RedirectURI != p.asked.RedirectURI || p.asked.RedirectURI != apptest.PublicURL+
		"/accounts/callback/threads" || len(p.asked.State) < 43 {
		t.Errorf("asked with %+v", p.asked)
	}
}

// replace puts another network in the place of Threads.
func replace(t *testing.T, with func(network.Network) network.Network) func(*app.Config) {
	return func(c *app.Config) {
		var drivers []network.Driver
		for _, n := range c.Networks.Connectors() {
			d := network.Driver{ID: n.Describe().ID, New: func(network.Environment) (network.Network, error) { return n, nil }}
			if d.ID == "threads" {
				d.New = func(network.Environment) (network.Network, error) { return with(n), nil }
			}
			drivers = append(drivers, d)
		}
		set, err := network.NewSet(drivers, network.Environment{})
		must(t, err)
		c.Networks = set
	}
}

func TestAccountsAreFoundByWordsNetworkAndStatus(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	maren, bakery := ws.Account("threads", "maren.writes"), ws.Account("facebook", "Harbour Bakery")
	_, err := h.Pool.Exec(t.Context(), `UPDATE accounts SET status = 'expired' WHERE platform = 'facebook'`)
	must(t, err)
	for name, f := range map[string]app.AccountFilter{
		"": {Query: "nobody"}, "maren by name and handle": {Query: strings.ToUpper(maren.DisplayName) + " @maren"},
		"maren by network": {Platform: "threads"}, "maren by status": {Status: core.AccountOK},
		"bakery by status": {Status: core.AccountExpired}, "bakery as broken": {Status: core.AccountBroken, Query: "bakery harbour"},
	} {
		cards, err := h.App.ListAccountCards(t.Context(), ws.Owner, f)
		must(t, err)
		want := map[string]string{"maren": maren.ID, "bakery": bakery.ID}[strings.Split(name, " ")[0]]
		if len(cards) > 1 || (want != "") != (len(cards) == 1) || want != "" && cards[0].ID.String() != want {
			t.Errorf("%q finds %+v", name, cards)
		}
	}
}
