package core_test

import (
	"testing"
	"time"

	"belfry/internal/core"
)

var now = time.Date(2026, 10, 5, 12, 0, 0, 0, time.UTC)

func standardSchedule() core.Schedule {
	return core.Schedule{Retry: []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute}, Lease: time.Minute}
}

// Spec §3: 1, 5 and 15 minutes after the failure, and then no more.
func TestWorkerRetriesThreeTimes(t *testing.T) {
	t.Parallel()
	s := standardSchedule()
	var p core.Publication
	for _, want := range []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute} {
		if !s.HasRetriesLeft(p) {
			t.Fatalf("no retry after %d", p.Tries)
		}
		p.Tries++ // as Next counts the failure
		if got := s.NextRetryAt(p.Tries, now); !got.Equal(now.Add(want)) {
			t.Errorf("retry %d at %s, want %s after the failure", p.Tries, got, want)
		}
	}
	if s.HasRetriesLeft(p) {
		t.Error("a fourth retry")
	}
	if got := s.NextRetryAt(9, now); !got.Equal(now.Add(15 * time.Minute)) {
		t.Errorf("after a shortened configuration: %s", got)
	}
}

func TestSharesOfALease(t *testing.T) {
	t.Parallel()
	s := standardSchedule()
	if s.CallTimeout() != 30*time.Second || s.LeaseMargin() != 5*time.Second {
		t.Errorf("call %s, spare %s", s.CallTimeout(), s.LeaseMargin())
	}
	if got := s.QuietAfterArm(2 * time.Minute); got != 150*time.Second {
		t.Errorf("quiet after %s", got)
	}
}

func TestStale(t *testing.T) {
	t.Parallel()
	day := 24 * time.Hour
	for name, c := range map[string]struct {
		armed bool
		since time.Duration
		want  bool
	}{
		"a handle processed for a day":                  {false, day, false},
		"a handle processed for longer":                 {false, day + time.Second, true},
		"an armed post asked about for a day":           {true, day + time.Second, false},
		"an armed post asked about for a week":          {true, 7 * day, false},
		"an armed post asked about for more than that":  {true, 7*day + time.Second, true},
		"a time ahead of us, as after a clock set back": {true, -time.Hour, false},
	} {
		if got := now.After(core.StaleAt(core.Publication{Armed: c.armed}, now.Add(-c.since))); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestBackoffDoublesToAMinute(t *testing.T) {
	t.Parallel()
	for polls, want := range []time.Duration{5, 10, 20, 40, 60, 60} {
		if got := core.PollBackoff(5*time.Second, polls); got != want*time.Second {
			t.Errorf("after %d polls %s, want %d s", polls, got, want)
		}
	}
	if got := core.PollBackoff(5*time.Second, 1_000_000); got != time.Minute {
		t.Errorf("after many polls %s", got)
	}
	if got := core.PollBackoff(10*time.Minute, 0); got != time.Minute {
		t.Errorf("a first wait of ten minutes becomes %s", got)
	}
}
