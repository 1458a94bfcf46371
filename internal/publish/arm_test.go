package publish_test

import (
	"context"
	"testing"

	"belfry/internal/core"
	"belfry/internal/network"
)

// armed records at each irreversible call whether the ledger has its arm.
type armed struct {
	network.Network
	b   *bench
	was *[]bool
}

func (a armed) Publish(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	var on bool
	must(a.b.t, a.b.Pool.QueryRow(ctx, `
		SELECT armed AND open AND step = 'armed' AND armed_at IS NOT NULL AND quiet_at > clock() FROM publications
		WHERE post_id = $1`, it.Post).Scan(&on))
	*a.was = append(*a.was, on)
	return a.Network.Publish(ctx, it, handle)
}

// A worker that dies in the irreversible call leaves the next one the arm, so that it asks before it calls.
func TestTheArmIsOnRecordBeforeTheCallIsMade(t *testing.T) {
	b := newBench(t)
	var was []bool
	worker := b.through(func(n network.Network) network.Network { return armed{n, b, &was} })
	for _, name := range []string{"threads", "facebook"} {
		post, err := core.ParseID[core.PostKind](b.ws.Now("armed", b.ws.Account(name)).ID)
		must(t, err)
		must(t, worker.Engine().PublishOrPrepare(b.Context(), "a worker", b.ws.ID, post))
	}
	if len(was) != 2 || !was[0] || !was[1] {
		t.Errorf("on record before the calls: %v", was)
	}
}
