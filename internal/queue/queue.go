// Package queue defines the jobs, and inserts them within a transaction. It runs none.
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

// Link fetches the address of a live post on its network.
type Link struct {
	Workspace core.WorkspaceID `json:"workspace"`
	Post      core.PostID      `json:"post"`
}

// Kind returns the name of this kind of job.
func (Link) Kind() string { return "link" }

// InsertOpts returns the queue and the retries of this kind of job.
func (Link) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: otherAttempts, Queue: QueueLink, UniqueOpts: river.UniqueOpts{
		ByArgs: true, // a post has only one such job at a time
		ByState: []rivertype.JobState{
			rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRunning, rivertype.JobStateRetryable,
			rivertype.JobStateScheduled,
		},
	}}
}

// FinalStep runs one of the steps that follow once a post is live.
type FinalStep struct {
	Workspace core.WorkspaceID `json:"workspace"`
	Post      core.PostID      `json:"post"`
	Step      string           `json:"step"`
}

// Kind returns the name of this kind of job.
func (FinalStep) Kind() string { return "finish" }

// InsertOpts returns the queue and the retries of this kind of job.
func (FinalStep) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: otherAttempts, Queue: QueueLink}
}

// Refresh renews an account's token before it expires.
type Refresh struct {
	Workspace core.WorkspaceID `json:"workspace"`
	Account   core.AccountID   `json:"account"`
}

// Kind returns the name of this kind of job.
func (Refresh) Kind() string { return "refresh" }

// InsertOpts returns the queue and the retries of this kind of job.
func (Refresh) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: sweptAttempts, Queue: QueueChore}
}

// Check checks whether an account's token still works.
type Check struct {
	Workspace core.WorkspaceID `json:"workspace"`
	Account   core.AccountID   `json:"account"`
}

// Kind returns the name of this kind of job.
func (Check) Kind() string { return "check" }

// InsertOpts returns the queue and the retries of this kind of job.
func (Check) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: sweptAttempts, Queue: QueueChore}
}

// Revoke asks a network to revoke a grant that no account needs anymore.
type Revoke struct {
	Grant []byte `json:"grant"` // its hash
}

// Kind returns the name of this kind of job.
func (Revoke) Kind() string { return "revoke" }

// InsertOpts returns the queue and the retries of this kind of job.
func (Revoke) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: otherAttempts, Queue: QueueChore}
}

// Erase deletes the data of a person's accounts, after the person has requested this on the network.
type Erase struct {
	Code string `json:"code"`
}

// Kind returns the name of this kind of job.
func (Erase) Kind() string { return "erase" }

// InsertOpts returns the queue and the retries of this kind of job.
func (Erase) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: eraseAttempts, Queue: QueueChore}
}

// Process examines a file's bytes after they have been uploaded.
type Process struct {
	Workspace core.WorkspaceID `json:"workspace"`
	Media     core.MediaID     `json:"media"`
}

// Kind returns the name of this kind of job.
func (Process) Kind() string { return "process" }

// InsertOpts returns the queue and the retries of this kind of job.
func (Process) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: sweptAttempts, Queue: QueueMedia}
}

// Fetch downloads a file from the address in a request.
type Fetch struct {
	Workspace core.WorkspaceID `json:"workspace"`
	Media     core.MediaID     `json:"media"`
}

// Kind returns the name of this kind of job.
func (Fetch) Kind() string { return "fetch" }

// InsertOpts returns the queue and the retries of this kind of job.
func (Fetch) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: sweptAttempts, Queue: QueueFetch}
}

// DeleteBlobs deletes bytes that no row refers to.
type DeleteBlobs struct {
	Keys []string `json:"keys"`
}

// Kind returns the name of this kind of job, which older versions also use.
func (DeleteBlobs) Kind() string { return "discard" }

// InsertOpts returns the queue and the retries of this kind of job.
func (DeleteBlobs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: otherAttempts, Queue: QueueChore}
}

// Mail sends an email.
type Mail struct {
	ID core.MailID `json:"id"`
}

// Kind returns the name of this kind of job.
func (Mail) Kind() string { return "mail" }

// InsertOpts returns the queue and the retries of this kind of job.
func (Mail) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: mailAttempts, Queue: QueueMail}
}

// PasswordReset sends a link for choosing a new password, if the address belongs to a person. Sealed contains the
// address and the link's token, encrypted.
type PasswordReset struct {
	Sealed []byte `json:"sealed"`
}

// Kind returns the name of this kind of job.
func (PasswordReset) Kind() string { return "password_reset" }

// InsertOpts returns the queue and the retries of this kind of job.
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

// NewInserter returns an Inserter. It runs no jobs.
func NewInserter() (*Inserter, error) {
	// River also returns the errors that it would log.
	client, err := river.NewClient(riverpgxv5.New(nil), &river.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, fmt.Errorf("make the job inserter: %w", err)
	}
	return &Inserter{client}, nil
}

// The maximum number of attempts. A sweep repeats jobs whose row says when they are due, so River runs them once. River
// repeats the other jobs.
const (
	sweptAttempts = 1
	otherAttempts = 5
	eraseAttempts = 20 // about a week with River's pauses, because nothing else repeats the job
	mailAttempts  = 12 // about 11 hours with River's pauses
)

// Queues in addition to River's default one. Each has its own workers, so that no kind of job delays another.
const (
	QueueLink  = "link"  // fetches the addresses of live posts, which is less urgent than posts that are due
	QueueMedia = "media" // examines files, which mostly uses the processor
	QueueFetch = "fetch" // downloads files, which is mostly waiting
	QueueChore = "chore" // asks networks about tokens and deletes bytes, which is mostly waiting
	QueueMail  = "mail"  // sends email, which is mostly waiting
)

// Insert inserts a job that runs at the given time; the zero time means immediately. The job exists only if the
// transaction commits.
func (i *Inserter) Insert(ctx context.Context, tx pgx.Tx, job Job, runAt time.Time) error {
	if _, err := i.client.InsertTx(ctx, tx, job, &river.InsertOpts{ScheduledAt: runAt}); err != nil {
		return fmt.Errorf("insert a job of kind %s: %w", job.Kind(), err)
	}
	return nil
}

// InsertMany inserts jobs that run immediately. They exist only if the transaction commits.
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
