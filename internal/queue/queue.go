// Package queue names the jobs and inserts them inside a transaction. It runs nothing.
package queue

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"belfry/internal/core"
)

// Link fetches the address of a live post's page.
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

// Finish does a step that follows once a post is live.
type Finish struct {
	Workspace core.WorkspaceID `json:"workspace"`
	Post      core.PostID      `json:"post"`
	Step      string           `json:"step"`
}

// Kind names the job.
func (Finish) Kind() string { return "finish" }

// InsertOpts are how the job is run.
func (Finish) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: otherAttempts, Queue: QueueLink}
}

// Refresh renews an account's token before it expires.
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

// Check checks whether an account's token still works.
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

// Revoke tells a network to end a grant that no account needs any more.
type Revoke struct {
	Grant []byte `json:"grant"` // its hash
}

// Kind names the job.
func (Revoke) Kind() string { return "revoke" }

// InsertOpts are how the job is run.
func (Revoke) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: otherAttempts, Queue: QueueChore}
}

// Erase deletes the data of a person's accounts, as the person has asked their network.
type Erase struct {
	Code string `json:"code"`
}

// Kind names the job.
func (Erase) Kind() string { return "erase" }

// InsertOpts are how the job is run.
func (Erase) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: eraseAttempts, Queue: QueueChore}
}

// Process examines a file's bytes after they have been uploaded.
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

// Fetch downloads a file from the address in a request.
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

// DeleteBlobs deletes bytes that no row refers to.
type DeleteBlobs struct {
	Keys []string `json:"keys"`
}

// Kind names the job, as older versions queued it.
func (DeleteBlobs) Kind() string { return "discard" }

// InsertOpts are how the job is run.
func (DeleteBlobs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: otherAttempts, Queue: QueueChore}
}

// Mail sends an email.
type Mail struct {
	ID core.MailID `json:"id"`
}

// Kind names the job.
func (Mail) Kind() string { return "mail" }

// InsertOpts are how the job is run.
func (Mail) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: mailAttempts, Queue: QueueMail}
}

// PasswordReset sends a link for choosing a new password, if the address is that of a person. Sealed has the address
// and the link's token, which only the app can read.
type PasswordReset struct {
	Sealed []byte `json:"sealed"`
}

// Kind names the job.
func (PasswordReset) Kind() string { return "password_reset" }

// InsertOpts are how the job is run.
func (PasswordReset) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: otherAttempts, Queue: QueueMail}
}

// Job is any of the jobs above.
type Job interface {
	river.JobArgs
	river.JobArgsWithInsertOpts
}

// Inserter inserts jobs in a caller's transaction.
type Inserter struct{ client *river.Client[pgx.Tx] }

// NewInserter returns an inserter that does not work any jobs.
func NewInserter() (*Inserter, error) {
	// River returns its errors, too.
	client, err := river.NewClient(riverpgxv5.New(nil), &river.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, fmt.Errorf("make the job inserter: %w", err)
	}
	return &Inserter{client}, nil
}

// Attempts of jobs. A job whose row says when it is due runs once, and the sweep repeats it. River repeats the
// others.
const (
	sweptAttempts = 1
	otherAttempts = 5
	eraseAttempts = 20 // with River's pauses, for a week: nothing else repeats it
	mailAttempts  = 12 // for half a day
)

// Queues in addition to River's default one, each with its own workers, so that jobs cannot delay posts.
const (
	QueueLink  = "link"  // asks for the addresses of live posts, which may wait for posts that are due
	QueueMedia = "media" // looks at files: much work for the processor
	QueueFetch = "fetch" // brings files from elsewhere: much waiting
	QueueChore = "chore" // asks networks about tokens and deletes bytes: much waiting, at the worst for all at once
	QueueMail  = "mail"  // sends email: much waiting
)

// Insert adds a job that runs at the given time; the zero time means immediately. The job exists exactly if the
// transaction commits.
func (i *Inserter) Insert(ctx context.Context, tx pgx.Tx, job Job, at time.Time) error {
	if _, err := i.client.InsertTx(ctx, tx, job, &river.InsertOpts{ScheduledAt: at}); err != nil {
		return fmt.Errorf("insert %s job: %w", job.Kind(), err)
	}
	return nil
}

// InsertMany adds jobs that run immediately.
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
