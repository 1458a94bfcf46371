package app

import (
	"cmp"
	"context"
	"errors"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/store"
)

// DuplicatePost creates a draft with the account, content and settings of a post, but without a time.
func (a *App) DuplicatePost(ctx context.Context, c core.Caller, id string) (contract.Post, error) {
	return a.duplicatePostAsDraft(ctx, c, id, a.cfg.Now(), func(core.Post) error { return nil })
}

// DuplicatePostFromDashboard is DuplicatePost for a person. It returns conflict if the person could publish the copy
// without knowing that the post is live: if its outcome is unknown, or if the page did not show its current revision.
func (a *App) DuplicatePostFromDashboard(ctx context.Context, c core.Caller, id, revisionOrEmpty string,
) (contract.Post, error) {
	return a.duplicatePostAsDraft(ctx, c, id, a.cfg.Now(), newDashboardCopyCheck(revisionOrEmpty))
}

// newDashboardCopyCheck returns the check of DuplicatePostFromDashboard.
func newDashboardCopyCheck(revisionOrEmpty string) func(core.Post) error {
	return func(p core.Post) error {
		return cmp.Or(refuseCopyIfOutcomeUnknown(p), checkPostRevisionIfShown(p, revisionOrEmpty))
	}
}

func refuseCopyIfOutcomeUnknown(p core.Post) error {
	if p.HasUnknownOutcome() {
		return core.Fail(core.CodeConflict, "Belfry does not know whether the post was published.").
			WithHint("Open the post and say whether it was published.")
	}
	return nil
}

// duplicatePostAsDraft is DuplicatePost with the creation time of the copy. checkOriginal can refuse to copy the post.
func (a *App) duplicatePostAsDraft(ctx context.Context, c core.Caller, id string, createdAt time.Time,
	checkOriginal func(core.Post) error,
) (contract.Post, error) {
	t, postID, err := authorizeAndParseID[core.PostKind](a, c, core.Write, id)
	if err != nil {
		return contract.Post{}, err
	}
	wasTried, err := t.WasPostTried(ctx, postID)
	if err != nil {
		return contract.Post{}, err
	}
	from, err := t.Post(ctx, postID)
	if err != nil {
		return contract.Post{}, err
	}
	if err := checkOriginal(from); err != nil {
		return contract.Post{}, err
	}
	made := from.MakeDraftCopy(c.Via(), createdAt.UTC().Truncate(time.Microsecond), wasTried)
	err = t.Tx(ctx, func(t store.Tenant) error {
		one := store.NewPosts{Posts: []core.Post{made}, By: c.AttributedUser(), Unchecked: true}
		if err := t.CreatePosts(ctx, one); err != nil {
			return err
		}
		return a.checkDraftQuotaAfterAdding(ctx, t)
	})
	return a.postOf(made), err
}

// checkAndStopOtherCopies makes sure that only one of a failed post and its copies is published, before one of them is
// queued. It returns conflict if another one is queued or may be live, and cancels the automatic retries of the
// others. The caller must have called store.Tenant.LockCopies.
func (a *App) checkAndStopOtherCopies(ctx context.Context, t store.Tenant, p core.Post) error {
	others, err := t.OtherCopies(ctx, p.ID)
	if err != nil {
		return err
	}
	for _, id := range others {
		other, err := t.LockPost(ctx, id)
		if errors.Is(err, store.ErrNotFound) { // the post was deleted in the meantime
			continue
		}
		if err != nil {
			return err
		}
		if err := other.CheckOtherCopyAllowed(); err != nil {
			return err
		}
		if !other.HasPendingRetry() {
			continue
		}
		if err := a.cancelPendingRetry(ctx, t, other, retryCancelledForACopy); err != nil {
			return err
		}
	}
	return nil
}
