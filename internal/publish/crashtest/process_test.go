package crashtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/core"
)

// processVariable holds the task of a process that is one life of a worker.
const processVariable = "BELFRY_TEST_LIFE"

// task is what such a process needs to know.
type task struct {
	Shared    apptest.Shared
	Database  string
	Name      string
	Now       time.Time
	Workspace string
	Post      string
	Boundary  int
	Lost      loss
}

// A process that kills itself with SIGKILL leaves the same as a life that ends in this one.
func TestAPostGoesOutOnceAfterAKilledProcess(t *testing.T) {
	if text := os.Getenv(processVariable); text != "" {
		liveInProcess(t, text)
		return
	}
	for i, kind := range apptest.Kinds() {
		if !*all && uint64(i%5) != *first%5 {
			continue
		}
		t.Run(kind.Name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			boundaries, died := w.countBoundaries(kind), 0
			for _, lost := range []loss{lossNone, lossAnswer} {
				ks := sample(boundaries, lost)
				for _, k := range ks[:min(len(ks), 4)] {
					inside, _ := w.killAt(kind, k, lost)
					outside, killed := w.killProcessAt(kind, k, lost)
					if killed {
						died++
					}
					if inside.Status != outside.Status || inside.Code != outside.Code || inside.Visible != outside.Visible {
						t.Errorf("%s at boundary %d, %s: a life leaves %+v, a process %+v", kind.Name, k, lost, inside, outside)
					}
				}
			}
			if died == 0 {
				t.Errorf("%s: no process was killed", kind.Name)
			}
			t.Logf("%s: %d processes killed", kind.Name, died)
		})
	}
}

// killProcessAt is killAt with a process.
func (w *world) killProcessAt(kind apptest.Kind, k int, lost loss) (o outcome, killed bool) {
	w.t.Helper()
	p := w.makePost(kind, w.connectAccount(kind.Network), now())
	for left := k; !killed && left > 0 && !w.isFinal(p); {
		next := w.nextDue()
		if next.After(p.at.Add(time.Minute)) {
			break
		}
		w.moveTo(next)
		w.lives++
		passed, dead := w.runProcess(task{
			Shared: w.Shared(), Database: w.Pool.Config().ConnString(), Name: fmt.Sprintf("life %d", w.lives),
			Now: w.Clock.Now(), Workspace: w.ws.ID.String(), Post: p.id.String(), Boundary: left, Lost: lost,
		})
		left, killed = left-passed, dead
	}
	if killed && lost != lossNone {
		w.loseNextCall(lost)
	}
	o = w.finishPost(p)
	if wrong := o.complaint(p, 1, false); wrong != "" {
		w.t.Errorf("%s, a process killed at boundary %d, %s: %s: %+v", kind.Name, k, lost, wrong, o)
	}
	return o, killed
}

// runProcess runs a life in a process, and returns how many boundaries it passed or that it killed itself.
func (w *world) runProcess(in task) (passed int, killed bool) {
	w.t.Helper()
	text, err := json.Marshal(in)
	must(w.t, err)
	cmd := exec.CommandContext(w.Context(), os.Args[0], "-test.run=^TestAPostGoesOutOnceAfterAKilledProcess$")
	cmd.Env = append(os.Environ(), processVariable+"="+string(text))
	out, err := cmd.CombinedOutput()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		status, ok := exit.Sys().(syscall.WaitStatus)
		if killed = ok && status.Signaled() && status.Signal() == syscall.SIGKILL; killed {
			w.waitUntilGone(in.Name)
			return 0, true
		}
	}
	must(w.t, err)
	_, said, _ := strings.Cut(string(out), "passed ")
	_, err = fmt.Sscan(said, &passed)
	must(w.t, err)
	return passed, false
}

// liveInProcess is one life of a worker, which ends with this process at its boundary.
func liveInProcess(t *testing.T, text string) {
	t.Helper()
	var in task
	must(t, json.Unmarshal([]byte(text), &in))
	ws, err := core.ParseID[core.WorkspaceKind](in.Workspace)
	must(t, err)
	post, err := core.ParseID[core.PostKind](in.Post)
	must(t, err)
	var sent atomic.Bool
	die := func() {
		must(t, syscall.Kill(os.Getpid(), syscall.SIGKILL))
		select {}
	}
	l := startLife(t, lifeConfig{
		Name: in.Name, Database: in.Database, NetworksURL: in.Shared.NetworksURL,
		Script: newScript(map[int]act{in.Boundary: func(_ *script, at place) error {
			if at == toNetwork && in.Lost == lossAnswer {
				sent.Store(true)
				return sentError{errKilled}
			}
			die()
			return nil
		}}),
		OnCall: keepCalls,
		AfterCall: func() {
			if sent.Load() {
				die()
			}
		},
		NewApp: func(c apptest.Connections, change func(*app.Config)) *app.App {
			return apptest.Join(t, in.Shared, c, in.Now, change)
		},
	})
	l.publish(ws, post)
	fmt.Printf("passed %d\n", l.passed)
	l.endQuietly()
}
