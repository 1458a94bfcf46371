// Package postgres runs a PostgreSQL server of our own below the data folder, for those who name no
// other. It listens on a socket only, wants a password from everyone, and ends when we end.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Config says which local server to run.
type Config struct {
	Dir       string // the data folder; the cluster is its folder "postgres"
	Ephemeral bool   // for tests: faster, and a crash of the machine may lose everything
}

// Server is a running local PostgreSQL. Whoever started it stops it.
type Server struct {
	bin       Binaries
	account   account
	layout    layout
	ephemeral bool
	password  string
	url       string

	stopping chan struct{} // closed by Stop
	stopOnce sync.Once
	ended    chan struct{} // closed when the keeper is done with the last process
	current  chan *process // holds the running process; taken while it is replaced
}

// Start makes the cluster when there is none, starts the server, and returns when the database
// answers. The caller holds the data folder's lock. A server that a killed run of ours left behind
// is stopped first. When the server ends by itself it is started again until Stop is called.
func Start(ctx context.Context, cfg Config) (*Server, error) {
	l, err := newLayout(cfg.Dir)
	if err != nil {
		return nil, err
	}
	a, err := serverAccount()
	if err != nil {
		return nil, err
	}
	if err := a.checkTraversable(l.cluster); err != nil {
		return nil, err
	}
	major, err := clusterMajor(l.cluster)
	if err != nil {
		return nil, err
	}
	bin, err := FindBinaries(ctx, major)
	if err != nil {
		return nil, err
	}
	if err := a.checkTraversable(filepath.Join(bin.Dir, "postgres")); err != nil {
		return nil, err
	}
	if err := a.makeOwnedDir(l.sockets); err != nil {
		return nil, fmt.Errorf("make the socket's folder: %w", err)
	}
	password, err := l.loadOrMakePassword()
	if err != nil {
		return nil, err
	}
	if major == 0 {
		err = makeCluster(ctx, bin, a, l, password, cfg.Ephemeral)
	} else {
		err = a.takeOverCluster(l.cluster)
	}
	if err != nil {
		return nil, err
	}
	s := &Server{
		bin: bin, account: a, layout: l, ephemeral: cfg.Ephemeral, password: password, url: l.databaseURL(password, database),
		stopping: make(chan struct{}), ended: make(chan struct{}), current: make(chan *process, 1),
	}
	if err := s.startAndSupervise(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// startAndSupervise starts the first process, writes the address down for other commands, and starts the keeper.
func (s *Server) startAndSupervise(ctx context.Context) error {
	// Left by a killed run, it would send commands to a server that is not there yet.
	if err := removeFile(s.layout.url); err != nil {
		return fmt.Errorf("remove an old address of the database: %w", err)
	}
	if err := stopLeftoverServer(ctx, s.layout.cluster); err != nil {
		return err
	}
	p, err := s.launchServer(ctx)
	if err != nil {
		return err
	}
	if err := writeFile(s.layout.url, s.url+"\n"); err != nil {
		return errors.Join(fmt.Errorf("write the database's address: %w", err), p.shutDown(ctx))
	}
	s.current <- p
	go s.supervise() //nolint:gosec,contextcheck // the keeper lives until Stop, not until the start's context ends
	return nil
}

// URL is the database's address, with its password; it stays the same until Stop.
func (s *Server) URL() string { return s.url }

// Binaries tells which PostgreSQL is running.
func (s *Server) Binaries() Binaries { return s.bin }

// Pid is the id of the server's first process. It changes when the server had to be started again.
func (s *Server) Pid() int {
	p := <-s.current
	defer func() { s.current <- p }()
	return p.cmd.Process.Pid
}

// Stop ends the sessions and the server, and returns when it is gone: by a fast shutdown, or by an
// immediate one when ctx ends first, which loses nothing either. Later calls return nil.
func (s *Server) Stop(ctx context.Context) (err error) {
	s.stopOnce.Do(func() {
		close(s.stopping)
		p := <-s.current
		err = p.shutDown(ctx)
		s.current <- p
		<-s.ended
		err = errors.Join(err, removeFile(s.layout.url))
	})
	return err
}

// supervise starts the server again whenever it ends without being asked to, and keeps its log from growing without
// bound.
func (s *Server) supervise() {
	defer close(s.ended)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		<-s.stopping
		cancel()
	}()
	p := <-s.current
	s.current <- p
	size := time.NewTicker(logInterval)
	defer size.Stop()
	for {
		select {
		case <-s.stopping:
			return
		case <-size.C:
			_ = rotateLog(s.layout.log) // a full disk is the database's own trouble, and it says so
			continue
		case <-p.exited:
		}
		<-s.current
		p = s.restartServer(ctx, p)
		s.current <- p
	}
}

// restartServer tries until a new process runs, or returns the old one, ended, when Stop was called.
func (s *Server) restartServer(ctx context.Context, old *process) *process {
	for wait := 100 * time.Millisecond; ctx.Err() == nil; wait = min(2*wait, 5*time.Second) {
		if p, err := s.launchServer(ctx); err == nil {
			return p
		}
		_ = waitFor(ctx, wait) // the loop looks at the context itself
	}
	return old
}

func removeFile(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
