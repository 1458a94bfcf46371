package crashtest

import (
	"testing"
	"time"

	"belfry/internal/app/apptest"
)

// A worker that stands still at any boundary until another has finished its post, and then goes on, publishes nothing a
// second time. Only a call without an object to refer to can be late: then nobody knows its outcome.
func TestAPostGoesOutOnceAfterAFreeze(t *testing.T) {
	for _, kind := range apptest.Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			boundaries, results, freezes := w.countBoundaries(kind), map[string]int{}, 0
			for _, k := range sample(boundaries, lossNone) {
				o, frozen := w.freezeAt(kind, k)
				if frozen {
					freezes++
				}
				results[o.Status+" "+o.Code]++
			}
			if *all && freezes == 0 {
				t.Errorf("%s: no worker stood still", kind.Name)
			}
			t.Logf("%s: %d freezes at %d boundaries: %v", kind.Name, freezes, boundaries, results)
		})
	}
}

// freezeAt stops the worker of a new post at a boundary, until another has done all that was left to do.
func (w *world) freezeAt(kind apptest.Kind, k int) (o outcome, frozen bool) {
	w.t.Helper()
	p := w.makePost(kind, w.connectAccount(kind.Network), now())
	var where place
	l := w.startLife(map[int]act{k: func(_ *script, at place) error {
		where = at
		w.takeOver(nil)
		return nil
	}})
	w.runUntil(l, p.at.Add(time.Minute-time.Second), func() {})
	w.endLife(l)
	o = w.finishPost(p)
	if wrong := o.complaint(p, 2, true); wrong != "" {
		w.t.Errorf("%s, frozen at boundary %d, %s: %s: %+v", kind.Name, k, where, wrong, o)
	}
	return o, where != ""
}

// takeOver lets the leases expire, and another worker do what it can.
func (w *world) takeOver(acts map[int]act) {
	w.moveTo(w.Clock.Now().Add(w.Config.Schedule.Lease + time.Second))
	other := w.startLife(acts)
	w.runUntil(other, w.Clock.Now().Add(10*time.Minute), func() {})
	w.endLife(other)
}

// A worker whose connection to the database breaks at any message, also between a commit and its answer, goes on with
// others, and publishes its post once.
func TestAPostGoesOutOnceAfterABrokenConnection(t *testing.T) {
	for _, kind := range apptest.Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, shortLease)
			boundaries, results, cuts := w.countBoundaries(kind), map[string]int{}, 0
			for _, lost := range []loss{lossNone, lossAnswer} {
				for _, k := range sample(boundaries, lost) {
					o, hit := w.cutAt(kind, k, lost)
					if hit {
						cuts++
					}
					results[o.Status+" "+o.Code]++
				}
			}
			t.Logf("%s: %d cuts at %d boundaries: %v", kind.Name, cuts, boundaries, results)
		})
	}
}

// cutAt breaks the connection that the worker of a new post uses at a boundary, if that is one of the database's, and
// loses the next call.
func (w *world) cutAt(kind apptest.Kind, k int, lost loss) (o outcome, hit bool) {
	w.t.Helper()
	p := w.makePost(kind, w.connectAccount(kind.Network), now())
	var where place
	l := w.startLife(map[int]act{k: func(s *script, at place) error {
		where = at
		w.loseNextCall(lost)
		return cutConnection(s, at)
	}})
	w.runUntil(l, p.at.Add(time.Hour), func() {})
	w.endLife(l)
	o = w.finishPost(p)
	if wrong := o.complaint(p, 1, false); wrong != "" {
		w.t.Errorf("%s, cut at boundary %d, %s: %s: %+v", kind.Name, k, where, wrong, o)
	}
	return o, where == toDatabase || where == fromDatabase
}
