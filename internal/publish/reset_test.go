package publish_test

import (
	"testing"
	"time"

	"belfry/internal/contract"
)

// What was prepared at the network belongs to the content and time that the post had then. A container that outlived
// the change was published with the words that had been edited away.
func TestAChangedPostDropsWhatWasPrepared(t *testing.T) {
	for name, change := range map[string]func(b *bench, p contract.Post, at *contract.When){
		"cancelled, edited and queued": func(b *bench, p contract.Post, at *contract.When) {
			draft, err := b.App.CancelPost(b.Context(), b.ws.Owner, p.ID)
			must(b.t, err)
			b.edit(draft, contract.EditPost{Text: new("new words")})
			b.edit(draft, contract.EditPost{When: at, Status: "queued"})
		},
		"rescheduled": func(b *bench, p contract.Post, at *contract.When) { b.edit(p, contract.EditPost{When: at}) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.Fault(fault("threads", "status", "never_ready"))
			post := b.ws.Work(b.ws.Now("old words", b.ws.Account("threads")))
			b.wants(post, "queued", 0, "created", "queued", "publishing")
			at := utc(b.Clock.Now().Add(10 * time.Minute).Format("2006-01-02T15:04"))
			change(b, post, &at)
			b.Sim.Faults.Clear()
			b.Clock.Advance(10 * time.Minute)
			post = b.ws.Work(post)
			if n := b.Visible(post.Text); post.Status != "live" || n != 1 {
				t.Errorf("the post is %s, and its words are at the network %d times", post.Status, n)
			}
			if n := b.calls("create"); n != 2 {
				t.Errorf("%d containers were created, want one before the change and one after it", n)
			}
		})
	}
}
