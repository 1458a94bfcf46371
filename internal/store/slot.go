package store

import (
	"context"

	"belfry/internal/core"
)

// MonthUsed is how many slots of the period are taken.
func (t Tenant) MonthUsed(ctx context.Context, period string) (int64, error) {
	return queryValue[int64](t.query(ctx, `
		SELECT coalesce((SELECT used FROM usage_month WHERE workspace_id = @ws AND period = @period), 0)`,
		args{"period": period}))
}

const takeSlots = `
	INSERT INTO usage_month AS m (workspace_id, period, used)
	SELECT @ws, @period, @n::bigint WHERE @limit::bigint IS NULL OR @n <= @limit
	ON CONFLICT (workspace_id, period) DO UPDATE SET used = m.used + @n WHERE @limit IS NULL OR m.used + @n <= @limit
	RETURNING used`

// CountDrafts returns how many drafts there are. In a transaction that made a draft the number holds until it ends.
func (t Tenant) CountDrafts(ctx context.Context) (int64, error) {
	return queryValue[int64](t.query(ctx, `SELECT coalesce((SELECT used FROM usage_drafts WHERE workspace_id = @ws), 0)`,
		nil))
}

// TakeSlots takes n slots of the period, all or none, and tells how many are used after that. ok is
// false when the limit does not allow it; a nil limit always does.
func (t Tenant) TakeSlots(ctx context.Context, period string, n int64, limit *int64) (used int64, ok bool, err error) {
	after, err := queryValues[int64](t.query(ctx, takeSlots, args{"period": period, "n": n, "limit": limit}))
	if err != nil {
		return 0, false, err
	}
	if len(after) == 1 {
		return after[0], true, nil
	}
	used, err = t.MonthUsed(ctx, period)
	return used, false, err
}

// HoldSlot notes which month a post's slot belongs to. A post that is queued anew holds a new one.
func (t Tenant) HoldSlot(ctx context.Context, post core.PostID, period string) error {
	_, err := t.exec(ctx, `
		INSERT INTO post_slots (post_id, workspace_id, period, state) VALUES (@post, @ws, @period, 'held')
		ON CONFLICT (post_id) DO UPDATE SET period = excluded.period, state = 'held' WHERE post_slots.workspace_id = @ws`,
		args{"post": post, "period": period})
	return err
}

// ReturnSlot gives a post's slot back to the month it came from; a slot that is not held stays so.
func (t Tenant) ReturnSlot(ctx context.Context, post core.PostID) error {
	_, err := t.exec(ctx, `
		WITH returned AS (
			UPDATE post_slots SET state = 'returned' WHERE workspace_id = @ws AND post_id = @post AND state = 'held'
				RETURNING period
		)
		UPDATE usage_month m SET used = m.used - 1 FROM returned r WHERE m.workspace_id = @ws AND m.period = r.period`,
		args{"post": post})
	return err
}
