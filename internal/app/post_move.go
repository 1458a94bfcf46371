package app

import (
	"context"
	"errors"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/store"
)

func errPostBusy() error {
	return core.Fail(core.CodeConflict, "The post is being published, or may already be published.").
		WithHint("Wait until the post is live or has failed. The post's status line shows what Belfry is waiting for.")
}

// lockPublicationUnlessClaimed locks the ledger row of a failed post and returns it. It returns conflict while a worker
// retries the post or asks the network about it.
func lockPublicationUnlessClaimed(ctx context.Context, t store.Tenant, id core.PostID) (store.Publication, error) {
	pub, err := t.LockPublication(ctx, id)
	if err == nil && pub.IsBeingPublished() {
		err = core.Fail(core.CodeConflict, "Belfry is retrying the post, or asking the network about it.").
			WithHint("Wait a minute, then check the post's status.")
	}
	return pub, err
}

// lockMovablePublication locks the ledger row of a queued post and returns it reset, but does not store the reset row.
// It returns conflict if a worker has claimed the row, or if the post may already be published.
func lockMovablePublication(ctx context.Context, t store.Tenant, id core.PostID) (reset store.Publication, err error) {
	pub, err := t.LockPublication(ctx, id)
	if err == nil && (pub.IsBeingPublished() || !pub.AllowsPostChanges()) {
		err = errPostBusy()
	}
	return pub.Unqueue(), err
}

// savePostChangeAndEndClaim stores a change to a post, with its event and its ledger row.
func (a *App) savePostChangeAndEndClaim(ctx context.Context, t store.Tenant, change core.Change,
	pub store.Publication,
) error {
	return t.SavePostChange(ctx, change, func(t store.Tenant) error {
		return a.putPublicationForStatusAndEndClaim(ctx, t, change.Post, pub)
	})
}

// putPublicationForStatusAndEndClaim stores a post's ledger row, and ends a worker's claim. If the post is queued, the
// row becomes due at the post's time; otherwise, no worker claims the row.
func (a *App) putPublicationForStatusAndEndClaim(ctx context.Context, t store.Tenant, p core.Post,
	pub store.Publication,
) error {
	pub.Rest = core.DoStop
	if p.Status == core.PostQueued {
		pub.Rest, pub.DueAt = store.RestQueued, a.futureOrZero(p.PublishAt)
	}
	return t.PutPublicationAndEndClaim(ctx, pub)
}

// changeAndAuditPost locks a post and calls changeAndSave with it, writes the audit log if something has changed, and
// returns the changed post.
func (a *App) changeAndAuditPost(ctx context.Context, c core.Caller, id string,
	changeAndSave func(store.Tenant, *core.Post) error,
) (contract.Post, error) {
	p, _, err := a.changeAndAuditPostWithUndo(ctx, c, id, nil, changeAndSave)
	return p, err
}

// changeAndAuditPostWithUndo is like changeAndAuditPost, but also returns the post's earlier schedule for
// RestorePostSchedules. inputErr is an error in the form of the request, or nil; it is returned before anything is
// read.
func (a *App) changeAndAuditPostWithUndo(ctx context.Context, c core.Caller, id string, inputErr error,
	changeAndSave func(store.Tenant, *core.Post) error,
) (p contract.Post, before PostSchedule, err error) {
	t, postID, err := authorizeWriteAndParseID[core.PostKind](a, c, id, inputErr)
	if err != nil {
		return p, before, err
	}
	post, err := a.changeAndAuditPostInTenant(ctx, t, c, postID, func(t store.Tenant, locked *core.Post) error {
		before = PostSchedule{ID: id, Status: locked.Status, At: locked.PublishAt, Zone: locked.Zone}
		return changeAndSave(t, locked)
	})
	before.Revision = post.Revision()
	return a.postOf(post), before, err
}

// changeAndAuditPostInTenant is changeAndAuditPost for a caller whose access has already been checked. If the request
// may be repeated, the transaction also stores the changed post as the response.
func (a *App) changeAndAuditPostInTenant(ctx context.Context, t store.Tenant, c core.Caller, id core.PostID,
	changeAndSave func(store.Tenant, *core.Post) error,
) (post core.Post, err error) {
	err = t.Tx(ctx, func(t store.Tenant) error {
		if err := t.LockCopies(ctx, []core.PostID{id}); err != nil {
			return err
		}
		locked, err := t.LockPost(ctx, id)
		if err != nil {
			return err
		}
		if post, err = changeAndAuditLockedPost(ctx, t, c, locked, changeAndSave); err != nil {
			return err
		}
		return saveAnswerIfReplayRequested(ctx, t, a.postOf(post))
	})
	return post, err
}

// changeAndAuditLockedPost is changeAndAuditPostInTenant for a post that the caller has locked, but stores no response.
func changeAndAuditLockedPost(ctx context.Context, t store.Tenant, c core.Caller, locked core.Post,
	changeAndSave func(store.Tenant, *core.Post) error,
) (post core.Post, err error) {
	before := locked
	if err := changeAndSave(t, &locked); err != nil {
		return post, err
	}
	if post, err = t.Post(ctx, locked.ID); err != nil {
		return post, err
	}
	return post, auditPostChange(ctx, t, c, before, post)
}

// CancelPost turns a queued post into a draft and releases its slot. For a failed post, it cancels the pending retry
// (core.Post.HasPendingRetry), if there is one. For any other post, it returns conflict (Spec §4, decisions.md).
func (a *App) CancelPost(ctx context.Context, c core.Caller, id string) (contract.Post, error) {
	p, _, err := a.CancelPostWithUndo(ctx, c, id, "")
	return p, err
}

// CancelPostWithUndo is like CancelPost, but also returns the post's earlier schedule for RestorePostSchedules. It
// returns conflict if the post no longer has the revision that the person has seen. revisionOrEmpty is "" to cancel the
// post whatever its revision.
func (a *App) CancelPostWithUndo(ctx context.Context, c core.Caller, id, revisionOrEmpty string,
) (p contract.Post, before PostSchedule, err error) {
	return a.changeAndAuditPostWithUndo(ctx, c, id, nil, func(t store.Tenant, p *core.Post) error {
		if err := checkPostRevisionIfShown(*p, revisionOrEmpty); err != nil {
			return err
		}
		switch {
		case p.HasPendingRetry():
			return a.cancelPendingRetry(ctx, t, *p, retryCancelled)
		case p.Status == core.PostFailed: // there is no retry, or it was cancelled before
			return nil
		}
		return a.unqueuePostWithinDraftQuota(ctx, t, *p)
	})
}

// unqueuePostWithinDraftQuota is like unqueuePost, but returns quota_exceeded if the plan does not allow another draft.
func (a *App) unqueuePostWithinDraftQuota(ctx context.Context, t store.Tenant, p core.Post) error {
	if err := a.unqueuePost(ctx, t, p, ""); err != nil {
		return err
	}
	return a.checkDraftQuotaAfterAdding(ctx, t)
}

// Messages of the timeline about a cancelled automatic retry.
const (
	retryCancelled         = "The automatic retry was cancelled."
	retryCancelledForACopy = "The automatic retry was cancelled because a copy was queued."
)

// cancelPendingRetry cancels the automatic retry of a failed post, with a message for the post's timeline.
func (a *App) cancelPendingRetry(ctx context.Context, t store.Tenant, p core.Post, message string) error {
	pub, err := t.LockPublication(ctx, p.ID)
	if err != nil {
		return err
	}
	cancelled := core.Event{Kind: core.EventCancelled, At: a.cfg.Now(), Message: message}
	return a.savePostChangeAndEndClaim(ctx, t, core.Change{Post: p, Event: cancelled}, pub)
}

// unqueuePost turns a queued post into a draft without a time, and releases its slot. messageOrEmpty is for the post's
// timeline. unqueuePost does not check the quota of drafts.
func (a *App) unqueuePost(ctx context.Context, t store.Tenant, p core.Post, messageOrEmpty string) error {
	change, err := p.MakeChange(core.MoveTake, a.cfg.Now(), messageOrEmpty)
	if err != nil {
		return err
	}
	pub, err := lockMovablePublication(ctx, t, p.ID)
	if err != nil {
		return err
	}
	return a.savePostChangeAndEndClaim(ctx, t, change, pub)
}

// RetryPost queues a failed post again: for its time if that is in the future, otherwise for immediate publishing. It
// uses no further slot. If the outcome of the post is unknown, a person must confirm that it is not on the network;
// otherwise RetryPost returns outcome_unknown.
func (a *App) RetryPost(ctx context.Context, c core.Caller, in contract.RetryPost) (contract.Post, error) {
	return a.changeAndAuditPost(ctx, c, in.ID, func(t store.Tenant, p *core.Post) error {
		if in.ConfirmNotPublished {
			return a.requeueFailedPost(ctx, t, *p)
		}
		return a.requeueFailedPostIfOutcomeKnown(ctx, t, *p)
	})
}

// RetryPostFromDashboard is RetryPost for a person. It returns conflict if the account must be reconnected, because the
// post would fail again, and if the post no longer has the revision that the person has seen. revisionOrEmpty is "" to
// retry the post whatever its revision.
func (a *App) RetryPostFromDashboard(ctx context.Context, c core.Caller, id, revisionOrEmpty string,
) (contract.Post, error) {
	return a.changeAndAuditPost(ctx, c, id, func(t store.Tenant, p *core.Post) error {
		if err := checkPostRevisionIfShown(*p, revisionOrEmpty); err != nil {
			return err
		}
		if p.Status == core.PostFailed && p.AccountStatus != core.AccountOK {
			return core.Fail(core.CodeConflict, "Belfry no longer has access to %s.", p.AccountName).
				WithHint("Connect the account again, then retry the post.")
		}
		return a.requeueFailedPostIfOutcomeKnown(ctx, t, *p)
	})
}

// requeueFailedPostIfOutcomeKnown is requeueFailedPost, but returns outcome_unknown if the outcome of the post is
// unknown.
func (a *App) requeueFailedPostIfOutcomeKnown(ctx context.Context, t store.Tenant, p core.Post) error {
	if p.HasUnknownOutcome() {
		return core.Fail(core.CodeOutcomeUnknown, "Belfry does not know whether this post was published to %s.", p.AccountName).
			WithHint("Check the account on the network, then answer the question in the dashboard. Or, if the post is not on the network, " +
				"repeat the request with confirmNotPublished: true.")
	}
	return a.requeueFailedPost(ctx, t, p)
}

// requeueFailedPost queues a failed post again, after it has locked and checked the post's files. It keeps the ledger
// row, so that an armed handle remains the only handle. It returns conflict if a copy of the post is published instead.
// The caller must have called store.Tenant.LockCopies.
func (a *App) requeueFailedPost(ctx context.Context, t store.Tenant, p core.Post) error {
	now := a.cfg.Now().UTC()
	change, err := p.MakeChange(core.MoveRetry, now, "")
	if err != nil {
		return err
	}
	pub, err := lockPublicationUnlessClaimed(ctx, t, p.ID)
	if err != nil {
		return err
	}
	if err := a.checkAndStopOtherCopies(ctx, t, p); err != nil {
		return err
	}
	pub.Handle = string(pub.Sealed) // Requeue only checks whether there is a handle
	if err := lockPublishablePostFiles(ctx, t, p); err != nil {
		return err
	}
	if change.Post.PublishAt.Before(now) {
		change.Post.PublishAt = now
	}
	pub.Publication = pub.Requeue(p.HasUnknownOutcome())
	return a.savePostChangeAndEndClaim(ctx, t, change, pub)
}

// DeletePost deletes a draft or a failed post. The slot of a failed post stays used.
func (a *App) DeletePost(ctx context.Context, c core.Caller, id string) error {
	return a.deletePost(ctx, c, id, "", false)
}

// DeletePostEvenIfQueued is like DeletePost, but also deletes a queued post, whose slot it releases. It returns
// conflict if the post is being published, or no longer has the revision that the person has seen. revisionOrEmpty is
// "" to delete the post whatever its revision.
func (a *App) DeletePostEvenIfQueued(ctx context.Context, c core.Caller, id, revisionOrEmpty string) error {
	return a.deletePost(ctx, c, id, revisionOrEmpty, true)
}

// deletePost deletes a post that has the revision, if any. evenIfQueued allows it to take the post off the queue first.
func (a *App) deletePost(ctx context.Context, c core.Caller, id, revisionOrEmpty string, evenIfQueued bool) error {
	t, postID, err := authorizeAndParseID[core.PostKind](a, c, core.Write, id)
	if err != nil {
		return err
	}
	return t.Tx(ctx, func(t store.Tenant) error {
		post, err := t.LockPost(ctx, postID)
		if err != nil {
			return err
		}
		if err := checkPostRevisionIfShown(post, revisionOrEmpty); err != nil {
			return err
		}
		before := post
		if evenIfQueued && post.Status == core.PostQueued {
			if err := a.unqueuePost(ctx, t, post, ""); err != nil {
				return err
			}
			post.Status = core.PostDraft
		}
		if err := post.ApplyMove(core.MoveDelete); err != nil {
			return err
		}
		// The ledger row is locked first, because a worker that records a question to the network holds that row while it
		// waits for the post.
		if _, err := t.LockPublication(ctx, post.ID); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if err := t.DeletePost(ctx, post.ID); err != nil {
			return err
		}
		return auditPostDeletion(ctx, t, c, before)
	})
}

// ResolveOutcome applies a person's answer about a post with an unknown outcome: it marks the post as live, or queues
// it again because it is not on the network. Only a signed-in person can answer.
func (a *App) ResolveOutcome(ctx context.Context, c core.Caller, id string, in contract.ResolveOutcome,
) (contract.Post, error) {
	if err := c.RequireSession(); err != nil {
		return contract.Post{}, err
	}
	return a.changeAndAuditPost(ctx, c, id, func(t store.Tenant, p *core.Post) error {
		if !p.HasUnknownOutcome() {
			return core.MoveSettle.ConflictError()
		}
		if err := checkPostRevisionIfShown(*p, in.Revision); err != nil { // the answer is about an earlier attempt
			return err
		}
		if !in.Live {
			return a.requeueFailedPost(ctx, t, *p)
		}
		return a.markPostLiveByConfirmation(ctx, t, *p, in.URL)
	})
}

// markPostLiveByConfirmation marks a failed post as live because a person has confirmed that it is on the network, with
// the link that the person has entered, if any.
func (a *App) markPostLiveByConfirmation(ctx context.Context, t store.Tenant, p core.Post, urlOrEmpty string) error {
	if err := core.CheckOptionalLink("url", urlOrEmpty); err != nil {
		return err
	}
	pub, err := lockPublicationUnlessClaimed(ctx, t, p.ID)
	if err != nil {
		return err
	}
	pub.Step = core.StepLive
	change, err := p.MakeLiveChange(a.cfg.Now(), pub.ArmedAt, "A person confirmed that the post is on the network.")
	if err != nil {
		return err
	}
	change.Post.ExternalURL = urlOrEmpty
	return a.savePostChangeAndEndClaim(ctx, t, change, pub)
}
