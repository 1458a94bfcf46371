package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// The goal: "`e2e` drives the built binary: both networks, sign-up to live", and "sign-up to a live post by
// script in under 60 s", with nothing set but where the service listens and keeps its data.
func TestANewcomersFirstPostGoesLive(t *testing.T) {
	t.Parallel()
	s := newOwn(t)
	s.serve()
	defer s.process.stop(t)
	began := time.Now()
	p := newPerson(t, s.url).setUp(s.setUpLink())
	if p.at.Path != "/accounts" || len(p.all(testid("sandbox"))) == 0 {
		t.Errorf("set-up leads to %s; its page does not say that the networks are simulated", p.at)
	}
	connectBoth(t, p)
	key := makeKey(t, p)

	p.open("/compose").want(http.StatusOK)
	chips := p.all("input[name=account]")
	if len(chips) != 4 {
		t.Fatalf("the composer offers %d accounts, want the profile and three Pages", len(chips))
	}
	accounts := map[string]string{}
	for _, chip := range chips {
		if _, seen := accounts[value(chip, "data-platform")]; !seen {
			accounts[value(chip, "data-platform")] = value(chip, "value")
		}
	}

	live := map[string]string{}
	p.submit(testid("check-plan"), fill{"account": {accounts["threads"]}, "text": {"Rye bread is back."}, "when": {"now"}}).want(http.StatusOK)
	if got := p.words(testid("plan-row")); !strings.Contains(got, "Immediately") {
		t.Errorf("the plan says %q", got)
	}
	p.submit(testid("submit"), nil).want(http.StatusOK)
	live["Rye bread is back."] = followToLive(t, p)
	t.Logf("first live post %s after the first page", time.Since(began).Round(time.Millisecond))
	if took := time.Since(began); took > time.Minute {
		t.Errorf("from sign-up to live took %s, want under 60 s", took)
	}

	tomorrow := time.Now().AddDate(0, 0, 1).Format("2006-01-02") + "T18:00"
	p.open("/compose").want(http.StatusOK)
	entered := fill{"account": {accounts["facebook"]}, "text": {"We open earlier on Monday."}, "when": {"at"}, "at": {tomorrow}}
	p.submit(testid("check-plan"), entered).want(http.StatusOK)
	p.submit(testid("submit"), nil).want(http.StatusOK)
	if got := value(p.one(testid("post")), "data-status"); got != "queued" {
		t.Errorf("a scheduled post is %s, want queued", got)
	}
	p.open(value(p.one(testid("send-now")), "href")).want(http.StatusOK)
	p.submit(testid("confirm"), nil).want(http.StatusOK)
	live["We open earlier on Monday."] = followToLive(t, p)

	c := s.client(key)
	for _, platform := range []string{"threads", "facebook"} {
		text := "Sent to " + platform + " by a program."
		body := create(text, "now", accounts[platform])
		delete(body, "confirm")
		if plan := c.do("POST", "/posts/plan", body).want(t, 200); !plan.OK || plan.Header["Belfry-Sandbox"] != "true" {
			t.Errorf("the plan for %s: %s, headers %v", platform, plan.Raw, plan.Header)
		}
		done := c.becomes(c.post(text, "now", accounts[platform]).ID, "live", 20*time.Second)
		eventually(t, 20*time.Second, "the post has its link", func() bool { done = c.get(done.ID); return done.ExternalURL != nil })
		live[text] = *done.ExternalURL
	}
	for text, link := range live {
		if network := newPerson(t, link).open(link).want(http.StatusOK); !strings.Contains(network.words("main"), text) {
			t.Errorf("the network's page %s does not show %q: %s", link, text, network.words("main"))
		}
	}
	if seen := s.visible(); len(seen) != len(live) {
		t.Errorf("the networks show %d posts, want %d", len(seen), len(live))
	}
}

// connectBoth connects a Threads profile and three Facebook Pages, by every sort of way back from consent: a
// refusal, a single profile, and a choice among several.
func connectBoth(t *testing.T, p *person) {
	t.Helper()
	p.open("/accounts").open(value(p.one(testid("connect-threads")), "href")).want(http.StatusOK)
	p.submit(testid("deny"), nil)
	if p.at.Path != "/accounts" || !strings.Contains(p.words(testid("flash")), "did not give its consent") || len(p.all(testid("account"))) != 0 {
		t.Errorf("without consent the way back ends at %s with %d and %d accounts", p.at, p.status, len(p.all(testid("account"))))
	}
	p.connect("threads", nil).want(http.StatusOK)
	if p.at.Path != "/accounts" || len(p.all(testid("account"))) != 1 {
		t.Fatalf("after consent at Threads: %s with %d accounts", p.at, len(p.all(testid("account"))))
	}
	p.connect("facebook", fill{"newPage": {"Corner Shop"}, "page": nil}).want(http.StatusOK)
	if p.at.Path != "/accounts" || len(p.all(testid("account"))) != 2 {
		t.Fatalf("after consent for one Page: %s with %d accounts: %s", p.at, len(p.all(testid("account"))), p.words("main"))
	}
	p.connect("facebook", fill{"page": {"104758391620475", "118203947561038"}}).want(http.StatusOK)
	if p.at.Path != "/accounts/choose" {
		t.Fatalf("after consent for two Pages: %s: %s", p.at, p.words("main"))
	}
	p.submit(testid("choose-submit"), nil).want(http.StatusOK)
	if n := len(p.all(testid("account"))); p.at.Path != "/accounts" || n != 4 {
		t.Fatalf("after the choice: %s with %d accounts", p.at, n)
	}
}

// makeKey makes an API key in Settings and answers it.
func makeKey(t *testing.T, p *person) string {
	t.Helper()
	p.open("/settings/keys").want(http.StatusOK)
	p.submit(testid("key-form"), fill{"name": {"Newsletter"}, "scope": {"write"}}).want(http.StatusCreated)
	key := p.words(testid("new-key"))
	if !strings.HasPrefix(key, "belfry_live_") {
		t.Fatalf("the page shows the new key %q", key)
	}
	if p.open("/settings/keys"); len(p.all(testid("new-key"))) != 0 || len(p.all(testid("key"))) != 1 {
		t.Error("the key is shown again, or is not in the list")
	}
	return key
}

// followToLive reads a post's page until it is live and answers its link.
func followToLive(t *testing.T, p *person) string {
	t.Helper()
	here := p.at.String()
	if len(p.all(testid("post"))) == 0 {
		t.Fatalf("%s shows no post: %s", here, p.words("main"))
	}
	eventually(t, 20*time.Second, "the page shows a live post with its link", func() bool {
		p.open(here).want(http.StatusOK)
		return len(p.all(testid("live-link"))) == 1
	})
	if got := value(p.one(testid("post")), "data-status"); got != "live" {
		t.Errorf("a post with a link is %s", got)
	}
	var kinds []string
	for _, e := range p.all(testid("event")) {
		kinds = append(kinds, value(e, "data-kind"))
	}
	if len(kinds) < 4 || kinds[0] != "created" && kinds[len(kinds)-1] != "created" {
		t.Errorf("the timeline is %v", kinds)
	}
	return value(p.one(testid("live-link")), "href")
}
