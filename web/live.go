package web

import (
	"context"
	"net/http"
	"sync"
	"time"

	"belfry/internal/app"
	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/views/ui"
)

// How many streams may be open at the same time, and how often each sends a heartbeat.
const (
	streamsPerSession = 8
	streamsPerAddress = 200
	beatEvery         = 15 * time.Second
)

// streamChanges sends an event "change", with app.Changes as JSON, whenever something changes in the workspace. It
// sends the number of failed posts at first and whenever posts change. It ends when the session ends or the server
// stops.
// static/js/live.js reads the events.
func (r *request) streamChanges() error {
	session := r.web.sessions.cookieToken(r.echo.Request())
	if r.echo.Request().Method != http.MethodGet {
		return r.refuseStream()
	}
	leave, ok := r.web.streams.admitStream("session "+session, "address "+httpd.ClientAddressKey(r.echo))
	if !ok {
		return r.refuseStream()
	}
	defer leave()
	changes, err := r.web.cfg.App.WatchRecentAndNewChanges(r.context(), r.caller)
	if err != nil {
		return err
	}
	stream, err := httpd.StartEventStream(r.echo)
	if err != nil {
		return nil // the browser has disconnected
	}
	if r.sendFailedCount(stream) != nil {
		return nil
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
			send = func() error { return r.sendChangesAndFailedCount(stream, changed) }
		}
		if !r.isStillSignedIn() || send() != nil {
			return nil
		}
	}
}

func (r *request) sendChangesAndFailedCount(stream httpd.EventStream, changed app.Changes) error {
	if changed.All || len(changed.Posts) > 0 {
		if err := r.sendFailedCount(stream); err != nil {
			return err
		}
	}
	return stream.Send("change", changed)
}

// sendFailedCount sends an event "failed" with the number of failed posts as text, "" for none. If the posts cannot be
// counted, it logs that and sends nothing.
func (r *request) sendFailedCount(stream httpd.EventStream) error {
	counts, err := r.web.cfg.App.CountPostsByStatusCapped(r.context(), r.caller)
	if err != nil {
		if r.context().Err() == nil {
			r.web.cfg.Log.WarnContext(r.context(), "an open page may show an outdated number of failed posts", "error", err)
		}
		return nil
	}
	text := ""
	if failed := counts[core.PostFailed]; failed > 0 {
		text = ui.FormatCappedCount(failed)
	}
	return stream.Send("failed", text)
}

// refuseStream responds with 204, after which a browser does not try to connect again.
func (r *request) refuseStream() error { return r.echo.NoContent(http.StatusNoContent) }

// isStillSignedIn loads the session again, and reports whether the same person is signed in to the same workspace.
func (r *request) isStillSignedIn() bool {
	ctx, err := r.web.sessions.loadSessionOrEmpty(r.echo.Request().WithContext(withoutValues{r.context()}))
	if err != nil {
		return false
	}
	now, err := r.web.findVisitToSlugOrLast(ctx, string(r.link))
	return err == nil && now.Caller.AttributedUser() == r.caller.AttributedUser() &&
		now.Caller.Workspace() == r.caller.Workspace()
}

// withoutValues is a context without values, such as a session that was loaded before.
type withoutValues struct{ context.Context }

// Value returns nil for every key.
func (withoutValues) Value(any) any { return nil }

// streams counts the open streams of sessions and addresses.
type streams struct {
	mu   sync.Mutex
	open map[string]int
}

// admitStream counts a stream as open until leave is called. ok is false if the session or the address already has too
// many streams.
func (s *streams) admitStream(sessionKey, addressKey string) (leave func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[string]int{}
	}
	if s.open[sessionKey] >= streamsPerSession || s.open[addressKey] >= streamsPerAddress {
		return nil, false
	}
	s.open[sessionKey]++
	s.open[addressKey]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, key := range []string{sessionKey, addressKey} {
			if s.open[key]--; s.open[key] == 0 {
				delete(s.open, key)
			}
		}
	}, true
}
