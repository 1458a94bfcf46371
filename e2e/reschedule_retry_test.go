package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// inDays is a time some days ahead, as a request says it.
func inDays(days int) fields {
	return fields{"publishAt": time.Now().UTC().AddDate(0, 0, days).Format("2006-01-02") + "T10:00", "timezone": "UTC"}
}

// The goal: "cancel, reschedule, retry", at both networks, with duplicate and delete beside them.
func TestRescheduleCancelRetryAndReconnect(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.serveUntilReady()
	seed := s.seedWorkspace()
	for _, platform := range []string{"threads", "facebook"} {
		t.Run(platform, func(t *testing.T) {
			t.Parallel()
			c := s.newClient(seed.Key)
			t.Run(
				"reschedule and cancel", func(t *testing.T) { rescheduleAndCancel(t, s, c.inTest(t), seed.Accounts[platform]) },
			)
			t.Run("retry", func(t *testing.T) { retryAndDuplicate(t, s, c.inTest(t), platform, seed.Accounts[platform]) })
			t.Run(
				"the worker's own retry",
				func(t *testing.T) { waitForAutomaticRetry(t, s, c.inTest(t), platform, seed.Accounts[platform]) },
			)
			t.Run("reconnect and retry", func(t *testing.T) { reconnectAndRetry(t, s, c.inTest(t), seed, platform) })
			// The last one: a throttle holds all further posts of the account.
			t.Run("a throttle", func(t *testing.T) { retryAfterThrottle(t, s, c.inTest(t), platform, seed.Accounts[platform]) })
		})
	}
}

func rescheduleAndCancel(t *testing.T, s *service, c *client, account string) {
	text := "Moved about, " + account
	p := c.createPost(text, inDays(2), account)
	if p.Status != "queued" || p.PublishAt == nil {
		t.Fatalf("a scheduled post is %+v", p)
	}
	moved := c.do("PATCH", "/posts/"+p.ID, fields{"when": inDays(3)}).requireStatus(t, 200)
	if now := c.getPost(p.ID); now.PublishAt.Sub(*p.PublishAt) != 24*time.Hour {
		t.Errorf("moved by a day it is due at %s, was %s: %s", now.PublishAt, p.PublishAt, moved.Raw)
	}
	c.do("POST", "/posts/"+p.ID+"/cancel", nil).requireStatus(t, 200)
	if now := c.getPost(p.ID); now.Status != "draft" || now.PublishAt != nil {
		t.Errorf("a cancelled post is %s, due %v; want a draft without a time", now.Status, now.PublishAt)
	}
	c.do("POST", "/posts/"+p.ID+"/cancel", nil).requireStatus(t, 409)
	c.do("PATCH", "/posts/"+p.ID, fields{"status": "queued"}).requireStatus(t, 409)
	c.do(
		"PATCH", "/posts/"+p.ID, fields{"text": text + ", edited", "when": inDays(1), "status": "queued"},
	).requireStatus(t, 200)
	if got := c.eventKinds(p.ID); !slices.Equal(got, []string{"created", "queued", "rescheduled", "cancelled", "queued"}) {
		t.Errorf("the timeline is %v", got)
	}
	if n := s.countVisible(text) + s.countVisible(text+", edited"); n != 0 {
		t.Errorf("a post that is not due is visible")
	}
	c.do("PATCH", "/posts/"+p.ID, fields{"when": "now"}).requireStatus(t, 200)
	c.waitForStatus(p.ID, "live", 20*time.Second)
	if n := s.countVisible(text + ", edited"); n != 1 {
		t.Errorf("visible %d times, want once", n)
	}
	for _, move := range []string{"cancel", "retry"} {
		if a := c.do("POST", "/posts/"+p.ID+"/"+move, nil); a.Status != 409 || a.Code != "conflict" {
			t.Errorf("%s of a live post answers %d %s", move, a.Status, a.Code)
		}
	}
	c.do("DELETE", "/posts/"+p.ID, nil).requireStatus(t, 409)
}

func retryAndDuplicate(t *testing.T, s *service, c *client, platform, account string) {
	text := "Refused once, " + account
	s.addFault(
		map[string]any{
			"kind": "reject", "network": platform, "call": "publish", "match": text, "message": "Too early in the day.",
		},
	)
	p := c.waitForStatus(c.createPost(text, "now", account).ID, "failed", 20*time.Second)
	if p.Error == nil || p.Error.Code != "rejected" || !strings.Contains(p.Error.Message, "Too early in the day.") {
		t.Errorf("the error is %+v, want the network's own words", p.Error)
	}
	if n := s.countVisible(text); n != 0 {
		t.Errorf("a refused post is visible")
	}
	c.do("POST", "/posts/"+p.ID+"/retry", nil).requireStatus(t, 200)
	c.waitForStatus(p.ID, "live", 20*time.Second)
	if n := s.countVisible(text); n != 1 {
		t.Errorf("after the retry it is visible %d times, want once", n)
	}

	copied := c.do("POST", "/posts/"+p.ID+"/duplicate", nil).requireStatus(t, 200)
	if now := c.getPost(copied.ID); copied.ID == p.ID || now.Status != "draft" || now.Text != text ||
		now.AccountID != account {
		t.Errorf("the duplicate is %+v", now)
	}
	c.do("DELETE", "/posts/"+copied.ID, nil).requireStatus(t, 204)
	c.do("GET", "/posts/"+copied.ID, nil).requireStatus(t, 404)

	s.addFault(map[string]any{"kind": "reject", "network": platform, "call": "publish", "match": text + ", again"})
	failed := c.waitForStatus(c.createPost(text+", again", "now", account).ID, "failed", 20*time.Second)
	c.do("DELETE", "/posts/"+failed.ID, nil).requireStatus(t, 204)
	c.do("GET", "/posts/"+failed.ID, nil).requireStatus(t, 404)
}

// beforehand is a call that each network gets before the one that publishes.
var beforehand = map[string]string{"threads": "create", "facebook": "profile"}

// waitForAutomaticRetry: what surely did not go out because the network failed is tried again by the worker, and its
// timeline says when; a cancel takes that back.
func waitForAutomaticRetry(t *testing.T, s *service, c *client, platform, account string) {
	text := "Not reached at first, " + account
	fault := map[string]any{"kind": "server_error", "network": platform, "call": beforehand[platform]}
	s.addFault(fault)
	p := c.createPost(text, "now", account)
	eventually(
		t, 20*time.Second, "the worker will retry", func() bool { return slices.Contains(c.eventKinds(p.ID), "failed") },
	)
	c.waitForStatus(p.ID, "live", 20*time.Second)
	if got := c.eventKinds(p.ID); !slices.Contains(got, "retried") || slices.Contains(got, "retriedByWorker") {
		t.Errorf("the timeline is %v, want a retry that is over", got)
	}
	if n := s.countVisible(text); n != 1 {
		t.Errorf("visible %d times, want once", n)
	}
}

// retryAfterThrottle: a network that takes no more for now is waited for, and the post says until when.
func retryAfterThrottle(t *testing.T, s *service, c *client, platform, account string) {
	text := "Throttled, " + account
	s.addFault(
		map[string]any{"kind": "rate_limited", "network": platform, "call": "publish", "match": text, "retryAfter": 600},
	)
	p := c.createPost(text, "now", account)
	eventually(t, 20*time.Second, "the post is held", func() bool {
		p = c.getPost(p.ID)
		events := c.do("GET", "/posts/"+p.ID+"/events", nil).requireStatus(t, 200).Events
		return strings.HasPrefix(events[len(events)-1].Message, "Held until")
	})
	if p.Status != "queued" || s.countVisible(text) != 0 {
		t.Errorf("a held post is %s and visible %d times: %s", p.Status, s.countVisible(text), p.StatusLine)
	}
}

// reconnectAndRetry: a withdrawn token fails the post and revokes the account; a person reconnects it, and the post
// goes out.
func reconnectAndRetry(t *testing.T, s *service, c *client, seed seedResult, platform string) {
	text := "Token withdrawn, " + platform
	s.addFault(map[string]any{"kind": "token_revoked", "network": platform, "call": "any", "times": 1})
	p := c.waitForStatus(c.createPost(text, "now", seed.Accounts[platform]).ID, "failed", time.Minute)
	if p.Error == nil || p.Error.Code != "account_revoked" {
		t.Fatalf("the error is %+v, want account_revoked", p.Error)
	}
	if got := c.do("GET", "/accounts", nil).requireStatus(t, 200).Raw; !strings.Contains(got, `"status":"revoked"`) {
		t.Errorf("no account is revoked: %s", got)
	}
	_, person := s.signIn(seed)
	person.openLink("/accounts").requireStatus(http.StatusOK)
	again := person.findOne(`[data-account="` + seed.Accounts[platform] + `"] ` + testid("reconnect"))
	person.openLink(attrValue(again, "href")).requireStatus(http.StatusOK)
	name := strings.Replace(seed.Workspace, "demo-", "demo_", 1)
	entered := formInput{"username": {name}}
	if platform == "facebook" {
		entered = formInput{"newPage": {name}, "page": nil}
	}
	person.submitForm(testid("allow"), entered).requireStatus(http.StatusOK)
	if status := attrValue(person.findOne(`[data-account="`+seed.Accounts[platform]+`"]`), "data-status"); status != "ok" {
		t.Fatalf("after reconnecting the account is %s: %s", status, person.visibleText("main"))
	}
	c.do("POST", "/posts/"+p.ID+"/retry", nil).requireStatus(t, 200)
	c.waitForStatus(p.ID, "live", 20*time.Second)
	if n := s.countVisible(text); n != 1 {
		t.Errorf("visible %d times, want once", n)
	}
}
