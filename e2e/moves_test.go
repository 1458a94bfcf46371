package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// in is a time some days ahead, as a request says it.
func in(days int) fields {
	return fields{"publishAt": time.Now().UTC().AddDate(0, 0, days).Format("2006-01-02") + "T10:00", "timezone": "UTC"}
}

// The goal: "cancel, reschedule, retry", at both networks, with duplicate and delete beside them.
func TestMoves(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.serve()
	seed := s.seed()
	for _, platform := range []string{"threads", "facebook"} {
		t.Run(platform, func(t *testing.T) {
			t.Parallel()
			c := s.client(seed.Key)
			t.Run("reschedule and cancel", func(t *testing.T) { rescheduleAndCancel(t, s, c.by(t), seed.Accounts[platform]) })
			t.Run("retry", func(t *testing.T) { retryAndDuplicate(t, s, c.by(t), platform, seed.Accounts[platform]) })
			t.Run("the worker's own retry", func(t *testing.T) { retryByItself(t, s, c.by(t), platform, seed.Accounts[platform]) })
			t.Run("a throttle", func(t *testing.T) { throttled(t, s, c.by(t), platform, seed.Accounts[platform]) })
			t.Run("reconnect and retry", func(t *testing.T) { reconnectAndRetry(t, s, c.by(t), seed, platform) })
		})
	}
}

func rescheduleAndCancel(t *testing.T, s *service, c *client, account string) {
	text := "Moved about, " + account
	p := c.post(text, in(2), account)
	if p.Status != "queued" || p.PublishAt == nil {
		t.Fatalf("a scheduled post is %+v", p)
	}
	moved := c.do("PATCH", "/posts/"+p.ID, fields{"when": in(3)}).want(t, 200)
	if now := c.get(p.ID); now.PublishAt.Sub(*p.PublishAt) != 24*time.Hour {
		t.Errorf("moved by a day it is due at %s, was %s: %s", now.PublishAt, p.PublishAt, moved.Raw)
	}
	c.do("POST", "/posts/"+p.ID+"/cancel", nil).want(t, 200)
	if now := c.get(p.ID); now.Status != "draft" || now.PublishAt != nil {
		t.Errorf("a cancelled post is %s, due %v; want a draft without a time", now.Status, now.PublishAt)
	}
	c.do("POST", "/posts/"+p.ID+"/cancel", nil).want(t, 409)
	c.do("PATCH", "/posts/"+p.ID, fields{"status": "queued"}).want(t, 409)
	c.do("PATCH", "/posts/"+p.ID, fields{"text": text + ", edited", "when": in(1), "status": "queued"}).want(t, 200)
	if got := c.kinds(p.ID); !slices.Equal(got, []string{"created", "queued", "rescheduled", "cancelled", "queued"}) {
		t.Errorf("the timeline is %v", got)
	}
	if n := s.seen(text) + s.seen(text+", edited"); n != 0 {
		t.Errorf("a post that is not due is visible")
	}
	c.do("PATCH", "/posts/"+p.ID, fields{"when": "now"}).want(t, 200)
	c.becomes(p.ID, "live", 20*time.Second)
	if n := s.seen(text + ", edited"); n != 1 {
		t.Errorf("visible %d times, want once", n)
	}
	for _, move := range []string{"cancel", "retry"} {
		if a := c.do("POST", "/posts/"+p.ID+"/"+move, nil); a.Status != 409 || a.Code != "conflict" {
			t.Errorf("%s of a live post answers %d %s", move, a.Status, a.Code)
		}
	}
	c.do("DELETE", "/posts/"+p.ID, nil).want(t, 409)
}

func retryAndDuplicate(t *testing.T, s *service, c *client, platform, account string) {
	text := "Refused once, " + account
	s.fault(map[string]any{"kind": "reject", "network": platform, "call": "publish", "match": text, "message": "Too early in the day."})
	p := c.becomes(c.post(text, "now", account).ID, "failed", 20*time.Second)
	if p.Error == nil || p.Error.Code != "rejected" || !strings.Contains(p.Error.Message, "Too early in the day.") {
		t.Errorf("the error is %+v, want the network's own words", p.Error)
	}
	if n := s.seen(text); n != 0 {
		t.Errorf("a refused post is visible")
	}
	c.do("POST", "/posts/"+p.ID+"/retry", nil).want(t, 200)
	c.becomes(p.ID, "live", 20*time.Second)
	if n := s.seen(text); n != 1 {
		t.Errorf("after the retry it is visible %d times, want once", n)
	}

	copied := c.do("POST", "/posts/"+p.ID+"/duplicate", nil).want(t, 200)
	if now := c.get(copied.ID); copied.ID == p.ID || now.Status != "draft" || now.Text != text || now.AccountID != account {
		t.Errorf("the duplicate is %+v", now)
	}
	c.do("DELETE", "/posts/"+copied.ID, nil).want(t, 204)
	c.do("GET", "/posts/"+copied.ID, nil).want(t, 404)

	s.fault(map[string]any{"kind": "reject", "network": platform, "call": "publish", "match": text + ", again"})
	failed := c.becomes(c.post(text+", again", "now", account).ID, "failed", 20*time.Second)
	c.do("DELETE", "/posts/"+failed.ID, nil).want(t, 204)
	c.do("GET", "/posts/"+failed.ID, nil).want(t, 404)
}

// beforehand is a call that each network gets before the one that publishes.
var beforehand = map[string]string{"threads": "create", "facebook": "profile"}

// retryByItself: what surely did not go out because the network failed is tried again by the worker, and its
// timeline says when; a cancel takes that back.
func retryByItself(t *testing.T, s *service, c *client, platform, account string) {
	text := "Not reached at first, " + account
	fault := map[string]any{"kind": "server_error", "network": platform, "call": beforehand[platform]}
	s.fault(fault)
	p := c.post(text, "now", account)
	eventually(t, 20*time.Second, "the worker will retry", func() bool { return slices.Contains(c.kinds(p.ID), "failed") })
	c.becomes(p.ID, "live", 20*time.Second)
	if got := c.kinds(p.ID); !slices.Contains(got, "retried") || slices.Contains(got, "retriedByWorker") {
		t.Errorf("the timeline is %v, want a retry that is over", got)
	}
	if n := s.seen(text); n != 1 {
		t.Errorf("visible %d times, want once", n)
	}
}

// throttled: a network that takes no more for now is waited for, and the post says until when.
func throttled(t *testing.T, s *service, c *client, platform, account string) {
	text := "Throttled, " + account
	s.fault(map[string]any{"kind": "rate_limited", "network": platform, "call": "publish", "match": text, "retryAfter": 600})
	p := c.post(text, "now", account)
	eventually(t, 20*time.Second, "the post is held", func() bool {
		p = c.get(p.ID)
		events := c.do("GET", "/posts/"+p.ID+"/events", nil).want(t, 200).Events
		return strings.HasPrefix(events[len(events)-1].Message, "Held until")
	})
	if p.Status != "queued" || s.seen(text) != 0 {
		t.Errorf("a held post is %s and visible %d times: %s", p.Status, s.seen(text), p.StatusLine)
	}
}

// reconnectAndRetry: a withdrawn token fails the post and revokes the account; a person reconnects it, and the post
// goes out.
func reconnectAndRetry(t *testing.T, s *service, c *client, seed seeded, platform string) {
	text := "Token withdrawn, " + platform
	s.fault(map[string]any{"kind": "token_revoked", "network": platform, "call": "any", "times": 1})
	p := c.becomes(c.post(text, "now", seed.Accounts[platform]).ID, "failed", 20*time.Second)
	if p.Error == nil || p.Error.Code != "account_revoked" {
		t.Fatalf("the error is %+v, want account_revoked", p.Error)
	}
	if got := c.do("GET", "/accounts", nil).want(t, 200).Raw; !strings.Contains(got, `"status":"revoked"`) {
		t.Errorf("no account is revoked: %s", got)
	}
	_, person := s.session(seed)
	person.open("/accounts").want(http.StatusOK)
	again := person.one(`[data-account="` + seed.Accounts[platform] + `"] ` + testid("reconnect"))
	person.open(value(again, "href")).want(http.StatusOK)
	name := strings.Replace(seed.Workspace, "demo-", "demo_", 1)
	entered := fill{"username": {name}}
	if platform == "facebook" {
		entered = fill{"newPage": {name}, "page": nil}
	}
	person.submit(testid("allow"), entered).want(http.StatusOK)
	if status := value(person.one(`[data-account="`+seed.Accounts[platform]+`"]`), "data-status"); status != "ok" {
		t.Fatalf("after reconnecting the account is %s: %s", status, person.words("main"))
	}
	c.do("POST", "/posts/"+p.ID+"/retry", nil).want(t, 200)
	c.becomes(p.ID, "live", 20*time.Second)
	if n := s.seen(text); n != 1 {
		t.Errorf("visible %d times, want once", n)
	}
}
