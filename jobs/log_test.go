package jobs

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/riverqueue/river/rivertype"
)

func TestFailedAndPanickedJobsAreLogged(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	told := errorLogger{slog.New(slog.NewTextHandler(&text, nil))}
	job := &rivertype.JobRow{ID: 7, Kind: "publish", Attempt: 2}
	told.HandleError(t.Context(), job, errors.New("open the token of account acc_1"))
	told.HandlePanic(t.Context(), job, "index out of range", "goroutine 1")
	for _, want := range []string{"level=ERROR", "kind=publish", "attempt=2", "open the token of account acc_1", "index out of range"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the log does not say %s: %s", want, text.String())
		}
	}
}

// The queue warns of what only its housekeeping does, and does again within seconds.
func TestRiversInfoAndLeaderWarningsAreLeftOut(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	told := slog.New(quietHandler{slog.NewTextHandler(&text, nil), &sync.Map{}})
	told.Warn("leadership.Elector: Current leader stepping down because the reelection deadline elapsed")
	told.Info("Producer: Heartbeat")
	if told.Error("leadership.Elector: Error attempting reelection"); strings.Count(text.String(), "\n") != 1 {
		t.Errorf("the log says %s", text.String())
	}
}

// While the database is away every queue says so at every fetch.
func TestRepeatedMessagesAreLoggedOnceInTenSeconds(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	told := quietHandler{slog.NewTextHandler(&text, nil), &sync.Map{}}
	began := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for tick := range 200 {
		for _, message := range []string{"Producer: Error fetching jobs", "Notifier: Error listening"} {
			r := slog.NewRecord(began.Add(time.Duration(tick)*100*time.Millisecond), slog.LevelError, message, 0)
			if err := told.Handle(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
	}
	if lines := strings.Count(text.String(), "\n"); lines != 4 {
		t.Errorf("20 seconds of two complaints are %d lines", lines)
	}
}
