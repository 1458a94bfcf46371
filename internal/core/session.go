package core

import (
	"context"
	"time"
)

// BrowserSession is a browser in which a person is signed in.
type BrowserSession struct {
	ID      SessionID
	User    UserID
	Browser string // as it names itself
	Since   time.Time
	SeenAt  time.Time
}

type browserSessionKey struct{}

// WithBrowserSession adds the session that a request saves to its context.
func WithBrowserSession(ctx context.Context, s BrowserSession) context.Context {
	return context.WithValue(ctx, browserSessionKey{}, s)
}

// BrowserSessionOf returns the session that a context's request saves, or the zero BrowserSession if nobody is signed
// in.
func BrowserSessionOf(ctx context.Context) BrowserSession {
	s, _ := ctx.Value(browserSessionKey{}).(BrowserSession)
	return s
}
