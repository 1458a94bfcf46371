package store

import (
	"context"
	"errors"

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

// TakeSlot takes a slot of the period for a post and tells how many are used after that. A post that is queued anew
// takes a new one. ok is false when the limit does not allow it; a nil limit always does.
func (t Tenant) TakeSlot(ctx context.Context, post core.PostID, period string, limit *int64) (used int64, ok bool,
	err error,
) {
	used, err = queryValue[int64](t.query(ctx, `
		WITH taken AS (`+takeSlots+`), kept AS (
			INSERT INTO post_slots (post_id, workspace_id, period, state) SELECT @post, @ws, @period, 'held' FROM taken
			ON CONFLICT (post_id) DO UPDATE SET period = excluded.period, state = 'held' WHERE post_slots.workspace_id = @ws
		)
		SELECT used FROM taken`, args{"post": post, "period": period, "n": 1, "limit": limit}))
	if !errors.Is(err, ErrNotFound) {
		return used, err == nil, err
	}
	used, err = t.MonthUsed(ctx, period)
	return used, false, err
}

// ReturnSlot gives a post's slot back to the month it came from; a slot that is not held stays so.
func (t Tenant) ReturnSlot(ctx context.Context, post core.PostID) error {
	return t.exec(ctx, `
		WITH returned AS (
			UPDATE post_slots SET state = 'returned' WHERE workspace_id = @ws AND post_id = @post AND state = 'held'
				RETURNING period
		)
		UPDATE usage_month m SET used = m.used - 1 FROM returned r WHERE m.workspace_id = @ws AND m.period = r.period`,
		args{"post": post})
}
