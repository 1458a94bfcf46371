package core

import "time"

// Act is something that a person does to a post.
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
	ActSettle     Act = "settle" // a person's word on an unknown outcome
)

// Acts are all acts, in the order in which they are offered.
func Acts() []Act {
	return []Act{ActEdit, ActRetry, ActQueue, ActSendNow, ActReschedule, ActCancel, ActDuplicate, ActDelete, ActSettle}
}

// Unknown tells that nobody knows whether a failed post is at its network.
func (p Post) Unknown() bool {
	return p.Status == PostFailed && p.Error != nil && p.Error.Code == ErrorUnknown
}

// Allows tells whether an act would be accepted of the post as it is now, as far as that does not depend on
// its content.
func (p Post) Allows(a Act, now time.Time) bool {
	can := func(m Move) bool {
		_, ok := m.To(p.Status)
		return ok
	}
	draft, queued := can(MoveQueue), can(MoveTake) && !p.Busy
	switch a {
	case ActEdit:
		return draft
	case ActQueue:
		return draft && p.AccountStatus == AccountOK && len(CheckTime(p.PublishAt, now)) == 0
	case ActSendNow:
		return draft && p.AccountStatus == AccountOK || queued
	case ActReschedule:
		return draft || queued
	case ActCancel:
		return queued || can(MoveRetry) && !p.NextTryAt.IsZero()
	case ActRetry:
		return can(MoveRetry) && !p.Busy && !p.Unknown()
	case ActDuplicate:
		return true
	case ActDelete:
		return can(MoveDelete)
	case ActSettle:
		return p.Unknown() && !p.Busy
	}
	return false
}
