package queue_test

import (
	"testing"

	"belfry/internal/queue"
)

// Tokens that a network kept waiting filled the workers that send posts.
func TestNothingButPostsHoldsUpPosts(t *testing.T) {
	t.Parallel()
	for _, job := range []queue.Job{queue.Publish{}, queue.Link{}, queue.Refresh{}, queue.Check{}, queue.Process{}, queue.Fetch{}, queue.Discard{}} {
		opts := job.InsertOpts()
		if _, posts := job.(queue.Publish); posts != (opts.Queue == "") || opts.MaxAttempts == 0 {
			t.Errorf("%s: %+v", job.Kind(), opts)
		}
	}
}
