package core

import (
	"encoding/json"
	"slices"
	"strconv"
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

// PostReplaced stands for failed posts that have a live copy, wherever posts are counted or shown. No post has this
// status.
const PostReplaced PostStatus = "replaced"

// MostCounted is the number at which Belfry stops counting the posts of a list, which keeps counting fast.
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
	Settings      json.RawMessage // the settings for the post's network; {} if there are none
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
	// Held reports whether a queued post waits for a network's limit or throttle until NextTryAt.
	Held bool
	// Busy reports whether a worker has claimed the post, or the network may have published it. A busy post cannot be
	// changed.
	Busy bool
	// MayBeLive reports whether the network may have published a failed post or a draft, even if no error says so.
	MayBeLive bool
	// Asking reports whether the publishing call may have succeeded and the worker asks the network whether it did: at
	// AskAt, or now if AskAt is zero, or when the post no longer waits for another post of its account (Waiting).
	Asking bool
	AskAt  time.Time
	// Preparing reports whether the network is processing the post. Nothing of the post is visible yet.
	Preparing bool
	// Waiting reports whether the post waits until another post of its account is published or searched for.
	Waiting bool
	// PrepareAt is when Belfry sends the post to the network ahead of its time; zero if it does not or already has.
	PrepareAt time.Time
	// CopyOf is the failed post that this post replaces, as its copy or as a copy of a copy; zero if there is none, or if
	// that post or a copy of it was already live when this post was created. The failed post may have been deleted.
	CopyOf PostID
	// ReplacedBy is the newest live copy of a failed post; zero if no copy replaces it.
	ReplacedBy PostID
}

// MakeDraftCopy returns a new draft with the post's account, content and settings, but without a time. The draft's
// CopyOf is the failed post that the draft would replace, even if that post is queued for a retry. A copy of a post
// that is live or replaced is a second post, and replaces nothing. wasTried reports whether the post has ever failed
// or may have been published. MakeDraftCopy does not store the draft.
func (p Post) MakeDraftCopy(via Via, now time.Time, wasTried bool) (draft Post) {
	draft = Post{
		ID: NewID[PostKind](), Workspace: p.Workspace, Account: p.Account, Platform: p.Platform,
		AccountName: p.AccountName, Text: p.Text, Title: p.Title, Tags: p.Tags, MediaIDs: p.MediaIDs,
		Settings: p.Settings, Zone: p.Zone, Status: PostDraft, Via: via, CreatedAt: now, UpdatedAt: now, CopyOf: p.CopyOf,
	}
	switch {
	case p.Status == PostLive, !p.ReplacedBy.IsZero():
		draft.CopyOf = PostID{}
	case p.CopyOf.IsZero() && (wasTried || p.Status == PostFailed || p.Attempts > 0):
		draft.CopyOf = p.ID
	}
	return draft
}

// Revision identifies what a page shows of the post: its content, time and status, and the live copy of a failed post.
// A form sends back the revision that it showed, so that Belfry notices a change by somebody else, even if another
// change has undone it.
func (p Post) Revision() string {
	micros := func(t time.Time) string { return strconv.FormatInt(t.UnixMicro(), 10) }
	return NewRevision(p.Text, p.Title, p.Tags, p.MediaIDs, p.Settings, micros(p.PublishAt), p.Zone.Name(),
		string(p.Status), micros(p.UpdatedAt), p.ReplacedBy)
}

// PostError explains why a post failed.
type PostError struct {
	Code    string
	Message string
	Hint    string
	// FromNetwork reports whether the message is the network's own.
	FromNetwork bool
}

// Codes of a PostError. Other PostErrors have the code of an issue.
const (
	ErrorRejected       = "rejected"
	ErrorUnreachable    = "network_unreachable"
	ErrorOutcomeUnknown = string(CodeOutcomeUnknown)
)

// UnknownOutcomeHint is the hint of ErrorOutcomeUnknown. %s is the name of the account.
const UnknownOutcomeHint = "The post may already be live. Check the account %s before you send the post again."

// LostAccessCodes returns the codes of the PostErrors that reconnecting the account resolves.
func LostAccessCodes() []string {
	return []string{string(IssueAccountExpired.Code), string(IssueAccountRevoked.Code)}
}

// IsLostAccess reports whether the post failed because access to its account was lost.
func (e PostError) IsLostAccess() bool { return slices.Contains(LostAccessCodes(), e.Code) }

// MayBeCausedByContent reports whether the content of the post may have caused the error, so that changing it may help.
func (e PostError) MayBeCausedByContent() bool {
	switch e.Code {
	case ErrorUnreachable, ErrorOutcomeUnknown, string(IssueMediaUnreachable.Code):
		return false
	}
	return !e.IsLostAccess()
}

// Move is a change of a post's state.
type Move string

// Moves of a post (Spec §3), and the two that decisions.md adds.
const (
	MoveQueue   Move = "queue"   // a draft with a time is queued
	MoveTake    Move = "take"    // cancel, `when: draft`, disconnect
	MovePublish Move = "publish" // the network has the post
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

// ResultFrom returns the state to which a move leads, and whether the table of moves (docs/states.md) contains the
// move.
func (m Move) ResultFrom(from PostStatus) (to PostStatus, allowed bool) {
	to, allowed = moves[m][from]
	return to, allowed
}

var moveConflicts = map[Move]string{
	MoveQueue:   "Only a draft can be queued.",
	MoveTake:    "Only a queued or failed post can be cancelled.",
	MoveRetry:   "Only a failed post can be retried.",
	MoveDelete:  "Only a draft or a failed post can be deleted.",
	MovePublish: "Only a queued post can go live.",
	MoveFail:    "Only a queued post can fail.",
	MoveSettle:  "An outcome can be recorded only for a post whose outcome is unknown.",
}

// ConflictError returns the error for a move that the post's state does not allow.
func (m Move) ConflictError() *Error { return Fail(CodeConflict, "%s", moveConflicts[m]) }

var statusHints = map[PostStatus]string{
	PostDraft: "This post is a draft.", PostQueued: "This post is queued.", PostLive: "This post is live.",
	PostFailed: "This post has failed.",
}

// ApplyMove changes the post's status. It returns conflict if the table of moves does not contain the move.
func (p *Post) ApplyMove(m Move) error {
	to, ok := m.ResultFrom(p.Status)
	if !ok {
		hint := statusHints[p.Status]
		if m == MoveDelete && p.Status == PostQueued {
			hint += " Cancel it first."
		}
		return m.ConflictError().WithHint("%s", hint)
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

// StatusLine returns the post's state as one line (Spec §2): status, network, account, and local time with its zone.
// The line is the same in the dashboard, in the API and for agents.
func (p Post) StatusLine(networkName string) string {
	return p.addTimesToStatus(stateWords[p.Status]+" · "+networkName+" · "+p.AccountName, networkName)
}

// StatusLineWithoutAccount is StatusLine without network and account, for a page that names them beside it. It still
// names the network if Belfry waits for it. It does not call a post failed that may be live.
func (p Post) StatusLineWithoutAccount(networkName string) string {
	if p.HasUnknownOutcome() || p.Status == PostFailed && p.MayBeLive {
		return p.addTimesToStatus("Not confirmed", networkName)
	}
	return p.addTimesToStatus(stateWords[p.Status], networkName)
}

// addTimesToStatus returns a line that begins with the status, followed by the times.
func (p Post) addTimesToStatus(line, networkName string) string {
	if !p.PublishAt.IsZero() {
		line += " · " + p.Zone.FormatTime(p.PublishAt)
	}
	switch {
	case p.Asking && p.Waiting:
		line += " · waiting for another post from this account, will then ask " + networkName + " whether it published the post"
	case p.Asking && p.AskAt.IsZero():
		line += " · asking " + networkName + " whether it published the post"
	case p.Asking:
		line += " · will ask " + networkName + " at " + p.AskAt.In(p.Zone.Location()).Format("15:04 MST") +
			" whether it published the post"
	case p.Preparing:
		line += " · " + networkName + " is processing it"
	case p.Waiting:
		line += " · waiting for another post from this account"
	case p.NextTryAt.IsZero():
	case p.Status == PostFailed:
		line += " · next try " + p.Zone.FormatTime(p.NextTryAt)
	case p.Held:
		line += " · held until " + p.Zone.FormatTime(p.NextTryAt)
	}
	return line
}
