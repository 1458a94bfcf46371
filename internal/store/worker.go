package store

import (
	"context"
	"fmt"
	"time"
)

// RecordHeartbeat stores that a worker is running now.
func (s *Store) RecordHeartbeat(ctx context.Context, worker string) error {
	return s.exec(ctx, `
		INSERT INTO workers (name, seen_at) VALUES (@name, clock()) ON CONFLICT (name) DO UPDATE SET seen_at = clock()`,
		args{"name": worker})
}

// Pulse says whether posts are being published.
type Pulse struct {
	WorkerSeen bool // a worker has reported within maxSilence
	Overdue    bool // a publication has been due and unclaimed for longer than maxLateness
}

// ReadPulse returns the present Pulse.
func (s *Store) ReadPulse(ctx context.Context, maxSilence, maxLateness time.Duration) (Pulse, error) {
	return queryOne[Pulse](s.query(ctx, `
		SELECT EXISTS (SELECT FROM workers WHERE seen_at > clock() - @silence::interval) AS worker_seen,
			EXISTS (SELECT FROM publications WHERE `+overdue+`) AS overdue`,
		args{"silence": maxSilence, "overdue": maxLateness}))
}

// Retention says how long DeleteOldRows keeps rows.
type Retention struct {
	Replays   time.Duration
	Creations time.Duration
	Addresses time.Duration
	Workers   time.Duration
	Devices   time.Duration
}

// budgetRetention is longer than the window of any budget.
const budgetRetention = 48 * time.Hour

// alertMemory is how long Belfry remembers an email about alerts: longer than the pause between two emails about one
// reason.
const alertMemory = 48 * time.Hour

// alertRetention is how long members can still be emailed about a problem.
const alertRetention = 7 * 24 * time.Hour

// DeleteOldRows deletes rows that are no longer needed, from all tables that have such rows.
func (s *Store) DeleteOldRows(ctx context.Context, now time.Time, keep Retention) error {
	for _, chore := range []struct {
		what, sql string
		a         args
	}{
		{"sessions", `DELETE FROM sessions WHERE expiry <= @now`, args{"now": now}},
		{"audit entries", `DELETE FROM audit_log WHERE at <= clock() - @age::interval`, args{"age": AuditRetention}},
		{"devices", `DELETE FROM devices WHERE seen_at <= @before`, args{"before": now.Add(-keep.Devices)}},
		{"consents", `DELETE FROM connections WHERE expires_at <= @now`, args{"now": now}},
		{"stored responses", `DELETE FROM idempotency WHERE created_at <= clock() - @age::interval`, args{"age": keep.Replays}},
		{"counted creations", `DELETE FROM create_log WHERE at <= clock() - @age::interval`, args{"age": keep.Creations}},
		{
			"counted addresses", `DELETE FROM address_log WHERE newest + 60 < ` + currentPart,
			args{"step": windowPartLength(keep.Addresses).Microseconds()},
		},
		{
			"counted calls",
			`DELETE FROM call_budgets WHERE coalesce(calls[cardinality(calls)], '-infinity') <= clock() - @age::interval`,
			args{"age": budgetRetention},
		},
		{"emails", `DELETE FROM mails WHERE expires_at <= @now`, args{"now": now}},
		{"password resets", `DELETE FROM password_resets WHERE expires_at <= @now`, args{"now": now}},
		{"alerts", `DELETE FROM alerts WHERE at <= clock() - @age::interval`, args{"age": alertRetention}},
		{"sent alerts", `DELETE FROM alerts_told WHERE told_at <= clock() - @age::interval`, args{"age": alertMemory}},
		{
			// A worker that died leaves its turn, with an external id that may belong to an erased account. This
			// statement locks many turns. It skips those that are just being taken or ended, so that it cannot deadlock
			// with a transaction that ends the turns of several posts.
			"turns", `DELETE FROM account_turns WHERE (platform, external_id) IN (
				SELECT platform, external_id FROM account_turns WHERE until <= clock() FOR UPDATE SKIP LOCKED)`, nil,
		},
		{"throttles", `DELETE FROM throttles WHERE tat <= clock()`, nil},
		// Older versions queued a job for each post. This version claims posts in the ledger and runs no such jobs.
		{"jobs of an older version", `DELETE FROM river_job WHERE kind = 'publish' AND state <> 'running'`, nil},
		{"workers", `DELETE FROM workers WHERE seen_at <= clock() - @age::interval`, args{"age": keep.Workers}},
	} {
		if err := s.exec(ctx, chore.sql, chore.a); err != nil {
			return fmt.Errorf("remove old %s: %w", chore.what, err)
		}
	}
	return nil
}
