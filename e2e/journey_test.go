package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// The goal: "`e2e` drives the built binary: both networks, sign-up to live", and "sign-up to a live post by
// script in under 60 s", with nothing set but where the service listens and keeps its data.
func TestSignUpToLiveWithoutScripts(t *testing.T) {
	t.Parallel()
	s := newStandaloneService(t)
	s.serveUntilReady()
	defer s.process.requireStop(t)
	began := time.Now()
	p := newPerson(t, s.url).setUp(s.setUpLink())
	if p.pagePath() != "/accounts" || len(p.findAll(testid("sandbox"))) == 0 {
		t.Errorf("set-up leads to %s; its page does not say that the networks are simulated", p.at)
	}
	connectBoth(t, p)
	key := makeKey(t, p)

	p.openLink("/compose").requireStatus(http.StatusOK)
	chips := p.findAll("input[name=account]")
	if len(chips) != 4 {
		t.Fatalf("the composer offers %d accounts, want the profile and three Pages", len(chips))
	}
	accounts := map[string]string{}
	for _, chip := range chips {
		if _, seen := accounts[attrValue(chip, "data-platform")]; !seen {
			accounts[attrValue(chip, "data-platform")] = attrValue(chip, "value")
		}
	}

	live := map[string]string{}
	p.submitForm(
		testid("check-plan"), formInput{"account": {accounts["threads"]}, "text": {"Rye bread is back."}, "when": {"now"}},
	).requireStatus(http.StatusOK)
	if got := p.visibleText(testid("plan-row")); !strings.Contains(got, "Immediately") {
		t.Errorf("the plan says %q", got)
	}
	p.submitForm(testid("submit"), nil).requireStatus(http.StatusOK)
	live["Rye bread is back."] = followToLive(t, p)
	t.Logf("first live post %s after the first page", time.Since(began).Round(time.Millisecond))
	if took := time.Since(began); took > time.Minute {
		t.Errorf("from sign-up to live took %s, want under 60 s", took)
	}

	tomorrow := time.Now().AddDate(0, 0, 1).Format("2006-01-02") + "T18:00"
	p.openLink("/compose").requireStatus(http.StatusOK)
	entered := formInput{
		"account": {accounts["facebook"]}, "text": {"We open earlier on Monday."}, "when": {"at"}, "at": {tomorrow},
	}
	p.submitForm(testid("check-plan"), entered).requireStatus(http.StatusOK)
	p.submitForm(testid("submit"), nil).requireStatus(http.StatusOK)
	if got := attrValue(p.findOne(testid("post")), "data-status"); got != "queued" {
		t.Errorf("a scheduled post is %s, want queued", got)
	}
	p.submitForm(testid("send-now"), nil).requireStatus(http.StatusOK)
	live["We open earlier on Monday."] = followToLive(t, p)

	c := s.newClient(key)
	for _, platform := range []string{"threads", "facebook"} {
		text := "Sent to " + platform + " by a program."
		body := newPostBody(text, "now", accounts[platform])
		delete(body, "confirm")
		if plan := c.do("POST", "/posts/plan", body).requireStatus(t, 200); !plan.OK ||
			plan.Header["Belfry-Sandbox"] != "true" {
			t.Errorf("the plan for %s: %s, headers %v", platform, plan.Raw, plan.Header)
		}
		done := c.waitForStatus(c.createPost(text, "now", accounts[platform]).ID, "live", 20*time.Second)
		eventually(
			t, 20*time.Second, "the post has its link",
			func() bool { done = c.getPost(done.ID); return done.ExternalURL != nil },
		)
		live[text] = *done.ExternalURL
	}
	for text, link := range live {
		if network := newPerson(t, link).openLink(link).requireStatus(http.StatusOK); !strings.Contains(
			network.visibleText("main"), text,
		) {
			t.Errorf("the network's page %s does not show %q: %s", link, text, network.visibleText("main"))
		}
	}
	if seen := s.visiblePosts(); len(seen) != len(live) {
		t.Errorf("the networks show %d posts, want %d", len(seen), len(live))
	}
}

// connectBoth connects a Threads profile and three Facebook Pages, by every sort of way back from consent: a
// refusal, a single profile, and a choice among several.
func connectBoth(t *testing.T, p *person) {
	t.Helper()
	p.openLink("/accounts").openLink(attrValue(p.findOne(testid("connect-threads")), "href")).requireStatus(http.StatusOK)
	p.submitForm(testid("deny"), nil)
	if p.pagePath() != "/accounts" || !strings.Contains(p.visibleText(testid("flash")), "was not granted") ||
		len(p.findAll(testid("account"))) != 0 {
		t.Errorf(
			"without consent the way back ends at %s with %d and %d accounts", p.at, p.status, len(p.findAll(testid("account"))),
		)
	}
	p.connectAccount("threads", nil).requireStatus(http.StatusOK)
	if p.pagePath() != "/accounts" || len(p.findAll(testid("account"))) != 1 {
		t.Fatalf("after consent at Threads: %s with %d accounts", p.at, len(p.findAll(testid("account"))))
	}
	p.connectAccount("facebook", formInput{"newPage": {"Corner Shop"}, "page": nil}).requireStatus(http.StatusOK)
	if p.pagePath() != "/accounts" || len(p.findAll(testid("account"))) != 2 {
		t.Fatalf(
			"after consent for one Page: %s with %d accounts: %s", p.at, len(p.findAll(testid("account"))),
			p.visibleText("main"),
		)
	}
	p.connectAccount("facebook", formInput{"page": {"104758391620475", "118203947561038"}}).requireStatus(http.StatusOK)
	if p.pagePath() != "/accounts/choose" {
		t.Fatalf("after consent for two Pages: %s: %s", p.at, p.visibleText("main"))
	}
	p.submitForm(testid("choose-submit"), nil).requireStatus(http.StatusOK)
	if n := len(p.findAll(testid("account"))); p.pagePath() != "/accounts" || n != 4 {
		t.Fatalf("after the choice: %s with %d accounts", p.at, n)
	}
}

// makeKey creates an API key in Settings and returns it.
func makeKey(t *testing.T, p *person) string {
	t.Helper()
	p.openLink("/settings/keys").requireStatus(http.StatusOK)
	p.submitForm(
		testid("key-form"), formInput{"name": {"Newsletter"}, "scope": {"write"}},
	).requireStatus(http.StatusCreated)
	key := p.visibleText(testid("new-key"))
	if !strings.HasPrefix(key, "belfry_live_") {
		t.Fatalf("the page shows the new key %q", key)
	}
	if p.openLink("/settings/keys"); len(p.findAll(testid("new-key"))) != 0 || len(p.findAll(testid("key"))) != 1 {
		t.Error("the key is shown again, or is not in the list")
	}
	return key
}

// followToLive reloads a post's page until the post is live, and returns its public link.
func followToLive(t *testing.T, p *person) string {
	t.Helper()
	here := p.at.String()
	if len(p.findAll(testid("post"))) == 0 {
		t.Fatalf("%s shows no post: %s", here, p.visibleText("main"))
	}
	eventually(t, 20*time.Second, "the page shows a live post with its link", func() bool {
		p.openLink(here).requireStatus(http.StatusOK)
		return len(p.findAll(testid("live-link"))) == 1
	})
	if got := attrValue(p.findOne(testid("post")), "data-status"); got != "live" {
		t.Errorf("a post with a link is %s", got)
	}
	var kinds []string
	for _, e := range p.findAll(testid("event")) {
		kinds = append(kinds, attrValue(e, "data-kind"))
	}
	if len(kinds) < 4 || kinds[0] != "created" && kinds[len(kinds)-1] != "created" {
		t.Errorf("the timeline is %v", kinds)
	}
	return attrValue(p.findOne(testid("live-link")), "href")
}
