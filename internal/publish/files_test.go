package publish_test

import (
	"context"
	"testing"

	"belfry/internal/app"
	"belfry/internal/blob"
	"belfry/internal/core"
	"belfry/internal/network"
)

// pushing is a network to which the connector sends the files' bytes.
type pushing struct{ network.Network }

func (p pushing) DeliveryFor(d network.Draft) network.Delivery {
	delivery := p.Network.DeliveryFor(d)
	delivery.Files = network.Pushed
	return delivery
}

// countedStore counts how often files are opened.
type countedStore struct {
	blob.Store
	opened *int
}

func (s countedStore) Open(ctx context.Context, key string) (blob.Object, error) {
	*s.opened++
	return s.Store.Open(ctx, key)
}

func TestFilesAreCheckedOncePerClaim(t *testing.T) {
	b := newBench(t)
	p := b.post(request("a", now(), b.ws.Account("threads")), b.photo())
	id, err := core.ParseID[core.PostKind](p.ID)
	must(t, err)
	opened := 0
	worker := b.through(func(n network.Network) network.Network { return pushing{n} },
		func(c *app.Config) { c.Blobs = countedStore{c.Blobs, &opened} })
	must(t, worker.Engine().PublishOrPrepare(b.Context(), "a worker", b.ws.ID, id))
	if opened != 1 {
		t.Errorf("the file was opened %d times, want 1", opened)
	}
}
