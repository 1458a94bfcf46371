package publish_test

import (
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/core"
)

// A server can lose its public address after a post was queued. The post then fails at once, in words that help.
func TestAPostWhoseFilesCannotBeDownloadedFailsUnsent(t *testing.T) {
	b := newBench(t)
	p := b.post(request("a", now(), b.ws.Account("threads")), b.photo())
	id, err := core.ParseID[core.PostKind](p.ID)
	must(t, err)
	worker := b.Replica(func(c *app.Config) { c.NetworksURL = "" })
	calls := len(b.Sim.Calls.Recent(0))
	must(t, worker.Engine().Publish(b.Context(), "a worker", b.ws.ID, id))
	p = b.ws.Post(p)
	if p.Status != "failed" || p.Error.Code != "media_unreachable" || p.Error.Hint == nil || len(b.Sim.Calls.Recent(0)) != calls {
		t.Errorf("the post is %s: %+v", p.Status, p.Error)
	}
	if p = b.after(time.Hour, p); p.Status != "failed" || p.Attempts != 1 {
		t.Errorf("it was tried again: %s after %d", p.Status, p.Attempts)
	}
}
