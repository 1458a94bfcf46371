package app_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/store"
)

// A confirmation would overwrite what a person makes of a post that was, or may have been, published after the backup.
func TestDuringAHoldAPostWithAReceiptCannotBeChanged(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	account := ws.Account("threads")
	draft, failed := ws.Draft("a draft", account), ws.Queued("failed", account, h.Clock.Now().Add(time.Hour))
	ledger(t, h, failed, "next_action_at = NULL")
	_, err := h.Pool.Exec(t.Context(), `UPDATE posts SET status = 'failed', error_code = 'rejected' WHERE text = 'failed'`)
	must(t, err)
	queued := ws.Queued("queued", account, h.Clock.Now().Add(time.Hour))
	var receipts []store.RestoredReceipt
	for i, p := range []contract.Post{draft, failed, queued} {
		id, err := core.ParseID[core.PostKind](p.ID)
		must(t, err)
		receipts = append(receipts, store.RestoredReceipt{
			Workspace: ws.ID, Post: id, ArmedAt: h.Clock.Now(), Live: i%2 == 0, ExternalID: "1784" + p.ID,
		})
	}
	must(t, h.Store.HoldPublishingAndDeleteSessionsAndEmails(t.Context(), "a test", time.Time{}, receipts))
	text, later := "changed", contract.When{PublishAt: "2026-12-24T18:00", Timezone: "UTC"}
	edit := func(in contract.EditPost) func() error {
		return func() error { _, err := h.App.EditPost(t.Context(), ws.Owner, in); return err }
	}
	for name, change := range map[string]func() error{
		"edit":       edit(contract.EditPost{ID: draft.ID, Text: &text}),
		"queue":      edit(contract.EditPost{ID: draft.ID, When: &later, Status: "queued"}),
		"reschedule": edit(contract.EditPost{ID: queued.ID, When: &later}),
		"cancel":     func() error { _, err := h.App.CancelPost(t.Context(), ws.Owner, queued.ID); return err },
		"retry": func() error {
			_, err := h.App.RetryPost(t.Context(), ws.Owner, contract.RetryPost{ID: failed.ID})
			return err
		},
		"delete":                 func() error { return h.App.DeletePost(t.Context(), ws.Owner, draft.ID) },
		"delete one that failed": func() error { return h.App.DeletePost(t.Context(), ws.Owner, failed.ID) },
		"disconnect":             func() error { return h.App.DisconnectAccount(t.Context(), ws.Owner, account.ID) },
	} {
		err := change()
		if e, ok := errors.AsType[*core.Error](err); !ok || e.Code != core.CodeConflict || !strings.Contains(e.Hint, "belfry restore confirm") {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err = h.App.DuplicatePost(t.Context(), ws.Owner, queued.ID)
	must(t, err)
	_, err = h.App.CancelPost(t.Context(), ws.Owner, ws.Queued("another", account, h.Clock.Now().Add(time.Hour)).ID)
	must(t, err)
	_, err = h.App.GuardOrNil().EndHoldUnlessUnproved(t.Context())
	must(t, err)
	must(t, h.App.DeletePost(t.Context(), ws.Owner, failed.ID))
}

// The audit log did not say who had turned the post into a draft. In the backup, the post may have been sent already.
func TestTheAuditLogHasThePostsThatTheEndOfAHoldStops(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	failed := ws.Queued("published later", ws.Account("threads"), h.Clock.Now().Add(time.Hour))
	ledger(t, h, failed, "next_action_at = NULL")
	_, err := h.Pool.Exec(t.Context(), `UPDATE posts SET status = 'failed', error_code = 'rejected'`)
	must(t, err)
	copied, err := h.App.DuplicatePost(t.Context(), ws.Owner, failed.ID)
	must(t, err)
	_, err = h.App.SendPostAfterUndoDelay(t.Context(), ws.Owner, copied.ID, "")
	must(t, err)
	ledger(t, h, copied, "step = 'armed', armed = true, armed_at = clock(), quiet_at = clock()")
	id, err := core.ParseID[core.PostKind](failed.ID)
	must(t, err)
	receipts := []store.RestoredReceipt{{Workspace: ws.ID, Post: id, ArmedAt: h.Clock.Now(), Live: true}}
	must(t, h.Store.HoldPublishingAndDeleteSessionsAndEmails(t.Context(), "a test", time.Time{}, receipts))
	_, err = h.App.GuardOrNil().EndHoldUnlessUnproved(t.Context())
	must(t, err)
	page, err := h.App.ReadAuditLog(t.Context(), ws.Owner, app.AuditQuery{Action: core.AuditPostChanged})
	must(t, err)
	last := page.Actions[0][0]
	if last.Subject != copied.ID || last.Actor != "operator" || !strings.Contains(string(last.After), "draft") {
		t.Errorf("the last entry is %+v, after it %s", last, last.After)
	}
}
