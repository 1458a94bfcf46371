package apptest

import (
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"belfry/internal/queue"
)

// Jobs counts the jobs of a kind that have been enqueued, including finished ones.
func (h *Harness) Jobs(kind string) (n int) {
	h.t.Helper()
	must(h.t, h.Pool.QueryRow(h.Context(), `SELECT count(*) FROM river_job WHERE kind = $1`, kind).Scan(&n))
	return n
}

// WorkDiscards deletes the bytes for all deletion jobs that have been enqueued so far.
func (h *Harness) WorkDiscards() {
	h.t.Helper()
	var all []string
	must(h.t, h.Pool.QueryRow(h.Context(), `SELECT coalesce(array_agg(args::text), '{}') FROM river_job WHERE kind = 'discard'`).Scan(&all))
	for _, text := range all {
		var job queue.DeleteBlobs
		must(h.t, json.Unmarshal([]byte(text), &job))
		must(h.t, h.App.Intake().DeleteUnreferencedBlobsAndJPEGs(h.Context(), job.Keys))
	}
}

// WorkRevocations runs all revocation jobs that have been enqueued so far. It returns how long the last of them wants
// to wait before another attempt, or 0 for no further attempt.
func (h *Harness) WorkRevocations() time.Duration {
	h.t.Helper()
	return WorkJobs(h, func(job queue.Revoke) (time.Duration, error) { return h.App.RevokeUnusedGrant(h.Context(), job.Grant) })
}

// WorkErasures runs all erasure jobs that have been enqueued so far. It returns how long the last of them wants to
// wait before another attempt, or 0 for no further attempt.
func (h *Harness) WorkErasures() time.Duration {
	h.t.Helper()
	return WorkJobs(h, func(job queue.Erase) (time.Duration, error) { return h.App.EraseGrantData(h.Context(), job.Code) })
}

// WorkJobs runs all jobs of a kind that have been enqueued so far. It returns how long the last of them wants to wait
// before another attempt.
func WorkJobs[J queue.Job](h *Harness, work func(J) (time.Duration, error)) (again time.Duration) {
	h.t.Helper()
	var kind J
	rows, err := h.Pool.Query(h.Context(), `SELECT args FROM river_job WHERE kind = $1 ORDER BY id`, kind.Kind())
	must(h.t, err)
	all, err := pgx.CollectRows(rows, pgx.RowTo[J])
	must(h.t, err)
	for _, job := range all {
		again, err = work(job)
		must(h.t, err)
	}
	return again
}
