package store

import (
	"context"
	"errors"

	"belfry/internal/core"
)

// UsedSlots returns how many slots of a month are used.
func (t Tenant) UsedSlots(ctx context.Context, quotaPeriod string) (int64, error) {
	return queryValue[int64](t.query(ctx, `
		SELECT coalesce((SELECT used FROM usage_month WHERE workspace_id = @ws AND period = @period), 0)`,
		args{"period": quotaPeriod}))
}

const reserveSlots = `
	INSERT INTO usage_month AS m (workspace_id, period, used)
	SELECT @ws, @period, @n::bigint WHERE @limit::bigint IS NULL OR @n <= @limit
	ON CONFLICT (workspace_id, period) DO UPDATE SET used = m.used + @n WHERE @limit IS NULL OR m.used + @n <= @limit
	RETURNING used`

// CountDrafts returns the number of drafts. In a transaction that has created a draft, the number does not change until
// the transaction ends.
func (t Tenant) CountDrafts(ctx context.Context) (int64, error) {
	return queryValue[int64](t.query(ctx, `SELECT coalesce((SELECT used FROM usage_drafts WHERE workspace_id = @ws), 0)`,
		nil))
}

// ReserveSlot reserves a slot of the month for a post, and returns how many slots are then used. A post that is queued
// again uses a new slot. reserved is false if the limit does not allow another slot; a nil limit allows any number.
func (t Tenant) ReserveSlot(ctx context.Context, post core.PostID, quotaPeriod string, limit *int64) (used int64,
	reserved bool, err error,
) {
	used, err = queryValue[int64](t.query(ctx, `
		WITH taken AS (`+reserveSlots+`), kept AS (
			INSERT INTO post_slots (post_id, workspace_id, period, state) SELECT @post, @ws, @period, 'held' FROM taken
			ON CONFLICT (post_id) DO UPDATE SET period = excluded.period, state = 'held' WHERE post_slots.workspace_id = @ws
		)
		SELECT used FROM taken`, args{"post": post, "period": quotaPeriod, "n": 1, "limit": limit}))
	if !errors.Is(err, ErrNotFound) {
		return used, err == nil, err
	}
	used, err = t.UsedSlots(ctx, quotaPeriod)
	return used, false, err
}

// ReturnSlotIfReserved returns a post's slot to its month. It does nothing if the post has no slot.
func (t Tenant) ReturnSlotIfReserved(ctx context.Context, post core.PostID) error {
	return t.exec(ctx, `
		WITH returned AS (
			UPDATE post_slots SET state = 'returned' WHERE workspace_id = @ws AND post_id = @post AND state = 'held'
				RETURNING period
		)
		UPDATE usage_month m SET used = m.used - 1 FROM returned r WHERE m.workspace_id = @ws AND m.period = r.period`,
		args{"post": post})
}
