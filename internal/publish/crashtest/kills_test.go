package crashtest

import (
	"math/rand/v2"
	"testing"
	"time"

	"belfry/internal/app/apptest"
	"belfry/internal/core"
)

// sampled is how many cases of each kind of post a sample has.
const sampled = 6

// patience is how long after its lease, its last call and the network's settle time a post may take.
const patience = 120 * time.Second

// A worker that is killed at any boundary leaves a post that the next worker publishes once, also if the next call is
// lost on its way, or the one that the worker was making arrives.
func TestAPostGoesOutOnceAfterAKill(t *testing.T) {
	for _, kind := range apptest.Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			boundaries := w.countBoundaries(kind)
			died, results := map[loss]int{}, map[string]int{}
			for _, lost := range []loss{lossNone, lossAnswer, lossRequest} {
				for _, k := range sample(boundaries, lost) {
					o, dead := w.killAt(kind, k, lost)
					if dead {
						died[lost]++
					}
					results[o.Status+" "+o.Code]++
				}
			}
			if len(died) == 0 {
				t.Errorf("%s: no worker was killed", kind.Name)
			}
			t.Logf("%s: %d boundaries, kills %v: %v", kind.Name, boundaries, died, results)
		})
	}
}

// sample is every boundary, or some of them.
func sample(boundaries int, lost loss) []int {
	random := rand.New(rand.NewPCG(*first, uint64(len(lost))))
	ks := random.Perm(boundaries)
	if !*all {
		ks = ks[:min(sampled/3, len(ks))]
	}
	for i := range ks {
		ks[i]++
	}
	return ks
}

// countBoundaries publishes a post and counts the boundaries that its worker passes.
func (w *world) countBoundaries(kind apptest.Kind) int {
	w.t.Helper()
	p := w.makePost(kind, w.connectAccount(kind.Network), now())
	l := w.startLife(nil)
	w.runUntil(l, w.Clock.Now().Add(time.Hour), func() {})
	if o := w.readOutcome(p); o.Status != "live" || o.Visible != 1 || o.Calls != 1 {
		w.t.Fatalf("undisturbed, the post is %+v", o)
	}
	n := l.passed
	w.endLife(l)
	return n
}

// killAt kills the worker of a new post at a boundary, and lets another go on.
func (w *world) killAt(kind apptest.Kind, k int, lost loss) (o outcome, died bool) {
	w.t.Helper()
	p := w.makePost(kind, w.connectAccount(kind.Network), now())
	var where place
	l := w.startLife(map[int]act{k: func(s *script, at place) error {
		where = at
		return w.killLosing(lost)(s, at)
	}})
	w.runUntil(l, p.at.Add(time.Minute-time.Second), func() {})
	w.endLife(l)
	o = w.finishPost(p)
	if wrong := o.complaint(p, 1, false); wrong != "" {
		w.t.Errorf("%s, killed at boundary %d, %s, %s: %s: %+v", kind.Name, k, where, lost, wrong, o)
	}
	return o, where != ""
}

// killLosing kills a worker. The request that it is making arrives if its answer is to be lost; otherwise the loss
// befalls the next call of another worker.
func (w *world) killLosing(lost loss) act {
	return func(s *script, at place) error {
		if lost == lossAnswer && at == toNetwork {
			return killSent(s, at)
		}
		w.loseNextCall(lost)
		return killLife(s, at)
	}
}

// finishPost lets a worker that nobody kills finish a post, and returns what became of it.
func (w *world) finishPost(p post) outcome {
	w.t.Helper()
	net, _ := w.Config.Networks.FindConnector(core.Platform(p.kind.Network))
	schedule := w.Config.Schedule
	latest := w.Clock.Now().Add(schedule.Lease + schedule.QuietAfterArm(net.Describe().Settle) + patience)
	l := w.startLife(nil)
	w.runUntil(l, w.Clock.Now().Add(3*time.Hour), func() {
		if w.Clock.Now().After(latest) && !w.isFinal(p) {
			w.t.Fatalf("the post is stuck: %s", w.ledger())
		}
	})
	w.endLife(l)
	w.loseNextCall(lossNone)
	return w.readOutcome(p)
}
