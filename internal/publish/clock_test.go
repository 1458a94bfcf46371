package publish_test

import (
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/contract"
)

// A server whose clock ran ahead made a post for "now" wait for as long as it was ahead.
func TestNowIsNowByTheDatabasesClock(t *testing.T) {
	ahead := func(b *bench) {
		b.App = b.Replica(func(c *app.Config) { c.Now = func() time.Time { return b.Clock.Now().Add(time.Hour) } })
	}
	now := &contract.When{Word: "now"}
	for name, queue := range map[string]func(*bench) contract.Post{
		"created": func(b *bench) contract.Post {
			account := b.ws.Account("threads")
			ahead(b)
			return b.ws.Now("at once", account)
		},
		"a draft": func(b *bench) contract.Post {
			draft := b.ws.Draft("at once", b.ws.Account("threads"))
			ahead(b)
			return b.edit(draft, contract.EditPost{When: now, Status: "queued"})
		},
		"moved": func(b *bench) contract.Post {
			post := b.ws.Queued("at once", b.ws.Account("threads"), b.Clock.Now().Add(24*time.Hour))
			ahead(b)
			return b.edit(post, contract.EditPost{When: now})
		},
		"retried": func(b *bench) contract.Post {
			b.Fault(fault("threads", "create", "reject"))
			post := b.ws.Work(b.ws.Now("at once", b.ws.Account("threads")))
			ahead(b)
			return b.ws.Retry(post)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			if post := b.ws.Work(queue(b)); post.Status != "live" {
				t.Errorf("the post is %s", post.Status)
			}
		})
	}
}

// A retry is at the post's own time if that is still ahead, otherwise now (Spec §3).
func TestARetryKeepsATimeThatIsAhead(t *testing.T) {
	for name, passed := range map[string]time.Duration{"ahead": -time.Hour, "past": time.Hour} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.Fault(fault("threads", "create", "reject"))
			failed := b.ws.Work(b.ws.Now("again", b.ws.Account("threads")))
			b.Clock.Advance(passed)
			want := failed.PublishAt.Time
			if passed > 0 {
				want = b.Clock.Now()
			}
			again := b.ws.Retry(failed)
			if again.Status != "queued" || !again.PublishAt.Equal(want) {
				t.Errorf("it is %s for %s, want queued for %s", again.Status, again.PublishAt, want)
			}
			if due := b.ws.Work(again).Status == "live"; due != (passed > 0) {
				t.Errorf("it goes out at once: %t", due)
			}
		})
	}
}

func (b *bench) edit(p contract.Post, in contract.EditPost) contract.Post {
	b.t.Helper()
	in.ID = p.ID
	got, err := b.App.EditPost(b.Context(), b.ws.Owner, in)
	if err != nil {
		b.t.Fatal(err)
	}
	return got
}

// A post that had been called before it was given another time never counted as late or in time again.
func TestAPostsLatenessCountsOnceForEachOfItsTimes(t *testing.T) {
	for name, c := range map[string]struct {
		fault string
		anew  func(*bench, contract.Post) contract.Post
	}{
		"moved": {"never_ready", func(b *bench, p contract.Post) contract.Post {
			at := utc(b.Clock.Now().Add(time.Hour).Format("2006-01-02T15:04"))
			return b.edit(p, contract.EditPost{When: &at})
		}},
		"retried": {"token_revoked", func(b *bench, p contract.Post) contract.Post {
			b.ws.Reconnect(b.ws.Account("threads", "one"))
			b.Clock.Advance(time.Hour)
			return b.ws.Retry(p)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.Fault(fault("threads", "status", c.fault))
			post := b.ws.Work(b.ws.Now("twice due", b.ws.Account("threads", "one")))
			if got := b.firstCalls(); got != 1 {
				t.Errorf("%d figures before", got)
			}
			post = c.anew(b, post)
			if post = b.after(time.Hour, post); post.Status != "live" || b.firstCalls() != 2 {
				t.Errorf("%d figures when the post is %s", b.firstCalls(), post.Status)
			}
		})
	}
}

// firstCalls returns the number of first calls in the metric of lateness.
func (b *bench) firstCalls() uint64 {
	b.t.Helper()
	families, err := b.Config.Metrics.Registry.Gather()
	must(b.t, err)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if f.GetName() == "publish_lateness_seconds" && l.GetValue() == "first_call" {
					return m.GetHistogram().GetSampleCount()
				}
			}
		}
	}
	return 0
}

// The time in which a call may be made was counted by the machine's clock and judged by the App's.
func TestACallsTimeIsCountedAndJudgedByOneClock(t *testing.T) {
	t.Parallel()
	for _, year := range []int{2001, 2126} {
		h := apptest.New(t)
		ws := h.Workspace("one")
		h.Clock.Set(time.Date(year, time.March, 1, 12, 0, 0, 0, time.UTC))
		if post := ws.Work(ws.Now("any time", ws.Account("threads"))); post.Status != "live" {
			t.Errorf("in %d the post is %s (%+v)", year, post.Status, post.Error)
		}
	}
}
