package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// process is a running postmaster.
type process struct {
	cmd    *exec.Cmd
	exited chan struct{} // closed when the process has ended
	err    error         // the reason; only valid after exited is closed
}

// childEnvironment returns the environment of PostgreSQL's programs, without our variables, which contain secrets.
func childEnvironment() []string {
	return []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"}
}

// newCommand returns a command that runs a program of PostgreSQL as the server's user, in a folder that this user can
// enter.
func newCommand(ctx context.Context, a systemUser, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = "/"
	cmd.Env = childEnvironment()
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: a.childCredentialOrNil()}
	return cmd
}

// startProcess starts cmd in its own process group. Ctrl-C therefore reaches only us, and the server runs until we stop
// it. If the system supports it, the process also ends with ours.
func startProcess(cmd *exec.Cmd) (*process, error) {
	cmd.SysProcAttr.Setpgid = true
	dieWithParent(cmd.SysProcAttr)
	p := &process{cmd: cmd, exited: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		// The kernel sends the parent's death signal when the forking thread ends, even if the process continues. The
		// thread is therefore kept as long as the child lives.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		p.err = cmd.Wait()
		close(p.exited)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// shutDown requests a fast shutdown, which ends sessions and writes a checkpoint, and waits until the process has
// ended. If ctx ends first, it requests an immediate shutdown, waits up to five seconds more, and returns an error.
func (p *process) shutDown(ctx context.Context) error {
	if err := p.sendSignal(syscall.SIGINT); err != nil {
		return err
	}
	select {
	case <-p.exited:
		return nil
	case <-ctx.Done():
	}
	// All committed data is in the write-ahead log, which the next start replays.
	if err := p.sendSignal(syscall.SIGQUIT); err != nil {
		return err
	}
	select {
	case <-p.exited:
		return fmt.Errorf("the local PostgreSQL did not stop in time and was forced to stop; no committed data is lost: %w",
			ctx.Err())
	case <-time.After(5 * time.Second):
		return fmt.Errorf("the local PostgreSQL (pid %d) did not stop, even after an immediate shutdown was requested", p.cmd.Process.Pid)
	}
}

func (p *process) sendSignal(sig os.Signal) error {
	if err := p.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("signal the local PostgreSQL server: %w", err)
	}
	return nil
}
