package core

import (
	"context"
	"time"
)

// BrowserSession is a browser in which a person is signed in.
type BrowserSession struct {
	ID      SessionID
	User    UserID
	Browser string // the name that the browser reports
	Since   time.Time
	SeenAt  time.Time
}

type browserSessionKey struct{}

// WithBrowserSession adds a session to the context of the request that will save it.
func WithBrowserSession(ctx context.Context, s BrowserSession) context.Context {
	return context.WithValue(ctx, browserSessionKey{}, s)
}

// BrowserSessionOf returns the session that WithBrowserSession added to a context, or the zero BrowserSession if nobody
// is signed in.
func BrowserSessionOf(ctx context.Context) BrowserSession {
	s, _ := ctx.Value(browserSessionKey{}).(BrowserSession)
	return s
}
