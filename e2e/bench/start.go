package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

const (
	goalStart  = 2 * time.Second
	goalMemory = 80 << 10 // KiB
	idle       = 10 * time.Second
)

// measureStart starts the program as a newcomer has it, with its own PostgreSQL and simulated networks: from
// nothing, then warm, and lets it rest.
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
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(idle):
	}
	resident, err := memory(s.cmd.Process.Pid, "VmRSS")
	if err != nil {
		return err
	}
	startMet, memoryMet := median(warm) < goalStart, resident < goalMemory
	t.section("Start, with its own PostgreSQL and simulated networks")
	t.row("first start, to /readyz", seconds(first), "", nil)
	t.row("warm start, to /readyz", seconds(median(warm)), "< 2 s", &startMet)
	t.row("memory of the program after 10 s at rest", fmt.Sprintf("%.1f MiB", float64(resident)/1024), "< 80 MiB", &memoryMet)
	return nil
}

// memory is what a process has of the machine's, in KiB: VmRSS for now, VmHWM for the most so far.
func memory(pid int, kind string) (int, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(status), kind+":")
	words := strings.Fields(rest)
	if len(words) == 0 {
		return 0, fmt.Errorf("process %d does not tell its memory", pid)
	}
	return strconv.Atoi(words[0])
}
