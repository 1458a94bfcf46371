package web

import (
	"context"
	"net/http"
	"sync"
	"time"

	"belfry/internal/httpd"
)

// How many pages may wait for changes at the same time, and how often a waiting page hears that it is still connected.
const (
	streamsPerSession = 8
	streamsPerAddress = 200
	beatEvery         = 15 * time.Second
)

// streamChanges tells an open page what changes in its workspace: an event "change" with app.Changes as JSON. It ends
// with the session, and when the server stops. static/js/live.js reads it.
func (r *request) streamChanges() error {
	session := r.web.sessions.cookieToken(r.echo.Request())
	if r.echo.Request().Method != http.MethodGet {
		return r.refuseStream()
	}
	leave, ok := r.web.streams.countStream("session "+session, "address "+httpd.ClientAddressKey(r.echo))
	if !ok {
		return r.refuseStream()
	}
	defer leave()
	changes, err := r.web.cfg.App.WatchChanges(r.context(), r.caller)
	if err != nil {
		return err
	}
	stream, err := httpd.StartEventStream(r.echo)
	if err != nil {
		return nil // the reader has gone
	}
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	for {
		send := stream.SendHeartbeat
		select {
		case <-r.context().Done():
			return nil
		case <-r.web.cfg.Server.Stopping():
			return nil
		case <-beat.C:
		case changed := <-changes:
			send = func() error { return stream.Send("change", changed) }
		}
		if !r.isStillSignedIn() || send() != nil {
			return nil
		}
	}
}

// refuseStream ends a stream for good: a browser that is answered so does not ask again by itself, and logs nothing.
func (r *request) refuseStream() error { return r.echo.NoContent(http.StatusNoContent) }

// isStillSignedIn reads the session again and reports whether it is still that of this person in this workspace.
func (r *request) isStillSignedIn() bool {
	ctx, err := r.web.sessions.load(r.echo.Request().WithContext(withoutValues{r.context()}))
	if err != nil {
		return false
	}
	now, err := r.web.findVisit(ctx, string(r.link))
	return err == nil && now.Caller.User() == r.caller.User() && now.Caller.Workspace() == r.caller.Workspace()
}

// withoutValues is a context without its values, such as a session that has been read before.
type withoutValues struct{ context.Context }

// Value returns nothing.
func (withoutValues) Value(any) any { return nil }

// streams counts the open streams of sessions and addresses.
type streams struct {
	mu   sync.Mutex
	open map[string]int
}

// countStream counts a stream until leave is called; ok is false if there are too many.
func (s *streams) countStream(session, address string) (leave func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[string]int{}
	}
	if s.open[session] >= streamsPerSession || s.open[address] >= streamsPerAddress {
		return nil, false
	}
	s.open[session]++
	s.open[address]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, key := range []string{session, address} {
			if s.open[key]--; s.open[key] == 0 {
				delete(s.open, key)
			}
		}
	}, true
}
