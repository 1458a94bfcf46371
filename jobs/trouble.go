package jobs

import (
	"context"
	"log/slog"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// trouble tells the operator of jobs that failed. The queue says so at a level that quiet leaves out, and
// its own retries would go on for days unseen.
type trouble struct{ log *slog.Logger }

// HandleError logs a job's error; the queue goes on as it would.
func (t trouble) HandleError(ctx context.Context, job *rivertype.JobRow, err error) *river.ErrorHandlerResult {
	t.log.ErrorContext(ctx, "job failed", "job", job.ID, "kind", job.Kind, "attempt", job.Attempt, "error", err)
	return nil
}

// HandlePanic logs a job's panic; the queue goes on as it would.
func (t trouble) HandlePanic(ctx context.Context, job *rivertype.JobRow, panicVal any, trace string) *river.ErrorHandlerResult {
	t.log.ErrorContext(ctx, "job panicked", "job", job.ID, "kind", job.Kind, "attempt", job.Attempt, "panic", panicVal, "stack", trace)
	return nil
}
