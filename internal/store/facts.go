package store

import (
	"context"
	"time"

	"belfry/internal/core"
	"belfry/internal/queue"
)

// factsRow is a row of account_facts.
type factsRow struct {
	Account core.AccountID
	Facts   core.Facts
	ToldAt  time.Time
}

const factsColumns = `account_id AS account, facts, told_at`

// AccountFacts returns what networks have reported about the given accounts or, for nil ids, about all accounts of
// the workspace.
func (t Tenant) AccountFacts(ctx context.Context, idsOrNilForAll []core.AccountID,
) (map[core.AccountID]core.Facts, error) {
	rows, err := queryMany[factsRow](t.query(ctx, `
		SELECT `+factsColumns+` FROM account_facts
		WHERE workspace_id = @ws AND (@ids::uuid[] IS NULL OR account_id = ANY(@ids))`, args{"ids": idsOrNilForAll}))
	return factsByAccount(rows), err
}

func factsByAccount(rows []factsRow) map[core.AccountID]core.Facts {
	found := make(map[core.AccountID]core.Facts, len(rows))
	for _, r := range rows {
		r.Facts.ToldAt = r.ToldAt
		found[r.Account] = r.Facts
	}
	return found
}

// SaveFactsIfConnected replaces what the network has reported about an account. It does nothing if the account was
// disconnected.
func (t Tenant) SaveFactsIfConnected(ctx context.Context, id core.AccountID, facts core.Facts) error {
	return t.exec(ctx, `
		INSERT INTO account_facts (workspace_id, account_id, facts, told_at)
		SELECT @ws, id, @facts, clock() FROM accounts WHERE workspace_id = @ws AND id = @id AND disconnected_at IS NULL
		ON CONFLICT (workspace_id, account_id) DO UPDATE SET facts = excluded.facts, told_at = excluded.told_at`,
		args{"id": id, "facts": facts})
}

// EnqueueStaleAccountChecks makes the checks of the given accounts due and enqueues their jobs. It omits accounts whose
// last check is younger than maxAge, is running or is already due. It must be called within Tx.
func (t Tenant) EnqueueStaleAccountChecks(ctx context.Context, ids []core.AccountID, maxAge time.Duration) error {
	due, err := queryMany[queue.Check](t.query(ctx, `
		UPDATE accounts SET check_at = clock() FROM (
			SELECT id FROM accounts WHERE workspace_id = @ws AND id = ANY(@ids) AND status = 'ok' AND disconnected_at IS NULL
				AND check_at > clock() + @lease::interval AND check_at <= clock() + @every::interval - @age::interval
			ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
		) AS unchecked WHERE accounts.id = unchecked.id
		RETURNING accounts.workspace_id AS workspace, accounts.id AS account`,
		args{"ids": ids, "lease": CheckLease, "every": CheckEvery, "age": maxAge}))
	if err != nil {
		return err
	}
	jobs := make([]queue.Job, len(due))
	for i, job := range due {
		jobs[i] = job
	}
	return t.store.EnqueueMany(ctx, jobs)
}
