package apptest

import (
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"belfry/internal/queue"
)

// Jobs counts the jobs of a kind that were ever enqueued.
func (h *Harness) Jobs(kind string) (n int) {
	h.t.Helper()
	must(h.t, h.Pool.QueryRow(h.Context(), `SELECT count(*) FROM river_job WHERE kind = $1`, kind).Scan(&n))
	return n
}

// WorkDiscards deletes the bytes that the jobs enqueued so far name.
func (h *Harness) WorkDiscards() {
	h.t.Helper()
	var all []string
	must(h.t, h.Pool.QueryRow(h.Context(), `SELECT coalesce(array_agg(args::text), '{}') FROM river_job WHERE kind = 'discard'`).Scan(&all))
	for _, text := range all {
		var job queue.DeleteBlobs
		must(h.t, json.Unmarshal([]byte(text), &job))
		must(h.t, h.App.Intake().DeleteBlobs(h.Context(), job.Keys))
	}
}

// WorkRevocations works the jobs enqueued so far that tell networks to revoke grants. It returns when the last of them
// wants to be tried again, 0 for never.
func (h *Harness) WorkRevocations() time.Duration {
	h.t.Helper()
	return WorkJobs(h, func(job queue.Revoke) (time.Duration, error) { return h.App.RevokeGrant(h.Context(), job.Grant) })
}

// WorkErasures works the jobs enqueued so far that delete the data of people. It returns when the last of them wants to
// be tried again, 0 for never.
func (h *Harness) WorkErasures() time.Duration {
	h.t.Helper()
	return WorkJobs(h, func(job queue.Erase) (time.Duration, error) { return h.App.EraseGrantData(h.Context(), job.Code) })
}

// WorkJobs works the jobs of a kind that were enqueued so far. It returns when the last of them wants to be tried again.
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
