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
	err    error         // why; read it after exited is closed
}

// cleanEnvironment is the environment of PostgreSQL's programs, with nothing of ours, which holds secrets.
func cleanEnvironment() []string {
	return []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"}
}

// newCommand prepares a program of PostgreSQL to run as the server's user, outside any folder that
// user may not enter.
func newCommand(ctx context.Context, a account, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = "/"
	cmd.Env = cleanEnvironment()
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: a.childCredential()}
	return cmd
}

// startProcess starts cmd in a process group of its own, so that the Ctrl-C of a terminal reaches us alone
// and the server outlives our graceful stop. Where the system can, it also dies with us.
func startProcess(cmd *exec.Cmd) (*process, error) {
	cmd.SysProcAttr.Setpgid = true
	dieWithParent(cmd.SysProcAttr)
	p := &process{cmd: cmd, exited: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		// The kernel sends the parent's death signal when the thread that forked ends, not the
		// process. So that thread is kept for as long as the child lives.
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

// shutDown asks for a fast shutdown, which ends sessions and writes a checkpoint, and turns to an
// immediate one when ctx ends first. It returns when the process is gone.
func (p *process) shutDown(ctx context.Context) error {
	if err := p.sendSignal(syscall.SIGINT); err != nil {
		return err
	}
	select {
	case <-p.exited:
		return nil
	case <-ctx.Done():
	}
	// Committed work is in the write-ahead log either way; the next start replays it.
	if err := p.sendSignal(syscall.SIGQUIT); err != nil {
		return err
	}
	select {
	case <-p.exited:
		return fmt.Errorf("the local PostgreSQL did not stop in time and was killed; no committed data is lost: %w",
			ctx.Err())
	case <-time.After(5 * time.Second):
		return fmt.Errorf("the local PostgreSQL (pid %d) does not stop", p.cmd.Process.Pid)
	}
}

func (p *process) sendSignal(sig os.Signal) error {
	if err := p.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("signal the local PostgreSQL: %w", err)
	}
	return nil
}
