package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// connectPatience is how long a command waits for a service that is starting its database.
const connectPatience = 20 * time.Second

// Session is a command's connection to the local database.
type Session struct {
	URL    string
	server *Server // nil if a service runs the server
	lock   *DataDirLock
}

// UseOrStartServer opens the local database of a data folder for a command. It uses the server of a running service, or
// starts the server until the session is closed. The caller closes the session.
func UseOrStartServer(ctx context.Context, dataDir string) (*Session, error) {
	lock, err := ensureDirAndAwaitLock(ctx, dataDir, byCommand)
	if held, ok := errors.AsType[*HeldError](err); ok && held.IsService() {
		address, err := waitForServiceDatabase(ctx, dataDir, held)
		return &Session{URL: address}, err
	}
	if err != nil {
		return nil, err
	}
	server, err := Start(ctx, Config{Dir: dataDir})
	if err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	return &Session{URL: server.URL(), server: server, lock: lock}, nil
}

// HasDatabase reports whether the data folder contains a local database. It creates none.
func HasDatabase(dataDir string) (bool, error) {
	l, err := loadLayout(dataDir)
	if err != nil {
		return false, err
	}
	major, err := readClusterMajor(l.cluster)
	return major != 0, err
}

// Close stops the server if the session started it.
func (s *Session) Close(ctx context.Context) error {
	if s.server == nil {
		return nil
	}
	return errors.Join(s.server.Stop(ctx), s.lock.Release())
}

// waitForServiceDatabase waits until the running service's database responds, and returns its address.
func waitForServiceDatabase(ctx context.Context, dataDir string, held *HeldError) (databaseURL string, err error) {
	for deadline := time.Now().Add(connectPatience); ; {
		l, err := loadLayout(dataDir) // a new service creates the password first
		if err != nil {
			return "", err
		}
		address := l.databaseURL(database)
		if err = runSQL(ctx, address); err == nil {
			return address, nil
		}
		if time.Now().After(deadline) {
			return "", fmt.Errorf("belfry serve is using %s (pid %s), but its local database does not respond (%w): if the service uses BELFRY_DATABASE_URL, set this variable for this command too", held.Dir, held.Pid, err)
		}
		if err := sleepContext(ctx, 50*time.Millisecond); err != nil {
			return "", err
		}
	}
}
