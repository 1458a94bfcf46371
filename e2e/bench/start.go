package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	goalStart  = 2 * time.Second
	goalMemory = 80 << 10         // KiB
	goalIdle   = 0.01             // of a core
	settling   = 10 * time.Second // until the start itself is over
	idle       = time.Minute      // processor time is counted in hundredths of a second, so 1 % of less is too coarse
)

// measureStart starts the program as in a new installation, with its own PostgreSQL and simulated networks: first from
// nothing, then with a database. Then it measures the program at rest and, after it has stopped, the idle floor. Each
// of these measurements takes as long as settling and idle together: 70 seconds.
func measureStart(ctx context.Context, o options, folder string, t *table) error {
	s, err := newService(o, folder)
	if err != nil {
		return err
	}
	first, err := s.serve(ctx)
	if err != nil {
		return err
	}
	s.stop()
	var warm []time.Duration
	for i := range 3 {
		took, err := s.serve(ctx)
		if err != nil {
			return err
		}
		warm = append(warm, took)
		if i < 2 {
			s.stop()
		}
	}
	defer s.stop()
	share, err := measureIdleShare(ctx, s.cmd.Process.Pid)
	if err != nil {
		return err
	}
	resident, err := memory(s.cmd.Process.Pid, "VmRSS")
	if err != nil {
		return err
	}
	s.stop()
	floor, err := measureIdleFloor(ctx, o, filepath.Join(folder, "floor"))
	if err != nil {
		return err
	}
	startMet, memoryMet, idleMet := median(warm) < goalStart, resident < goalMemory, share < goalIdle
	t.section("Start, with its own PostgreSQL and simulated networks")
	t.row("first start, to /readyz", seconds(first), "", nil)
	t.row("warm start, to /readyz", seconds(median(warm)), "< 2 s", &startMet)
	t.row("memory of the program after a minute at rest", fmt.Sprintf("%.1f MiB", float64(resident)/1024), "< 80 MiB",
		&memoryMet)
	t.row("processor time in a minute at rest, including PostgreSQL", fmt.Sprintf("%.2f%% of a core", share*100), "< 1%", &idleMet)
	t.row("the same of PostgreSQL and a River client without the program", fmt.Sprintf("%.2f%% of a core", floor*100), "", nil)
	return nil
}

// measureIdleShare returns the share of a core that a process that has just started, and its descendants, use at rest.
func measureIdleShare(ctx context.Context, pid int) (float64, error) {
	if err := waitAtRest(ctx, settling); err != nil {
		return 0, err
	}
	used, err := processorTime(pid)
	if err != nil {
		return 0, err
	}
	if err := waitAtRest(ctx, idle); err != nil {
		return 0, err
	}
	usedSince, err := processorTime(pid)
	return (usedSince - used).Seconds() / idle.Seconds(), err
}

// waitAtRest waits while the program is idle.
func waitAtRest(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// processorTime returns the processor time of a process and its descendants. The time of descendants that have ended
// counts for the process that waited for them.
func processorTime(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	var ticks int
	for _, field := range strings.Fields(rest)[11:15] { // utime, stime, cutime, cstime
		n, err := strconv.Atoi(field)
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	total := time.Duration(ticks) * 10 * time.Millisecond // Linux counts in hundredths of a second
	children, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return 0, err
	}
	for _, name := range children {
		list, err := os.ReadFile(name)
		if err != nil {
			continue // a thread that has ended
		}
		for child := range strings.FieldsSeq(string(list)) {
			n, err := strconv.Atoi(child)
			if err != nil {
				return 0, err
			}
			used, err := processorTime(n)
			if err != nil {
				continue // a process that has ended
			}
			total += used
		}
	}
	return total, nil
}

// descendantsProcessorTime returns the processor time of all programs that this one has started, and of theirs.
func descendantsProcessorTime() (time.Duration, error) {
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		return 0, err
	}
	all, err := processorTime(os.Getpid())
	return all - time.Duration(own.Utime.Nano()+own.Stime.Nano()), err
}

// memory returns how much memory a process uses, in KiB: VmRSS is the current value, and VmHWM the peak.
func memory(pid int, kind string) (int, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(status), kind+":")
	words := strings.Fields(rest)
	if len(words) == 0 {
		return 0, fmt.Errorf("process %d does not report its memory", pid)
	}
	return strconv.Atoi(words[0])
}
