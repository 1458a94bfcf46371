package publish_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/media/mediatest"
	"belfry/internal/network/sim"
)

// says checks the end of a post's status line; "" means that it ends with the time.
func (b *bench) says(p contract.Post, want string) {
	b.t.Helper()
	_, got, _ := strings.Cut(b.ws.Post(p).StatusLine, " UTC")
	if got != want {
		b.t.Errorf("the status line ends with %q, want %q", got, want)
	}
}

// next returns when a worker acts on the only post.
func (b *bench) next() (at time.Time) {
	b.t.Helper()
	must(b.t, b.Pool.QueryRow(b.Context(), `SELECT coalesce(prepare_at, next_action_at) FROM publications`).Scan(&at))
	return at.UTC()
}

// A person who sent a refused post again read that its network was asked whether it took it.
func TestAPostThatIsSentAgainIsNotOneWhoseAnswerWasLost(t *testing.T) {
	for _, network := range []string{"threads", "facebook"} {
		t.Run(network, func(t *testing.T) {
			b := newBench(t)
			b.Fault(fault(network, "publish", "reject"))
			post := b.refuse(b.ws.Now("again", b.ws.Account(network)))
			b.wants(post, "failed", 0, "created", "queued", "publishing", "failed")
			b.says(b.ws.Retry(post), "")
			if post = b.ws.Work(post); post.Status != "live" {
				t.Errorf("it is %s", post.Status)
			}
		})
	}
}

// A throttle at the call that publishes was called a lost answer, and the network's own word on when was forgotten
// by the question that follows it.
func TestAPostHeldAtPublishSaysUntilWhenTheNetworkSaid(t *testing.T) {
	b := newBench(t)
	b.Fault(fault("threads", "publish", sim.RateLimited))
	until := apptest.Start().Add(30 * time.Second)
	post := b.ws.Work(b.ws.Now("held", b.ws.Account("threads")))
	b.wants(post, "queued", 0, "created", "queued", "publishing", "queued")
	b.says(post, until.Format(" · held until Mon 2 Jan 2006, 15:04 UTC"))
	if got := b.next(); got != until {
		t.Errorf("it is held until %s", got)
	}
	if post = b.after(30*time.Second, post); post.Status != "live" || b.Visible("held") != 1 {
		t.Errorf("after that time it is %s", post.Status)
	}
}

// Facebook has published posts although it answered with an error. While such a post may still become visible, it is
// neither held nor a draft, and its account stays connected.
func TestAThrottledPostThatMayBecomeVisibleIsAskedAboutAfterTheSettleTime(t *testing.T) {
	for _, published := range []bool{true, false} {
		t.Run(fmt.Sprintf("published: %v", published), func(t *testing.T) {
			b := newBench(t)
			must(t, b.Sim.SetOption("facebook.list_delay_seconds", "90"))
			throttle := fault("facebook", "publish", sim.RateLimited)
			throttle.Accept, throttle.RetryAfter = published, 600
			b.Fault(throttle)
			account := b.ws.Account("facebook")
			post := b.ws.Work(b.ws.Now("held", account))
			b.wants(post, "queued", b.Visible("held"), "created", "queued", "publishing")
			b.says(post, " · will ask Facebook at 09:02 UTC whether it published the post")
			if _, err := b.App.CancelPost(t.Context(), b.ws.Owner, post.ID); core.CodeOf(err) != core.CodeConflict {
				t.Errorf("cancelled: %v", err)
			}
			if err := b.App.DisconnectAccount(t.Context(), b.ws.Owner, account.ID); core.CodeOf(err) != core.CodeConflict {
				t.Errorf("disconnected: %v", err)
			}
			b.Clock.Set(b.next())
			if post = b.ws.Work(post); published {
				b.wants(post, "live", 1, "created", "queued", "publishing", "live")
				return
			}
			b.wants(post, "queued", 0, "created", "queued", "publishing", "queued")
			b.says(post, " · held until Mon 5 Oct 2026, 09:10 UTC")
			b.Clock.Set(b.next())
			b.wants(b.ws.Work(post), "live", 1, "created", "queued", "publishing", "queued", "live")
		})
	}
}

// The network's word is kept also where the question after the throttle got no answer.
func TestAThrottleIsRememberedWhileTheNetworkCannotBeAsked(t *testing.T) {
	b := newBench(t)
	throttle := fault("facebook", "publish", sim.RateLimited)
	throttle.RetryAfter = 300
	b.Fault(throttle)
	b.Fault(fault("facebook", "list", "server_error"))
	post := b.ws.Work(b.ws.Now("held", b.ws.Account("facebook")))
	b.says(post, " · will ask Facebook at 09:00 UTC whether it published the post")
	b.Clock.Set(b.next())
	post = b.ws.Work(post)
	b.says(post, " · will ask Facebook at 09:02 UTC whether it published the post")
	b.Clock.Set(b.next())
	post = b.ws.Work(post)
	if held := b.next(); held != apptest.Start().Add(5*time.Minute) {
		t.Errorf("it is held until %s", held)
	}
	b.says(post, " · held until Mon 5 Oct 2026, 09:05 UTC")
	if post = b.after(5*time.Minute, post); post.Status != "live" {
		t.Errorf("after the time that the network gave it is %s: %s", post.Status, post.StatusLine)
	}
}

// Where the answer is lost, the page says when the network is asked, not until when: nobody asks before that.
func TestALostAnswerSaysWhenTheNetworkIsAsked(t *testing.T) {
	b := newBench(t)
	b.Fault(fault("facebook", "publish", "drop_after_accept"))
	post := b.ws.Work(b.ws.Now("lost", b.ws.Account("facebook")))
	next := b.next()
	b.says(post, " · will ask Facebook at "+next.Format("15:04 MST")+" whether it published the post")
	b.Clock.Set(next)
	b.says(post, " · asking Facebook whether it published the post")
	if post = b.ws.Work(post); post.Status != "live" {
		t.Errorf("it is %s", post.Status)
	}
}

// Whoever is to look at the network is led to the account there.
func TestAPostThatNobodyKnowsOfLeadsToItsAccount(t *testing.T) {
	b := newBench(t)
	b.Fault(fault("facebook", "publish", "drop_before_accept"))
	account := b.ws.Account("facebook")
	post := b.after(5*time.Minute, b.ws.Work(b.ws.Now("lost", account)))
	production := b.Replica(func(c *app.Config) { c.NetworksURL = "" })
	card, err := production.GetPostCard(b.Context(), b.ws.Owner, post.ID)
	must(t, err)
	if want := "https://www.facebook.com/" + stored[string](t, b.Harness, account, "external_id"); card.ProfileURL != want {
		t.Errorf("it leads to %q, want %q", card.ProfileURL, want)
	}
}

// Facebook takes a Reel and shows it once it is processed: that it has the post is known.
func TestATakenVideoIsNotCalledInDoubt(t *testing.T) {
	b := newBench(t)
	must(t, b.Sim.SetOption("facebook.process_seconds", "60"))
	film := b.ws.File("clip.mp4", mediatest.MP4(mediatest.Movie{Width: 1080, Height: 1920, Duration: 5 * time.Second}))
	in := request("a Reel", now(), b.ws.Account("facebook"))
	in.PerPlatform = map[string]json.RawMessage{"facebook": json.RawMessage(`{"contentType":"reels"}`)}
	post := b.post(in, film)
	for post.Status == "queued" {
		post = b.ws.Work(post)
		if strings.Contains(post.StatusLine, "whether it published the post") {
			t.Fatalf("in doubt: %s", post.StatusLine)
		}
		if post.Status == "queued" {
			b.Clock.Set(b.next())
		}
	}
	if post.Status != "live" || b.Visible("a Reel") != 1 || post.ExternalURL == nil {
		t.Errorf("it is %s at %v: %+v", post.Status, post.ExternalURL, post.Error)
	}
}
