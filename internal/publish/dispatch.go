package publish

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"belfry/internal/core"
	"belfry/internal/store"
)

const (
	// claimBatch is how many posts one statement claims at most: those claimed first are on their way to their
	// networks while the next are claimed, and replicas share what is due.
	claimBatch = 32
	// errorWait is how long a worker waits after the database has failed.
	errorWait = time.Second
)

// Worker is one process that publishes posts.
type Worker struct {
	// Owner names the worker in leases; no two workers may share one.
	Owner string
	// Poll is how often the worker looks for posts that another process made due, or left behind when it died. It knows
	// when the next of the others is due, and store.Store.Due signals what its own process makes due.
	Poll time.Duration
	// Posts is how many posts the worker publishes at once: each mostly waits for a network.
	Posts int
	// Preparing is how many more it prepares at once before they are due: few, since they send files.
	Preparing int
}

// workload is one of the two kinds of work that the ledger has for a worker.
type workload struct {
	until func(ctx context.Context, most time.Duration) (time.Duration, error)
	claim func(ctx context.Context, owner string, limit int, lease time.Duration, now time.Time) ([]store.Claim, error)
	wake  <-chan struct{} // signals that there is work; nil where nobody does
	slots chan struct{}
}

// Run publishes posts as they become due, and prepares others before, until ctx ends. Then it starts no irreversible
// call, waits for the calls that have begun, and returns. Posts that are due do not wait for those that are prepared.
//
// The ledger is the only queue: a claim is the hand-over of a post to a worker, and its lease brings the post back
// if the worker dies.
func (e *Engine) Run(ctx context.Context, w Worker) {
	ledger := e.cfg.Store
	var loads sync.WaitGroup
	loads.Go(func() {
		e.runLoad(ctx, w, workload{ledger.UntilDue, ledger.ClaimDue, ledger.Due, make(chan struct{}, w.Posts)})
	})
	if w.Preparing > 0 {
		loads.Go(func() {
			e.runLoad(ctx, w, workload{ledger.UntilToPrepare, ledger.ClaimToPrepare, nil, make(chan struct{}, w.Preparing)})
		})
	}
	loads.Go(func() { e.passTurns(ctx, w) })
	loads.Wait()
}

// runLoad does one kind of work until ctx ends and what has begun is finished.
func (e *Engine) runLoad(ctx context.Context, w Worker, load workload) {
	var publishing sync.WaitGroup
	defer publishing.Wait()
	for e.waitForWork(ctx, w.Poll, load) {
		e.claimAll(ctx, w, load, &publishing)
	}
}

// claimAll claims the posts for which there is work and starts it, until it has claimed all that it can.
func (e *Engine) claimAll(ctx context.Context, w Worker, load workload, publishing *sync.WaitGroup) {
	for ctx.Err() == nil {
		free := acquireSlots(ctx, load.slots)
		claims, err := load.claim(ctx, w.Owner, free, e.cfg.Schedule.Lease, e.cfg.Now())
		for range free - len(claims) {
			<-load.slots
		}
		for ws, claims := range groupByWorkspace(claims) {
			publishing.Go(func() { e.publishAll(ctx, ws, claims, load.slots) })
		}
		switch {
		case err != nil && ctx.Err() == nil:
			e.cfg.Log.ErrorContext(ctx, "could not claim posts", "error", err)
			wait(ctx, errorWait)
			return
		case len(claims) == 0: // they are locked by another
			load.waitOrWake(ctx, w.Poll)
			return
		case len(claims) < free:
			return
		}
	}
}

// acquireSlots waits for a free slot and takes up to claimBatch of those that are free then.
func acquireSlots(ctx context.Context, slots chan<- struct{}) int {
	select {
	case slots <- struct{}{}:
	case <-ctx.Done():
		return 0
	}
	for n := 1; n < claimBatch; n++ {
		select {
		case slots <- struct{}{}:
		default:
			return n
		}
	}
	return claimBatch
}

func groupByWorkspace(claims []store.Claim) map[core.WorkspaceID][]store.Claim {
	groups := map[core.WorkspaceID][]store.Claim{}
	for _, c := range claims {
		groups[c.Workspace] = append(groups[c.Workspace], c)
	}
	return groups
}

// publishAll publishes claimed posts of one workspace at once and frees a slot as each ends. What cannot be read
// comes back when its lease ends.
func (e *Engine) publishAll(ctx context.Context, ws core.WorkspaceID, claims []store.Claim, slots <-chan struct{}) {
	var publishing sync.WaitGroup
	defer publishing.Wait()
	read, err := e.readClaims(ctx, ws, claims)
	if err != nil && len(claims) > 1 { // one post that cannot be read must not hold up the others
		for i := range claims {
			publishing.Go(func() { e.publishAll(ctx, ws, claims[i:i+1], slots) })
		}
		return
	}
	if err != nil && ctx.Err() == nil { // a worker that stops gives the post back
		e.cfg.Log.ErrorContext(ctx, "could not read a due post", "workspace", ws, "post", claims[0].Post, "error", err)
	}
	for range len(claims) - len(read) {
		<-slots
	}
	for _, c := range read {
		publishing.Go(func() {
			defer func() { <-slots }()
			if err := c.publishSafely(ctx); err != nil {
				e.cfg.Log.ErrorContext(ctx, "publishing failed", "workspace", ws, "post", c.post.ID, "error", err)
			}
		})
	}
}

// publishSafely turns a panic into an error: it must not end the process, in which other posts are being published.
func (c *claim) publishSafely(ctx context.Context) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return c.publish(ctx)
}

// waitForWork waits until there is work that no worker has claimed. It returns false when ctx has ended.
func (e *Engine) waitForWork(ctx context.Context, poll time.Duration, load workload) bool {
	for ctx.Err() == nil {
		until, err := load.until(ctx, poll)
		if err == nil && until <= 0 {
			return true
		}
		if err != nil && ctx.Err() == nil {
			e.cfg.Log.ErrorContext(ctx, "could not look for posts", "error", err)
			wait(ctx, errorWait)
			continue
		}
		load.waitOrWake(ctx, until)
	}
	return false
}

// waitOrWake waits until there is a signal that there is work, and at most for the given time.
func (l workload) waitOrWake(ctx context.Context, most time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	select {
	case <-ctx.Done():
	case <-l.wake:
	}
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
