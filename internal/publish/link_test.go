package publish_test

import (
	"testing"
	"time"

	"belfry/internal/core"
)

// A link whose job was lost with its worker was never fetched.
func TestALivePostWithoutALinkIsFoundAgain(t *testing.T) {
	b := newBench(t)
	post := b.ws.Work(b.ws.Now("without a link", b.ws.Account("threads")))
	b.wants(post, "live", 1, "created", "queued", "publishing", "live")
	_, err := b.Pool.Exec(b.Context(), `UPDATE posts SET external_url = ''; DELETE FROM river_job`)
	must(t, err)
	id, err := core.ParseID[core.PostKind](post.ID)
	must(t, err)
	missing := func(want int) {
		t.Helper()
		links, err := b.App.Engine().ListLinksToFetch(b.Context())
		must(t, err)
		if len(links) != want || want > 0 && (links[0].Post != id || links[0].Workspace != b.ws.ID) {
			t.Errorf("missing are the links of %+v, want %d", links, want)
		}
	}
	missing(0) // its own job may be on the way
	b.Clock.Advance(10*time.Minute + time.Second)
	setStatus := func(status core.AccountStatus) {
		t.Helper()
		_, err := b.Pool.Exec(b.Context(), `UPDATE accounts SET status = $1`, status)
		must(t, err)
	}
	setStatus(core.AccountRevoked)
	missing(0) // nobody can ask the network
	setStatus(core.AccountOK)
	missing(1)
	must(t, b.App.Engine().FetchAndStoreLinkIfMissing(b.Context(), b.ws.ID, id))
	missing(0)
	if b.ws.Post(post).ExternalURL == nil {
		t.Error("the post has no link")
	}
}

// A live post is live without its link.
func TestAPostIsLiveAlthoughItsLinkCannotBeFetched(t *testing.T) {
	b := newBench(t)
	f := fault("threads", "permalink", "server_error")
	f.Times = new(0)
	b.Fault(f)
	post := b.ws.Work(b.ws.Now("without a link", b.ws.Account("threads")))
	b.wants(post, "live", 1, "created", "queued", "publishing", "live")
}
