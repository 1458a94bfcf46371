package core

import "time"

// Act is an action of a person on a post.
type Act string

// Acts.
const (
	ActEdit       Act = "edit"       // another content
	ActQueue      Act = "queue"      // a draft goes onto the queue at its own time
	ActSendNow    Act = "sendNow"    // a draft or a queued post goes out at once
	ActReschedule Act = "reschedule" // another time
	ActCancel     Act = "cancel"     // a queued post becomes a draft; a failed one is not tried again
	ActRetry      Act = "retry"      // a failed post is sent again
	ActDuplicate  Act = "duplicate"  // a draft with the same content
	ActDelete     Act = "delete"
	ActSettle     Act = "settle" // a person says whether a post with an unknown outcome is live
)

// Acts returns all actions in the order in which they are shown.
func Acts() []Act {
	return []Act{ActEdit, ActRetry, ActQueue, ActSendNow, ActReschedule, ActCancel, ActDuplicate, ActDelete, ActSettle}
}

// OutcomeUnknown reports whether it is unknown if a failed post is on its network (outcome_unknown).
func (p Post) OutcomeUnknown() bool {
	return p.Status == PostFailed && p.Error != nil && p.Error.Code == ErrorOutcomeUnknown
}

// HasPendingRetry reports whether the worker will automatically send a failed post again. Cancelling the post
// prevents that; without a pending retry, cancelling a failed post changes nothing (decisions.md, Posts).
func (p Post) HasPendingRetry() bool { return p.Status == PostFailed && !p.NextTryAt.IsZero() }

// Allows reports whether the action is possible in the post's present state, apart from checks of its content.
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
		return draft && p.AccountStatus == AccountOK && len(CheckTime(p.PublishAt, now)) == 0
	case ActSendNow:
		return draft && p.AccountStatus == AccountOK || queued
	case ActReschedule:
		return draft || queued
	case ActCancel:
		return queued || p.HasPendingRetry()
	case ActRetry:
		return can(MoveRetry) && !p.Busy && !p.OutcomeUnknown()
	case ActDuplicate:
		return true
	case ActDelete:
		return can(MoveDelete)
	case ActSettle:
		return p.OutcomeUnknown() && !p.Busy
	}
	return false
}
