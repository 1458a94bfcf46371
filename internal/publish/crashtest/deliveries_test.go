package crashtest

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"belfry/internal/app/apptest"
)

// Each post is delivered two to five times at once to three replicas, and goes out once.
func TestManyDeliveriesOfAPostPublishItOnce(t *testing.T) {
	const batch = 25
	posts := 300
	if *all {
		posts = 10_000
	}
	kinds := apptest.Kinds()
	each := (posts + len(kinds) - 1) / len(kinds)
	for _, kind := range kinds {
		t.Run(kind.Name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			random := rand.New(rand.NewPCG(*first, 7))
			deliveries := 0
			for made := 0; made < each; made += batch {
				deliveries += w.deliverManyTimes(kind, min(batch, each-made), random)
			}
			t.Logf("%s: %d posts, delivered %d times", kind.Name, each, deliveries)
		})
	}
}

// deliverManyTimes makes posts of a kind and delivers each to several workers at once.
func (w *world) deliverManyTimes(kind apptest.Kind, posts int, random *rand.Rand) (deliveries int) {
	w.t.Helper()
	replicas := []*life{w.startLife(nil), w.startLife(nil), w.startLife(nil)}
	var made []post
	account := w.connectAccount(kind.Network)
	for n := range posts {
		if n > 0 && (kind.Wordless || n%5 == 0) {
			account = w.connectAccount(kind.Network)
		}
		made = append(made, w.makePost(kind, account, now()))
	}
	var delivered sync.WaitGroup
	for _, p := range made {
		for range 2 + random.IntN(4) {
			deliveries++
			worker := replicas[deliveries%len(replicas)]
			delivered.Go(func() { worker.publish(w.ws.ID, p.id) })
		}
	}
	delivered.Wait()
	w.runUntil(replicas[0], w.Clock.Now().Add(time.Hour), func() {})
	for _, p := range made {
		if o := w.readOutcome(p); o.Status != "live" || o.Visible != 1 || o.Calls != 1 {
			w.t.Errorf("a %s delivered many times is %+v", kind.Name, o)
		}
	}
	for _, l := range replicas {
		w.endLife(l)
	}
	return deliveries
}
