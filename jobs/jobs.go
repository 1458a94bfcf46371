// Package jobs is the entry point for scheduled work: it publishes due posts, runs the jobs of the queue, and runs
// periodic tasks.
package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"belfry/internal/app"
	"belfry/internal/publish"
	"belfry/internal/queue"
)

// Config is the configuration of New. Every field is required.
type Config struct {
	App  *app.App
	Pool *pgxpool.Pool
	Log  *slog.Logger
	// Owner is the name of this worker in leases; it must be unique.
	Owner string
	// Poll is how often the worker looks for posts that were queued to be published immediately.
	Poll time.Duration
}

const (
	// publishers is how many posts are published at once: each mostly waits for a network.
	publishers = 1000
	// preparers is how many posts are prepared at once before they are due: few, so that due posts do not wait until files
	// have been sent.
	preparers = 32
	// linkers is how many addresses of live posts are fetched at once: few, so that publishing is not delayed.
	linkers = 16
	// choreWorkers is how many jobs that check tokens or delete bytes run at once: many, because a network may let all
	// calls wait.
	choreWorkers = 256
	// examiners is how many files are examined at once, which mostly uses the processor.
	examiners = 2
	// fetchers is how many files are downloaded at once: each mostly waits for a server.
	fetchers = 32
	// fetchCooldown lets a queue start more than ten jobs a second. fetchPoll is how long a job can wait after its time
	// if it is repeated or was inserted for later, or if River missed its insertion; other jobs start immediately.
	fetchCooldown = 5 * time.Millisecond
	fetchPoll     = 10 * time.Second
	// mailers is how many emails are sent at once: few, as mail servers prefer.
	mailers = 4
	// rescueAfter is how long a job runs before River checks whether it has exceeded its time limit.
	rescueAfter = 2 * time.Minute
	// stopWithin is how long a stopping worker may take to finish the calls that have begun, and releaseWithin how long it
	// may then take to release the leases of the calls that did not finish.
	stopWithin    = 20 * time.Second
	releaseWithin = 3 * time.Second
)

// Jobs publishes due posts, runs the jobs of the queue, and runs periodic tasks.
type Jobs struct {
	cfg    Config
	client *river.Client[pgx.Tx]
}

// New returns a Jobs that does nothing until Run is called.
func New(cfg Config) (*Jobs, error) {
	if cfg.App == nil || cfg.Pool == nil || cfg.Log == nil || cfg.Owner == "" || cfg.Poll <= 0 {
		return nil, errors.New("jobs: Config needs App, Pool, Log, Owner and Poll")
	}
	client, err := river.NewClient(riverpgxv5.New(cfg.Pool), &river.Config{
		Queues: map[string]river.QueueConfig{
			queue.QueueLink:  {MaxWorkers: linkers},
			queue.QueueChore: {MaxWorkers: choreWorkers},
			queue.QueueMedia: {MaxWorkers: examiners},
			queue.QueueFetch: {MaxWorkers: fetchers},
			queue.QueueMail:  {MaxWorkers: mailers},
		},
		Workers:                     newWorkers(cfg.App),
		ErrorHandler:                errorLogger{cfg.Log},
		Logger:                      slog.New(quietHandler{cfg.Log.Handler(), &sync.Map{}}),
		FetchCooldown:               fetchCooldown,
		FetchPollInterval:           fetchPoll,
		RescueStuckJobsAfter:        rescueAfter,
		CompletedJobRetentionPeriod: time.Hour,
		DiscardedJobRetentionPeriod: 24 * time.Hour,
	})
	if err != nil {
		return nil, fmt.Errorf("make the queue's client: %w", err)
	}
	return &Jobs{cfg, client}, nil
}

// Run works until ctx ends. It then finishes the calls in progress, starts no irreversible calls, and releases its
// leases.
func (j *Jobs) Run(ctx context.Context) error {
	// The client gets another context, because it is stopped below, in the right order.
	if err := j.client.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("start the queue: %w", err)
	}
	var loops sync.WaitGroup
	for _, task := range j.periodicTasks() {
		loops.Go(func() { j.runPeriodically(ctx, task) })
	}
	loops.Go(func() {
		j.cfg.App.Engine().Run(ctx,
			publish.Worker{Owner: j.cfg.Owner, Poll: j.cfg.Poll, Posts: publishers, Preparing: preparers})
	})
	<-ctx.Done()
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer cancel()
	err := j.client.StopAndCancel(stop)
	waitForGroup(stop, &loops)
	release, done := context.WithTimeout(context.WithoutCancel(ctx), releaseWithin)
	defer done()
	return errors.Join(err, j.cfg.App.Engine().ReleaseLeases(release, j.cfg.Owner))
}

// waitForGroup waits for goroutines, but not after ctx ends.
func waitForGroup(ctx context.Context, group *sync.WaitGroup) {
	ended := make(chan struct{})
	go func() {
		group.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	}
}

// Handler runs the jobs of one kind.
type Handler struct {
	Kind string
	// Do runs a job with its arguments, as JSON. River repeats the job after an error.
	Do func(ctx context.Context, arguments []byte) error

	register func(*river.Workers)
}

// Handlers returns the handler of each kind of job. A handler's time limit is longer than that of the operation that
// the handler calls. After the time limit, River gives the job of a killed worker to another worker. A negative limit
// would disable that.
func Handlers(a *app.App) []Handler {
	return []Handler{
		newHandler(2*time.Minute, func(ctx context.Context, j queue.Link) error {
			return a.Engine().FetchAndStoreLinkIfMissing(ctx, j.Workspace, j.Post)
		}),
		newHandler(2*time.Minute, func(ctx context.Context, j queue.FinalStep) error {
			return toJobSnoozeError(a.Engine().RunFinalStepOrAddNote(ctx, j.Workspace, j.Post, j.Step))
		}),
		newHandler(5*time.Minute, func(ctx context.Context, j queue.Refresh) error {
			return a.RefreshDueTokenAndSaveResult(ctx, j.Workspace, j.Account)
		}),
		newHandler(5*time.Minute, func(ctx context.Context, j queue.Check) error {
			return a.CheckAndUpdateDueAccount(ctx, j.Workspace, j.Account)
		}),
		newHandler(5*time.Minute, func(ctx context.Context, j queue.Revoke) error {
			return toJobSnoozeError(a.RevokeUnusedGrant(ctx, j.Grant))
		}),
		newHandler(5*time.Minute, func(ctx context.Context, j queue.Erase) error {
			return toJobSnoozeError(a.EraseGrantData(ctx, j.Code))
		}),
		newHandler(2*time.Minute, func(ctx context.Context, j queue.Mail) error {
			return a.SendAndDeleteQueuedMail(ctx, j.ID)
		}),
		newHandler(2*time.Minute, func(ctx context.Context, j queue.PasswordReset) error {
			return a.QueuePasswordResetEmailIfValid(ctx, j.Sealed)
		}),
		newHandler(5*time.Minute, func(ctx context.Context, j queue.DeleteBlobs) error {
			return a.Intake().DeleteUnreferencedBlobsAndJPEGs(ctx, j.Keys)
		}),
		newHandler(15*time.Minute, func(ctx context.Context, j queue.Process) error {
			return a.Intake().ClaimAndProcessFile(ctx, j.Workspace, j.Media)
		}),
		newHandler(3*time.Hour, func(ctx context.Context, j queue.Fetch) error {
			return a.Intake().ClaimAndDownloadFile(ctx, j.Workspace, j.Media)
		}),
	}
}

// toJobSnoozeError returns an error that makes River run the job again after the wait. It returns err if err is not
// nil or the wait is 0.
func toJobSnoozeError(waitOrZero time.Duration, err error) error {
	if err == nil && waitOrZero > 0 {
		return river.JobSnooze(waitOrZero)
	}
	return err
}

// newHandler returns a handler that runs jobs of the type J with do, for at most timeLimit.
func newHandler[J queue.Job](timeLimit time.Duration, do func(context.Context, J) error) Handler {
	var job J
	return Handler{
		Kind: job.Kind(),
		Do: func(ctx context.Context, arguments []byte) error {
			var job J
			if err := json.Unmarshal(arguments, &job); err != nil {
				return err
			}
			return do(ctx, job)
		},
		register: func(workers *river.Workers) { river.AddWorker(workers, &worker[J]{limit: timeLimit, do: do}) },
	}
}

func newWorkers(a *app.App) *river.Workers {
	workers := river.NewWorkers()
	for _, h := range Handlers(a) {
		h.register(workers)
	}
	return workers
}

// worker adapts a handler to a River worker.
type worker[J queue.Job] struct {
	river.WorkerDefaults[J]
	limit time.Duration
	do    func(context.Context, J) error
}

// Work runs the job.
func (w *worker[J]) Work(ctx context.Context, job *river.Job[J]) error { return w.do(ctx, job.Args) }

// Timeout returns the time limit of the job.
func (w *worker[J]) Timeout(*river.Job[J]) time.Duration { return w.limit }
