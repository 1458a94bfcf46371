// Package queue names the jobs and inserts them inside a transaction. It runs nothing.
package queue

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"belfry/internal/core"
)

// Link fetches the address of a live post's page, after the post is safely live.
type Link struct {
	Workspace core.WorkspaceID `json:"workspace"`
	Post      core.PostID      `json:"post"`
}

// Kind names the job.
func (Link) Kind() string { return "link" }

// InsertOpts are how the job is run.
func (Link) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: otherAttempts, Queue: QueueLink, UniqueOpts: river.UniqueOpts{
		ByArgs: true, // a post has one such job at a time
		ByState: []rivertype.JobState{
			rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRunning, rivertype.JobStateRetryable,
			rivertype.JobStateScheduled,
		},
	}}
}

// Refresh renews an account's token ahead of its end.
type Refresh struct {
	Workspace core.WorkspaceID `json:"workspace"`
	Account   core.AccountID   `json:"account"`
}

// Kind names the job.
func (Refresh) Kind() string { return "refresh" }

// InsertOpts are how the job is run.
func (Refresh) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: sweptAttempts, Queue: QueueChore}
}

// Check asks whether an account's token still works.
type Check struct {
	Workspace core.WorkspaceID `json:"workspace"`
	Account   core.AccountID   `json:"account"`
}

// Kind names the job.
func (Check) Kind() string { return "check" }

// InsertOpts are how the job is run.
func (Check) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: sweptAttempts, Queue: QueueChore}
}

// Process looks at a file's bytes once they are all there.
type Process struct {
	Workspace core.WorkspaceID `json:"workspace"`
	Media     core.MediaID     `json:"media"`
}

// Kind names the job.
func (Process) Kind() string { return "process" }

// InsertOpts are how the job is run.
func (Process) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: sweptAttempts, Queue: QueueMedia}
}

// Fetch brings a file's bytes from the address that a request named.
type Fetch struct {
	Workspace core.WorkspaceID `json:"workspace"`
	Media     core.MediaID     `json:"media"`
}

// Kind names the job.
func (Fetch) Kind() string { return "fetch" }

// InsertOpts are how the job is run.
func (Fetch) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: sweptAttempts, Queue: QueueFetch}
}

// DeleteBlobs deletes bytes that no row refers to any more.
type DeleteBlobs struct {
	Keys []string `json:"keys"`
}

// Kind names the job, as older versions queued it.
func (DeleteBlobs) Kind() string { return "discard" }

// InsertOpts are how the job is run.
func (DeleteBlobs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: otherAttempts, Queue: QueueChore}
}

// Job is any of the jobs above.
type Job interface {
	river.JobArgs
	river.JobArgsWithInsertOpts
}

// Inserter inserts jobs in a caller's transaction.
type Inserter struct{ client *river.Client[pgx.Tx] }

// NewInserter makes an inserter that works nothing.
func NewInserter() (*Inserter, error) {
	client, err := river.NewClient(riverpgxv5.New(nil), &river.Config{})
	if err != nil {
		return nil, fmt.Errorf("make the job inserter: %w", err)
	}
	return &Inserter{client}, nil
}

// Attempts of jobs. One whose row tells when it is due runs once: the sweep brings it back. The others repeat
// by River's own means.
const (
	sweptAttempts = 1
	otherAttempts = 5
)

// Queues beside River's default one, each with workers of its own, so that nothing else holds up a post.
const (
	QueueLink  = "link"  // asks for the addresses of live posts, which may wait for posts that are due
	QueueMedia = "media" // looks at files: much work for the processor
	QueueFetch = "fetch" // brings files from elsewhere: much waiting
	QueueChore = "chore" // asks networks about tokens and deletes bytes: much waiting, at the worst for all at once
)

// Insert adds a job that runs at the given time; the zero time means at once. The job exists exactly
// if the transaction commits.
func (i *Inserter) Insert(ctx context.Context, tx pgx.Tx, job Job, at time.Time) error {
	if _, err := i.client.InsertTx(ctx, tx, job, &river.InsertOpts{ScheduledAt: at}); err != nil {
		return fmt.Errorf("insert %s job: %w", job.Kind(), err)
	}
	return nil
}

// InsertMany adds jobs that run at once.
func (i *Inserter) InsertMany(ctx context.Context, tx pgx.Tx, jobs []Job) error {
	if len(jobs) == 0 {
		return nil
	}
	params := make([]river.InsertManyParams, len(jobs))
	for n, job := range jobs {
		params[n] = river.InsertManyParams{Args: job}
	}
	if _, err := i.client.InsertManyFastTx(ctx, tx, params); err != nil {
		return fmt.Errorf("insert %d jobs: %w", len(jobs), err)
	}
	return nil
}
