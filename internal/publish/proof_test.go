package publish_test

import (
	"strings"
	"testing"
	"time"

	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network/sim"
)

// workFor lets workers act on a post every minute.
func (b *bench) workFor(minutes int, p contract.Post) contract.Post {
	for range minutes {
		b.Clock.Advance(time.Minute)
		p = b.ws.Work(p)
	}
	return p
}

// The time within which a network may not show what it has published begins with the latest call, not with the first.
func TestAContainerThatIsMissingAfterALaterCallIsNotReplaced(t *testing.T) {
	b := newBench(t)
	must(t, b.Sim.SetOption("threads.list_delay_seconds", "45"))
	refusal := fault("threads", "publish", "reject")
	refusal.Code, refusal.Status, refusal.Message = 100, 400, "No"
	b.Fault(refusal)
	post := b.ws.Work(b.ws.Now("armed before", b.ws.Account("threads")))
	b.wants(post, "failed", 0, "created", "queued", "publishing", "failed")
	b.Clock.Advance(10 * time.Minute)
	b.ws.Retry(post)
	b.Fault(fault("threads", "publish", "drop_after_accept"))
	b.Fault(sim.Fault{
		Network: "threads", Call: "status", Kind: "error", Code: 24, Subcode: 4279009, Status: 400, Skip: 1, Times: new(1),
	})
	if post = b.workFor(5, b.ws.Work(post)); post.Status != "live" || b.Visible(post.Text) != 1 {
		t.Errorf("the post is %s, and %d are visible", post.StatusLine, b.Visible(post.Text))
	}
}

func TestAVideoWhoseStatusIsRefusedAfterALaterCallIsNotUploadedAgain(t *testing.T) {
	b := newBench(t)
	must(t, b.Sim.SetOption("youtube.list_delay_seconds", "60"))
	refusal := sim.Fault{Network: "youtube", Call: "publish", Kind: "error", Reason: "forbidden", Status: 403, Times: new(1)}
	b.Fault(refusal)
	post := b.ws.PostOf(apptest.KindNamed(t, "YouTube video"), "a film", b.ws.Account("youtube"), now())
	for post = b.ws.Work(post); post.Status == "queued"; post = b.ws.Work(post) {
		b.Clock.Set(b.next())
	}
	b.Clock.Advance(20 * time.Minute)
	b.ws.Retry(post)
	b.Fault(fault("youtube", "publish", "drop_after_accept"))
	refusal.Call, refusal.Skip = "status", 1
	b.Fault(refusal)
	if post = b.workFor(10, b.ws.Work(post)); post.Status != "live" || len(b.Sim.Posts.All()) != 1 {
		t.Errorf("the post is %s, and %d are visible", post.StatusLine, len(b.Sim.Posts.All()))
	}
}

// A person's word that the post was not published was asked for again and again.
func TestAPersonsWordSendsAPostWhoseOutcomeTheNetworkCannotTell(t *testing.T) {
	for kind, forget := range map[string]func(*bench){
		"YouTube video": func(b *bench) { must(b.t, b.Sim.SetOption("youtube.session_hours", "1")) },
		"TikTok video": func(b *bench) {
			b.Fault(sim.Fault{Network: "tiktok", Call: "status", Kind: "error", Reason: "invalid_publish_id", Times: new(0)})
		},
	} {
		t.Run(kind, func(t *testing.T) {
			b := newBench(t)
			k := apptest.KindNamed(t, kind)
			forget(b)
			b.Fault(fault(k.Network, "publish", "drop_before_accept"))
			post := b.ws.PostOf(k, "a film", b.ws.Account(k.Network), now())
			for post = b.ws.Work(post); post.Status == "queued"; post = b.ws.Work(post) {
				b.Clock.Advance(12 * time.Hour)
			}
			b.Sim.Faults.Clear()
			if post.Error == nil || post.Error.Code != core.ErrorOutcomeUnknown {
				t.Fatalf("it is %s: %+v", post.StatusLine, post.Error)
			}
			_, err := b.App.ResolveOutcome(t.Context(), b.ws.Owner, post.ID, contract.ResolveOutcome{})
			must(t, err)
			if post = b.workFor(5, b.ws.Work(post)); post.Status != "live" || len(b.Sim.Posts.All()) != 1 {
				t.Errorf("it is %s (%+v), and %d are visible", post.StatusLine, post.Error, len(b.Sim.Posts.All()))
			}
		})
	}
}

// A network published a post and answered that the token was revoked. Nobody could ask it, so a copy could have been a
// second post.
func TestAPostThatFailedForItsAccountMayBeLive(t *testing.T) {
	for network, question := range map[string]string{"threads": "status", "facebook": "list"} {
		t.Run(network, func(t *testing.T) {
			b := newBench(t)
			revoked := fault(network, "publish", sim.TokenRevoked)
			revoked.Accept = true
			b.Fault(revoked)
			account := b.ws.Account(network)
			post := b.ws.Work(b.ws.Now("hello", account))
			b.wants(post, "failed", 1, "created", "queued", "publishing", "failed")
			if post.Error.Hint == nil || !strings.Contains(*post.Error.Hint, "The post may already be live.") {
				t.Errorf("the error is %+v", post.Error)
			}
			b.ws.Reconnect(account)
			b.Fault(fault(network, question, sim.TokenRevoked))
			b.workFor(3, b.ws.Retry(b.ws.Post(post))) // which could not ask either
			b.ws.Reconnect(account)
			copied, err := b.App.DuplicatePost(t.Context(), b.ws.Owner, post.ID)
			must(t, err)
			if err := b.queue(copied, time.Minute); core.CodeOf(err) != core.CodeConflict {
				t.Errorf("the copy: %v", err)
			}
			if post = b.ws.Post(post); post.Status == "failed" {
				post = b.ws.Retry(post)
			}
			if post = b.workFor(3, post); post.Status != "live" || b.Visible("hello") != 1 {
				t.Errorf("the post is %s, and %d are visible", post.StatusLine, b.Visible("hello"))
			}
		})
	}
}
