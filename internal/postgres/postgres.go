// Package postgres runs a local PostgreSQL server in the data folder, for installations without a server of their own.
// The server listens only on a socket, requires a password from everybody, and ends with our process.
package postgres

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// Config is the configuration of a local server.
type Config struct {
	Dir       string // the data folder; the cluster is its folder "postgres"
	Ephemeral bool   // for tests: faster, but a crash of the machine may lose everything
}

// logInterval is how often the size of the log is checked.
const logInterval = time.Minute

// Server is a running local PostgreSQL. The caller of Start stops it.
type Server struct {
	bin       serverPrograms
	account   systemUser
	layout    layout
	ephemeral bool

	process         atomic.Pointer[process]
	stopSupervising context.CancelFunc // ends keepServerRunningAndLimitLog
	ended           chan struct{}      // closed when keepServerRunningAndLimitLog has ended
	stopOnce        sync.Once
}

// Start creates the cluster if there is none, starts the server, and returns when the database responds. The caller
// must have locked the data folder. Start first stops a server that a killed run has left behind. Until Stop is called,
// the server is restarted whenever it ends.
func Start(ctx context.Context, cfg Config) (*Server, error) {
	s := &Server{ephemeral: cfg.Ephemeral, ended: make(chan struct{})}
	if err := s.makeClusterOrStopLeftoverServer(ctx, cfg.Dir); err != nil {
		return nil, err
	}
	p, err := s.launchServerAndAwaitReady(ctx)
	if err != nil {
		return nil, err
	}
	s.process.Store(p)
	// The supervision lasts until Stop, not until the start's context ends.
	ctx, s.stopSupervising = context.WithCancel(context.WithoutCancel(ctx))
	go s.keepServerRunningAndLimitLog(ctx)
	return s, nil
}

// makeClusterOrStopLeftoverServer finds PostgreSQL's programs, creates the cluster if necessary, and makes sure that no
// server runs on it. Before that, it writes the password and the database's address to the data folder.
func (s *Server) makeClusterOrStopLeftoverServer(ctx context.Context, dataDir string) (err error) {
	if s.layout, err = loadLayout(dataDir); err != nil {
		return err
	}
	l := &s.layout
	if s.account, err = chooseSystemUser(l.cluster); err != nil {
		return err
	}
	major, err := readClusterMajor(l.cluster)
	if err != nil {
		return err
	}
	if s.bin, err = locateServerPrograms(ctx, major); err != nil {
		return err
	}
	for _, path := range []string{l.cluster, filepath.Join(s.bin.Dir, "postgres")} {
		if err := s.account.checkUserCanReach(path); err != nil {
			return err
		}
	}
	if err := s.account.ensureOwnedDir(l.sockets); err != nil {
		return fmt.Errorf("create the socket's folder: %w", err)
	}
	if err := l.ensurePassword(); err != nil {
		return err
	}
	if err := writePrivateFileAtomically(l.cluster+".url", s.URL()+"\n"); err != nil { // for people and their tools
		return fmt.Errorf("write the database's address: %w", err)
	}
	if major == 0 {
		return makeCluster(ctx, s.bin, s.account, *l, s.ephemeral)
	}
	return s.stopLeftoverServerOrTakePIDFile(ctx)
}

// URL returns the database's address, with its password. It is valid until Stop.
func (s *Server) URL() string { return s.layout.databaseURL(database) }

// BinDir returns the folder of PostgreSQL's programs.
func (s *Server) BinDir() string { return s.bin.Dir }

// Stop ends the sessions and the server, and returns when the server has stopped. The shutdown is fast, or immediate
// once ctx ends; neither loses data. Later calls return nil.
func (s *Server) Stop(ctx context.Context) (err error) {
	s.stopOnce.Do(func() {
		s.stopSupervising()
		<-s.ended
		err = s.process.Load().shutDown(ctx)
	})
	return err
}

// keepServerRunningAndLimitLog restarts the server whenever it ends, and limits the size of its log, until ctx ends. It
// then closes s.ended.
func (s *Server) keepServerRunningAndLimitLog(ctx context.Context) {
	defer close(s.ended)
	size := time.NewTicker(logInterval)
	defer size.Stop()
	for wait := time.Duration(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-size.C:
			_ = rotateLogIfLarge(s.layout.log) // if the disk is full, the database reports it itself
		case <-s.process.Load().exited:
			if sleepContext(ctx, wait) != nil {
				return
			}
			if p, err := s.launchServerAndAwaitReady(ctx); err == nil {
				s.process.Store(p)
				wait = 0
			} else {
				wait = min(max(2*wait, 100*time.Millisecond), 5*time.Second)
			}
		}
	}
}
