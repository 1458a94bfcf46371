package core

import (
	"cmp"
	"time"
)

// Change is a post after a move, with the timeline entry that records the move.
type Change struct {
	Post  Post
	Event Event
}

var moveEvents = map[Move]EventKind{
	MoveQueue: EventQueued, MoveTake: EventCancelled, MovePublish: EventLive, MoveFail: EventFailed,
	MoveRetry:  EventRetried,
	MoveSettle: EventLive,
}

// MakeChange returns the post after a move, with its timeline entry; the post itself does not change. The returned post
// has no error and, after MoveTake, no time. The error is conflict if the post's state does not allow the move.
func (p Post) MakeChange(m Move, at time.Time, message string) (Change, error) {
	if err := p.ApplyMove(m); err != nil {
		return Change{}, err
	}
	p.Error, p.UpdatedAt = nil, at
	if m == MoveTake {
		p.PublishAt = time.Time{}
	}
	return Change{p, Event{Kind: moveEvents[m], At: at, Message: message}}, nil
}

// MakeLiveChange is MakeChange for a post that is found to be live. If the post was published before the time that it
// has now, it gets the time of its call, or at if armedAt is zero.
func (p Post) MakeLiveChange(at, armedAt time.Time, message string) (Change, error) {
	move := MovePublish
	if p.Status == PostFailed {
		move = MoveSettle
	}
	change, err := p.MakeChange(move, at, message)
	if change.Post.PublishAt.After(at) {
		change.Post.PublishAt = cmp.Or(armedAt, at)
	}
	return change, err
}
