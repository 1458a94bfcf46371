package core

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// PostStatus is one of the four states of a post (Spec §3).
type PostStatus string

// Post states.
const (
	PostDraft  PostStatus = "draft"
	PostQueued PostStatus = "queued"
	PostLive   PostStatus = "live"
	PostFailed PostStatus = "failed"
)

// MostCounted is the number up to which posts are counted, so that counting stays fast.
const MostCounted = 200

// Post is one publication to one account at one time.
type Post struct {
	ID          PostID
	Workspace   WorkspaceID
	Account     AccountID
	Platform    Platform
	AccountName string // the account's display name
	// AccountAvatar is the account's Avatar.
	AccountAvatar string
	// AccountStatus is the account's present status.
	AccountStatus AccountStatus
	Text          string
	Title         string
	Tags          []string
	MediaIDs      []MediaID
	Settings      json.RawMessage // the block of the post's network, {} when none
	PublishAt     time.Time       // zero for a draft without a time
	Zone          Zone
	Status        PostStatus
	ExternalID    string
	ExternalURL   string
	Error         *PostError
	Attempts      int
	Via           Via
	CreatedAt     time.Time
	UpdatedAt     time.Time
	// NextTryAt is when the worker will try again automatically, or when a network's throttle ends; zero if neither
	// applies.
	NextTryAt time.Time
	// Held reports that a queued post waits for a network's limit or throttle until NextTryAt.
	Held bool
	// Busy reports that a worker has claimed the post, or that the network may have published it: until that is known,
	// the post cannot be changed.
	Busy bool
	// Asking reports that the publishing call may have succeeded, and that the worker asks the network whether it did:
	// at AskAt, or now if that is zero.
	Asking bool
	AskAt  time.Time
	// Preparing reports that the network is processing what it received, none of which is visible yet.
	Preparing bool
	// Waiting reports that the post waits until another post of its account is published.
	Waiting bool
	// PrepareAt is when the network gets the post, ahead of its time; zero if it does not, or has it.
	PrepareAt time.Time
}

// Revision changes with a post's content and time, and with nothing else. A form carries the revision that it shows,
// so that a change by somebody else is noticed.
func (p Post) Revision() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %q %d %q", p.Text, p.Title, p.Tags, p.MediaIDs, p.Settings,
		p.PublishAt.UnixMicro(), p.Zone.Name()))
	return hex.EncodeToString(sum[:8])
}

// PostError is why a post failed, with the network's own message.
type PostError struct {
	Code    string
	Message string
	Hint    string
	// FromNetwork reports that the message is the network's own.
	FromNetwork bool
}

// Codes of a PostError that are ours; others are an issue's code.
const (
	ErrorRejected       = "rejected"
	ErrorUnreachable    = "network_unreachable"
	ErrorOutcomeUnknown = string(CodeOutcomeUnknown)
)

// LostAccessCodes are the codes of a PostError that reconnecting the account mends.
func LostAccessCodes() []string {
	return []string{string(IssueAccountExpired.Code), string(IssueAccountRevoked.Code)}
}

// LostAccess reports whether the post failed because the access to its account was lost.
func (e PostError) LostAccess() bool { return slices.Contains(LostAccessCodes(), e.Code) }

// SendAsIs reports whether the post can be sent again unchanged, because its content was not the reason.
func (e PostError) SendAsIs() bool {
	switch e.Code {
	case ErrorUnreachable, ErrorOutcomeUnknown, string(IssueMediaUnreachable.Code):
		return true
	}
	return e.LostAccess()
}

// Move is a change of a post's state.
type Move string

// Moves of a post (Spec §3), and the two that decisions.md adds.
const (
	MoveQueue   Move = "queue"   // a draft with a time goes onto the queue
	MoveTake    Move = "take"    // cancel, `when: draft`, disconnect
	MovePublish Move = "publish" // the network has it
	MoveFail    Move = "fail"
	MoveRetry   Move = "retry" // by a person or by the worker
	MoveDelete  Move = "delete"
	MoveSettle  Move = "settle" // outcome_unknown turned out to be live
)

var moves = map[Move]map[PostStatus]PostStatus{
	MoveQueue:   {PostDraft: PostQueued},
	MoveTake:    {PostQueued: PostDraft},
	MovePublish: {PostQueued: PostLive},
	MoveFail:    {PostQueued: PostFailed},
	MoveRetry:   {PostFailed: PostQueued},
	MoveSettle:  {PostFailed: PostLive},
	MoveDelete:  {PostDraft: "", PostFailed: ""},
}

// ResultFrom returns the state a move leads to, and whether the table of moves (docs/states.md) has it.
func (m Move) ResultFrom(from PostStatus) (PostStatus, bool) {
	to, ok := moves[m][from]
	return to, ok
}

var moveConflicts = map[Move]string{
	MoveQueue:   "Only a draft can be queued.",
	MoveTake:    "Only a queued or failed post can be cancelled.",
	MoveRetry:   "Only a failed post can be retried.",
	MoveDelete:  "Only a draft or a failed post can be deleted.",
	MovePublish: "Only a queued post can go live.",
	MoveFail:    "Only a queued post can fail.",
	MoveSettle:  "This is only for a post with an unknown outcome.",
}

// Conflict returns the error for a move that the post's state does not allow.
func (m Move) Conflict() *Error { return Fail(CodeConflict, "%s", moveConflicts[m]) }

var statusHints = map[PostStatus]string{
	PostDraft: "This post is a draft.", PostQueued: "This post is queued.", PostLive: "This post is live.",
	PostFailed: "This post has failed.",
}

// Apply moves the post to its next state, or returns conflict when the table of moves has no such move.
func (p *Post) Apply(m Move) error {
	to, ok := m.ResultFrom(p.Status)
	if !ok {
		hint := statusHints[p.Status]
		if m == MoveDelete && p.Status == PostQueued {
			hint += " Cancel it first."
		}
		return m.Conflict().WithHint("%s", hint)
	}
	p.Status = to
	return nil
}

// EventKind is a kind of entry in a post's timeline (Spec §2).
type EventKind string

// Kinds of post events.
const (
	EventCreated         EventKind = "created"
	EventQueued          EventKind = "queued"
	EventPublishing      EventKind = "publishing"
	EventLive            EventKind = "live"
	EventFailed          EventKind = "failed"
	EventRetried         EventKind = "retried"
	EventCancelled       EventKind = "cancelled"
	EventRescheduled     EventKind = "rescheduled"
	EventRetriedByWorker EventKind = "retriedByWorker"
)

// Event is one entry of a post's timeline.
type Event struct {
	Kind    EventKind
	At      time.Time
	Message string
	Notes   []string
}

var stateWords = map[PostStatus]string{PostDraft: "Draft", PostQueued: "Queued", PostLive: "Live", PostFailed: "Failed"}

// StatusLine returns the post's state in one sentence, the same in the dashboard, the API and for agents (Spec §2):
// status, network, account, and local time with its zone.
func (p Post) StatusLine(networkName string) string {
	line := fmt.Sprintf("%s · %s · %s", stateWords[p.Status], networkName, p.AccountName)
	if !p.PublishAt.IsZero() {
		line += " · " + p.Zone.Label(p.PublishAt)
	}
	switch {
	case p.Asking && p.AskAt.IsZero():
		line += " · asking " + networkName + " whether it published the post"
	case p.Asking:
		line += " · will ask " + networkName + " at " + p.AskAt.In(p.Zone.Location()).Format("15:04 MST") +
			" whether it published the post"
	case p.Preparing:
		line += " · " + networkName + " is processing it"
	case p.Waiting:
		line += " · waiting for another post of this account"
	case p.NextTryAt.IsZero():
	case p.Status == PostFailed:
		line += " · next try " + p.Zone.Label(p.NextTryAt)
	case p.Held:
		line += " · held until " + p.Zone.Label(p.NextTryAt)
	}
	return line
}
