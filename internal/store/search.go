package store

import (
	"context"
	"sync"

	"belfry/internal/core"
)

// slowSearches is how many searches that no index helps may run at once in one workspace, in this process: each reads
// every post of the workspace.
const slowSearches = 2

// searches bounds the slow searches of each workspace. The zero value is ready.
type searches struct {
	mu      sync.Mutex
	waiting map[core.WorkspaceID]*searchQueue
}

type searchQueue struct {
	places chan struct{}
	users  int // that run or wait; with the last one the queue goes
}

// begin waits for a place; the caller gives it back with done.
func (s *searches) begin(ctx context.Context, ws core.WorkspaceID) (done func(), err error) {
	s.mu.Lock()
	q, ok := s.waiting[ws]
	if !ok {
		if s.waiting == nil {
			s.waiting = map[core.WorkspaceID]*searchQueue{}
		}
		q = &searchQueue{places: make(chan struct{}, slowSearches)}
		s.waiting[ws] = q
	}
	q.users++
	s.mu.Unlock()
	leave := func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if q.users--; q.users == 0 {
			delete(s.waiting, ws)
		}
	}
	select {
	case q.places <- struct{}{}:
		return func() { <-q.places; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}
