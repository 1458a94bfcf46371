package core

import "time"

// Act is an action that a person can take on a post.
type Act string

// Actions on a post.
const (
	ActEdit       Act = "edit"       // change the content
	ActQueue      Act = "queue"      // queue a draft for its own time
	ActSendNow    Act = "sendNow"    // publish a draft or a queued post immediately
	ActReschedule Act = "reschedule" // change the time
	ActCancel     Act = "cancel"     // turn a queued post into a draft, or stop retrying a failed one
	ActRetry      Act = "retry"      // send a failed post again
	ActDuplicate  Act = "duplicate"  // create a draft with the same content
	ActDelete     Act = "delete"
	ActSettle     Act = "settle" // record whether a post with an unknown outcome is live
)

// Acts returns all actions in the order in which they are shown.
func Acts() []Act {
	return []Act{ActEdit, ActRetry, ActQueue, ActSendNow, ActReschedule, ActCancel, ActDuplicate, ActDelete, ActSettle}
}

// HasUnknownOutcome reports whether the post failed with outcome_unknown: the network may have published it.
func (p Post) HasUnknownOutcome() bool {
	return p.Status == PostFailed && p.Error != nil && p.Error.Code == ErrorOutcomeUnknown
}

// CheckOtherCopyAllowed returns conflict if another copy of the same failed post must not be published, because this
// post is live, may be live, or is going to be published.
func (p Post) CheckOtherCopyAllowed() error {
	which := p.ID.String() + ", " + p.Zone.FormatTime(p.PublishAt)
	switch {
	case p.Status == PostLive:
		return Fail(CodeConflict, "Another copy of this post is already live: %s.", which).
			WithHint("To publish it once more, duplicate the live copy and publish the duplicate.")
	case p.HasUnknownOutcome():
		return Fail(CodeConflict, "Belfry does not know whether another copy of this post was published: %s.", which).
			WithHint("Open that copy and say whether it was published.")
	case p.MayBeLive:
		return Fail(CodeConflict, "Belfry does not know whether another copy of this post was published: %s.", which).
			WithHint("Publish that copy instead: Belfry first asks the network whether it was published. Or delete that copy.")
	case p.Busy:
		return Fail(CodeConflict, "Another copy of this post is being published, or may already be published: %s.", which).
			WithHint("To publish both, create a new post.")
	case p.Status == PostQueued:
		return Fail(CodeConflict, "Another copy of this post is already queued: %s.", which).
			WithHint("To publish this post instead, cancel that copy first. To publish both, create a new post.")
	}
	return nil
}

// HasPendingRetry reports whether the worker will automatically send a failed post again. Cancelling the post prevents
// the retry. Cancelling a failed post without a pending retry changes nothing (decisions.md, Posts).
func (p Post) HasPendingRetry() bool { return p.Status == PostFailed && !p.NextTryAt.IsZero() }

// UndoDelay is how long a post waits after a person has sent it, so that they can undo sending.
const UndoDelay = 10 * time.Second

// isDueWithinUndoDelay reports whether the post's time is within UndoDelay from now, so that a person who has just sent
// it can still undo that. It is true for a post that was scheduled long ago too.
func (p Post) isDueWithinUndoDelay(now time.Time) bool {
	wait := p.PublishAt.Sub(now)
	return wait > 0 && wait <= UndoDelay
}

// isRetryableOnceConnected reports whether a person may send a failed post again, if its account is connected. If a
// copy of the post is live, that would publish the content twice.
func (p Post) isRetryableOnceConnected() bool {
	_, ok := MoveRetry.ResultFrom(p.Status)
	return ok && !p.Busy && !p.HasUnknownOutcome() && p.ReplacedBy.IsZero()
}

// IsRetryableOnceReconnected reports whether the post's account must be reconnected before a person may send the failed
// post again.
func (p Post) IsRetryableOnceReconnected() bool {
	return p.isRetryableOnceConnected() && p.AccountStatus != AccountOK
}

// AllowsInBulk reports whether the post's state permits the action on a selection of posts.
func (p Post) AllowsInBulk(a Act, now time.Time) bool {
	switch a {
	case ActQueue: // for a new time
		return p.Status == PostDraft
	case ActReschedule: // by a difference
		return !p.PublishAt.IsZero() && p.Allows(a, now)
	case ActCancel: // not to stop the retries of a failed post
		return p.Status == PostQueued && p.Allows(a, now)
	}
	return p.Allows(a, now)
}

// Allows reports whether the post's state permits the action. It does not check the content.
func (p Post) Allows(a Act, now time.Time) bool {
	can := func(m Move) bool {
		_, ok := m.ResultFrom(p.Status)
		return ok
	}
	draft, queued := can(MoveQueue), can(MoveTake) && !p.Busy
	switch a {
	case ActEdit:
		return draft || queued
	case ActQueue:
		return draft && p.AccountStatus == AccountOK && len(CheckRequiredTime(p.PublishAt, now)) == 0
	case ActSendNow:
		return (draft || queued && !p.isDueWithinUndoDelay(now)) && p.AccountStatus == AccountOK
	case ActReschedule:
		return draft || queued
	case ActCancel:
		return queued || p.HasPendingRetry()
	case ActRetry:
		return p.isRetryableOnceConnected() && p.AccountStatus == AccountOK
	case ActDuplicate:
		return !p.HasUnknownOutcome() // a person could take the copy for a retry of a post that is live
	case ActDelete:
		return can(MoveDelete)
	case ActSettle:
		return p.HasUnknownOutcome() && !p.Busy
	}
	return false
}
