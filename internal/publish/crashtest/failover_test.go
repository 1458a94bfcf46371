package crashtest

import (
	"os"
	"path/filepath"
	"testing"

	"belfry/internal/app/apptest"
)

// becomeStandbyAndPromote turns the server into a standby and promotes it. Before that, it writes so much that the
// first checkpoint after the promotion takes minutes.
func (s *server) becomeStandbyAndPromote(t *testing.T) {
	t.Helper()
	_, err := s.pool.Exec(t.Context(), `CREATE TABLE filler AS SELECT repeat('x', 1000) FROM generate_series(1, 20000)`)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(s.dir, "postgres", "standby.signal"), nil, 0o644))
	s.crashNow(t)
	_, err = s.pool.Exec(t.Context(), `SELECT pg_promote()`)
	must(t, err)
}

// A running service did not notice a failover until the first checkpoint of the new primary had ended: until then, the
// control file has the old timeline.
func TestAFailoverHoldsPublishingBeforeTheNextCheckpointEnds(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	w := newWorldOn(t, server.pool, shortLease)
	guard := w.App.GuardOrNil()
	must(t, guard.HoldPublishingIfRewoundElseUpdateMark(t.Context()))
	kind := apptest.KindNamed(t, "Threads text")
	published := w.makePost(kind, w.connectAccount(kind.Network), now())
	l := w.startLife(nil)
	w.publishDue(l)
	w.endLife(l)
	if o := w.readOutcome(published); o.Status != "live" {
		t.Fatalf("before the failover: %+v", o)
	}
	must(t, guard.UpdateMarkOrHoldPublishingUnlessOnHold(t.Context()))
	before, err := w.Store.ReadLineage(t.Context())
	must(t, err)
	server.becomeStandbyAndPromote(t)
	must(t, guard.UpdateMarkOrHoldPublishingUnlessOnHold(t.Context()))
	hold, err := w.Store.PublishingHold(t.Context())
	if err != nil || hold.Reason != "the database failed over or was restored to an earlier time" {
		t.Errorf("after the failover, publishing is on hold because of %q: %v", hold.Reason, err)
	}
	after, err := w.Store.ReadLineage(t.Context())
	must(t, err)
	var inControlFile int64
	must(t, server.pool.QueryRow(t.Context(), `SELECT timeline_id FROM pg_control_checkpoint()`).Scan(&inControlFile))
	if after.System != before.System || after.Timeline <= before.Timeline || inControlFile != before.Timeline {
		t.Errorf("before: %+v; after: %+v; the control file has the timeline %d", before, after, inControlFile)
	}
}
