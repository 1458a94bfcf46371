package crashtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"

	"belfry/internal/blob"
	"belfry/internal/store"
)

// place is where a life stands at a boundary of its input and output.
type place string

const (
	toDatabase   place = "before a message to the database"
	fromDatabase place = "before an answer of the database is seen"
	atStorage    place = "before a file is stored, opened or deleted"
	toNetwork    place = "before a request to the network"
	atNetwork    place = "after the network has acted and before it answers"
	fromNetwork  place = "after the answer of the network"
)

// Reasons for which a boundary cannot be passed. A life that was killed does nothing more: to the engine, its errors
// look like those of a worker whose post was taken over, so that it does not try for a minute.
var (
	errKilled = fmt.Errorf("this life was killed: %w", store.ErrFenced)
	errCut    = errors.New("the connection was cut")
)

// act is what happens at a boundary. Meanwhile, the whole life stands still. A nil error lets it go on.
type act func(*script, place) error

// script counts the boundaries that a life passes, and acts at some of them.
type script struct {
	mu     sync.Mutex
	acts   map[int]act // by the number of the boundary, from 1
	passed int
	trace  []place
	dead   bool
	died   chan struct{} // closed when dead
	wires  map[*wire]bool
}

func newScript(acts map[int]act) *script {
	return &script{acts: acts, died: make(chan struct{}), wires: map[*wire]bool{}}
}

// passBoundary is called at each boundary. After an error, the input or output does not happen.
func (s *script) passBoundary(at place) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead {
		return errKilled
	}
	s.passed++
	s.trace = append(s.trace, at)
	if act := s.acts[s.passed]; act != nil {
		return act(s, at)
	}
	return nil
}

// killLife ends a life as SIGKILL does: its connections are closed without a word. It is an act.
func killLife(s *script, _ place) error {
	s.dead = true
	close(s.died)
	for w := range s.wires {
		_ = w.Conn.Close()
	}
	return errKilled
}

// cutConnection breaks the one connection to the database that stands at the boundary. It is an act.
func cutConnection(_ *script, at place) error {
	if at == toDatabase || at == fromDatabase {
		return errCut
	}
	return nil
}

func (s *script) isDead() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dead
}

func (s *script) countPassed() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.passed
}

// addWire watches a new connection to the database.
func (s *script) addWire(conn net.Conn) (net.Conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead {
		_ = conn.Close()
		return nil, errKilled
	}
	w := &wire{Conn: conn, script: s}
	s.wires[w] = true
	return w, nil
}

// wire is a connection to the database. Once it is open, each message to the server is a boundary, and so is the
// beginning of each answer.
type wire struct {
	net.Conn
	script         *script
	open, answered atomic.Bool
}

func (w *wire) Write(message []byte) (int, error) {
	if err := w.passOpen(toDatabase); err != nil {
		return 0, err
	}
	w.answered.Store(false)
	return w.Conn.Write(message)
}

func (w *wire) Read(into []byte) (int, error) {
	n, err := w.Conn.Read(into)
	if err != nil || w.answered.Swap(true) {
		return n, err
	}
	if err := w.passOpen(fromDatabase); err != nil {
		return 0, err
	}
	return n, nil
}

func (w *wire) passOpen(at place) error {
	if !w.open.Load() {
		return nil
	}
	err := w.script.passBoundary(at)
	if err != nil {
		_ = w.Conn.Close()
	}
	return err
}

// storage is where the files are. Each use of it is a boundary.
type storage struct {
	blob.Store
	script *script
}

func (s storage) Put(ctx context.Context, key string, r io.Reader, size int64) error {
	if err := s.script.passBoundary(atStorage); err != nil {
		return err
	}
	return s.Store.Put(ctx, key, r, size)
}

func (s storage) Open(ctx context.Context, key string) (blob.Object, error) {
	if err := s.script.passBoundary(atStorage); err != nil {
		return nil, err
	}
	return s.Store.Open(ctx, key)
}

func (s storage) Delete(ctx context.Context, key string) error {
	if err := s.script.passBoundary(atStorage); err != nil {
		return err
	}
	return s.Store.Delete(ctx, key)
}
