package store

import (
	"context"
	"time"

	"belfry/internal/core"
)

// Call is one external call in the ledger.
type Call struct {
	Seq      int
	Do       core.Do
	Deadline time.Duration // from now
}

// Outcome is what a call came to.
type Outcome struct {
	Seq        int
	Verdict    core.Verdict
	HTTPStatus int
	Code       string
	Trace      string
	Response   []byte
}

// lastOutcome finishes the step before in the same statement. Only the worker that began a step knows
// its epoch and number, so this write needs no fence of its own.
func lastOutcome(o *Outcome, a args) string {
	if o == nil {
		return `WITH finished AS (SELECT 1)`
	}
	a["last"], a["verdict"], a["http_status"], a["code"] = o.Seq, o.Verdict, o.HTTPStatus, o.Code
	a["trace"], a["response"] = o.Trace, o.Response
	return `WITH finished AS (
			UPDATE publish_steps SET finished_at = clock(), verdict = @verdict, http_status = @http_status, net_code = @code,
				net_trace = @trace, response = @response
			WHERE workspace_id = @ws AND post_id = @post AND epoch = @epoch AND seq = @last
		)`
}

// DeleteRepeatedSteps deletes calls of a publication that the caller has claimed: of those since the last irreversible
// one that had the same result and changed nothing, it keeps the first and the last, whose epochs tell how many there
// were.
func (t Tenant) DeleteRepeatedSteps(ctx context.Context, post core.PostID) error {
	return t.exec(ctx, `
		DELETE FROM publish_steps s USING (
			SELECT id, row_number() OVER (alike ORDER BY id) AS nth, row_number() OVER (alike ORDER BY id DESC) AS nth_last
			FROM publish_steps q
			WHERE workspace_id = @ws AND post_id = @post AND finished_at IS NOT NULL
				AND (call IN ('status', 'find') OR call = 'create' AND verdict = 'throttled')
				AND NOT EXISTS (SELECT FROM publish_steps p WHERE p.post_id = @post AND p.call = 'publish' AND p.id > q.id)
			WINDOW alike AS (PARTITION BY call, verdict, http_status, net_code)
		) AS of WHERE s.id = of.id AND of.nth > 1 AND of.nth_last > 1`, args{"post": post})
}
