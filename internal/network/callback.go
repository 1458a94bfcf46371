package network

import (
	"errors"
	"net/http"
	"time"
)

// CallbackReader is a network that calls this server to report what people have done there.
type CallbackReader interface {
	// VerifyCallback checks that the network has signed the call and returns what it reports. For any other call, it
	// returns ErrNotSigned, whatever the reason.
	VerifyCallback(c Callback) (Notice, error)
}

// Callback is a call from a network to this server.
type Callback struct {
	Event  string // the last segment of the path that was called
	Header http.Header
	Body   []byte
}

// ErrNotSigned means that a call did not come from the network.
var ErrNotSigned = errors.New("the call is not signed by the network")

// Notice is what a network reports about a grant.
type Notice struct {
	Kind  NoticeKind // "" if nothing needs to be done
	Grant string
	// At is when the network first reported this. The notice does not apply to access granted later.
	At time.Time
}

// NoticeKind is what happened on the network.
type NoticeKind string

// Kinds of notice.
const (
	AccessRemoved NoticeKind = "access_removed" // the person has removed the app
	DataUnwanted  NoticeKind = "data_unwanted"  // the person asks for their data to be deleted
	PostsChanged  NoticeKind = "posts_changed"  // the status of a post has changed and must be queried
)

// callbackSkew is how far a network's clock may be ahead of ours.
const callbackSkew = 5 * time.Minute

// AnyAge is the maximum age of a signature that never becomes too old.
const AnyAge time.Duration = 0

// IsSignatureFresh reports whether a signature is at most maxAge old, and its time at most callbackSkew in the future.
// maxAge can be AnyAge.
func IsSignatureFresh(signedAt, now time.Time, maxAge time.Duration) bool {
	return !signedAt.After(now.Add(callbackSkew)) && (maxAge == AnyAge || !signedAt.Before(now.Add(-maxAge)))
}
