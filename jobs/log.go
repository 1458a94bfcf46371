package jobs

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// errorLogger logs failed jobs. River itself logs them at a level that quietHandler omits.
type errorLogger struct{ log *slog.Logger }

// HandleError logs a job's error; River retries the job as usual.
func (l errorLogger) HandleError(ctx context.Context, job *rivertype.JobRow, err error) *river.ErrorHandlerResult {
	l.log.ErrorContext(ctx, "job failed", "job", job.ID, "kind", job.Kind, "attempt", job.Attempt, "error", err)
	return nil
}

// HandlePanic logs a job's panic; River retries the job as usual.
func (l errorLogger) HandlePanic(ctx context.Context, job *rivertype.JobRow, panicVal any,
	trace string,
) *river.ErrorHandlerResult {
	l.log.ErrorContext(ctx, "job panicked", "job", job.ID, "kind", job.Kind, "attempt", job.Attempt, "panic", panicVal,
		"stack", trace)
	return nil
}

// quietHandler passes on River's warnings and errors. It omits the warning about a leader that steps down, because this
// happens on busy machines and resolves itself. It passes on a repeated message only once every repeatAfter: for
// example, every queue logs the same message while the database is unavailable.
type quietHandler struct {
	slog.Handler
	lastLogged *sync.Map // time by message
}

const repeatAfter = 10 * time.Second

// Enabled reports whether records of a level are passed on.
func (q quietHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && q.Handler.Enabled(ctx, level)
}

// Handle passes a record on unless it is omitted.
func (q quietHandler) Handle(ctx context.Context, r slog.Record) error {
	if strings.Contains(r.Message, "Current leader stepping down") {
		return nil
	}
	last, _ := q.lastLogged.Load(r.Message)
	if at, repeated := last.(time.Time); repeated && r.Time.Sub(at) < repeatAfter {
		return nil
	}
	q.lastLogged.Store(r.Message, r.Time)
	return q.Handler.Handle(ctx, r)
}
