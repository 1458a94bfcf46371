package store

import (
	"context"

	"belfry/internal/core"
)

// SaveChange stores a change of a post that the caller holds: the post, its publication by way of ledger, its
// timeline, and what follows from its state. A post that leaves the queue as a draft gives its slot back; the
// files of one that went live are kept for a while only. Nothing else changes a post that is on the queue or was
// sent, but Claim, which begins a try.
func (t Tenant) SaveChange(ctx context.Context, c core.Change, ledger func(Tenant) error) error {
	if err := t.UpdatePost(ctx, c.Post); err != nil {
		return err
	}
	if err := ledger(t); err != nil {
		return err
	}
	if err := t.AddEvent(ctx, c.Post.ID, c.Event); err != nil {
		return err
	}
	switch {
	case c.Event.Kind == core.EventCancelled && c.Post.Status == core.PostDraft:
		return t.ReturnSlot(ctx, c.Post.ID)
	case c.Event.Kind == core.EventLive && len(c.Post.MediaIDs) > 0:
		return t.SetMediaPublishedAt(ctx, c.Post.ID, c.Event.At)
	}
	return nil
}
