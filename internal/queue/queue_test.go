package queue_test

import (
	"testing"

	"belfry/internal/queue"
)

// No worker takes jobs from River's default queue.
func TestEveryJobHasAQueueAndAttempts(t *testing.T) {
	t.Parallel()
	for _, job := range []queue.Job{queue.Link{}, queue.FinalStep{}, queue.Refresh{}, queue.Check{}, queue.Process{}, queue.Fetch{}, queue.DeleteBlobs{}} {
		opts := job.InsertOpts()
		if opts.Queue == "" || opts.MaxAttempts == 0 {
			t.Errorf("%s: %+v", job.Kind(), opts)
		}
	}
}
