package jobs

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/riverqueue/river/rivertype"
)

func TestAJobThatFailsIsLogged(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	told := trouble{slog.New(slog.NewTextHandler(&text, nil))}
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
func TestTheQueuesWarningsAreThoseOfTrouble(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	told := slog.New(quiet{slog.NewTextHandler(&text, nil)})
	told.Warn("leadership.Elector: Current leader stepping down because the reelection deadline elapsed")
	told.Info("Producer: Heartbeat")
	if told.Error("leadership.Elector: Error attempting reelection"); strings.Count(text.String(), "\n") != 1 {
		t.Errorf("the log says %s", text.String())
	}
}
