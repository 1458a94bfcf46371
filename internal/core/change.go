package core

import "time"

// Change is a post after a change, and the entry of its timeline about it.
type Change struct {
	Post  Post
	Event Event
}

var moveEvents = map[Move]EventKind{
	MoveQueue: EventQueued, MoveTake: EventCancelled, MovePublish: EventLive, MoveFail: EventFailed,
	MoveRetry:  EventRetried,
	MoveSettle: EventLive,
}

// Change moves the post to its next state, or returns conflict when the table of moves has no such move. An error
// of the post ends with the state that it explains, and a time with its place on the queue.
func (p Post) Change(m Move, at time.Time, message string) (Change, error) {
	if err := p.Apply(m); err != nil {
		return Change{}, err
	}
	p.Error, p.UpdatedAt = nil, at
	if m == MoveTake {
		p.PublishAt = time.Time{}
	}
	return Change{p, Event{Kind: moveEvents[m], At: at, Message: message}}, nil
}
