package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// DataDirLock is the lock on a data folder. The system releases it when the process ends, however it ends. It is a
// plain file descriptor, because the garbage collector closes an unreferenced os.File, which would release the lock.
type DataDirLock struct{ fd int }

// HeldError says who has locked a data folder.
type HeldError struct {
	Dir  string
	Pid  string
	Kind string // "serve" or "command"
}

// IsService reports whether the holder is a service rather than a command, which soon ends.
func (e *HeldError) IsService() bool { return e.Kind == byServe }

func (e *HeldError) Error() string {
	if !e.IsService() {
		return fmt.Sprintf("another belfry command is using %s (pid %s): wait until it finishes", e.Dir, e.Pid)
	}
	return fmt.Sprintf("another belfry serve is using %s (pid %s): stop it first, or set BELFRY_DATA_DIR to another folder", e.Dir, e.Pid)
}

const (
	byServe   = "serve"
	byCommand = "command"

	// commandPatience is how long a start waits for a command, which soon ends.
	commandPatience = 30 * time.Second

	// serveExitPatience is how long a start waits for another service. A killed service keeps its lock until the system
	// has removed its process, which a slow disk can delay.
	serveExitPatience = time.Second
)

// LockForService locks the data folder for a service, and creates the folder if necessary. It waits up to 30 seconds
// for a command that holds the lock, and one second for another service, which may be about to end. If the lock is
// still held after that, the error is a *HeldError.
func LockForService(ctx context.Context, dataDir string) (*DataDirLock, error) {
	return ensureDirAndAwaitLock(ctx, dataDir, byServe)
}

// TryLockForService is LockForService without waiting.
func TryLockForService(dataDir string) (*DataDirLock, error) {
	return ensureDirAndTryLock(dataDir, byServe)
}

// LockHolderOrNil returns who has locked a data folder, or nil if nobody has. It changes nothing.
func LockHolderOrNil(dataDir string) (*HeldError, error) {
	lock, err := openAndTryLock(dataDir, syscall.O_RDONLY, syscall.LOCK_SH)
	if held, ok := errors.AsType[*HeldError](err); ok {
		return held, nil
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return nil, lock.Release()
}

// Release releases the lock.
func (l *DataDirLock) Release() error { return syscall.Close(l.fd) }

// ensureDirAndAwaitLock locks the data folder, and creates it if necessary. It waits for another holder as
// LockForService does.
func ensureDirAndAwaitLock(ctx context.Context, dataDir, holderKind string) (*DataDirLock, error) {
	for started := time.Now(); ; {
		lock, err := ensureDirAndTryLock(dataDir, holderKind)
		held, ok := errors.AsType[*HeldError](err)
		if !ok {
			return lock, err
		}
		wait := commandPatience
		if held.IsService() {
			wait = serveExitPatience
		}
		if time.Since(started) > wait {
			return nil, err
		}
		if err := sleepContext(ctx, 20*time.Millisecond); err != nil {
			return nil, errors.Join(held, err)
		}
	}
}

// ensureDirAndTryLock locks the data folder, which it creates if necessary, and writes the holder to the lock file. It
// does not wait.
func ensureDirAndTryLock(dataDir, holderKind string) (*DataDirLock, error) {
	if err := createDataDirIfMissing(dataDir); err != nil {
		return nil, err
	}
	lock, err := openAndTryLock(dataDir, syscall.O_CREAT|syscall.O_RDWR, syscall.LOCK_EX)
	if err != nil {
		return nil, err
	}
	err = syscall.Ftruncate(lock.fd, 0)
	if err == nil {
		_, err = syscall.Pwrite(lock.fd, fmt.Appendf(nil, "%d %s\n", os.Getpid(), holderKind), 0)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("write to the data folder %s: %w", dataDir, err), lock.Release())
	}
	return lock, nil
}

// openAndTryLock opens and locks the lock file. It does not wait: if the lock is held, the error is a *HeldError.
func openAndTryLock(dataDir string, openFlags, lockType int) (*DataDirLock, error) {
	fd, err := syscall.Open(filepath.Join(dataDir, "lock"), openFlags|syscall.O_CLOEXEC|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the lock file in the data folder %s (to use another folder, set BELFRY_DATA_DIR): %w", dataDir, err)
	}
	lock := &DataDirLock{fd: fd}
	err = syscall.Flock(fd, lockType|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = readHolder(dataDir, fd)
	}
	if err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	return lock, nil
}

// readHolder reads the holder from the lock file. A holder that has just locked the file may not have written to it
// yet. The result then names an earlier command, and the caller tries again a moment later.
func readHolder(dataDir string, fd int) *HeldError {
	held := &HeldError{Dir: dataDir, Pid: "unknown", Kind: byCommand}
	text := make([]byte, 64)
	n, _ := syscall.Pread(fd, text, 0) // on an error, the holder stays unknown
	if pid, kind, ok := strings.Cut(strings.TrimSpace(string(text[:max(0, n)])), " "); ok {
		held.Pid, held.Kind = pid, kind
	}
	return held
}

// createDataDirIfMissing creates Belfry's data folder, which contains the cluster. Root's folder must let the
// server's user reach the cluster; the files in it are protected individually.
func createDataDirIfMissing(dataDir string) error {
	mode := os.FileMode(0o700)
	if os.Geteuid() == 0 {
		mode = 0o711
	}
	if err := os.MkdirAll(dataDir, mode); err != nil {
		return fmt.Errorf("create the data folder %s (to use another, set BELFRY_DATA_DIR): %w", dataDir, err)
	}
	return nil
}
