package network

import (
	"errors"
	"net/http"
	"time"
)

// CallbackReader is a network that calls this server, to tell it what people have done there.
type CallbackReader interface {
	// VerifyCallback checks that the network has signed a call, and returns what it reports. The error of any other
	// call is ErrNotSigned, whatever is wrong with it.
	VerifyCallback(c Callback) (Notice, error)
}

// Callback is a call of a network to this server.
type Callback struct {
	Event  string // the last part of the address at which the call arrived
	Header http.Header
	Body   []byte
}

// ErrNotSigned means that a call did not come from the network.
var ErrNotSigned = errors.New("the call is not signed by the network")

// Notice is what a network reports of a grant.
type Notice struct {
	Kind  NoticeKind // "" for what is of no use
	Grant string
	// At is when the network reported it first. What was granted later is not concerned.
	At time.Time
}

// NoticeKind is what has happened at the network.
type NoticeKind string

// Kinds of notice.
const (
	AccessRemoved NoticeKind = "access_removed" // the person has removed the app
	DataUnwanted  NoticeKind = "data_unwanted"  // the person wants that what is known of them is deleted
	PostsChanged  NoticeKind = "posts_changed"  // something has become of a post, which the network must be asked about
)

// callbackSkew is how far the clock of a network may be ahead.
const callbackSkew = 5 * time.Minute

// IsFresh tells whether a call that was signed at a time is not older than maxAge, 0 for any age.
func IsFresh(signed, now time.Time, maxAge time.Duration) bool {
	return !signed.After(now.Add(callbackSkew)) && (maxAge == 0 || !signed.Before(now.Add(-maxAge)))
}
