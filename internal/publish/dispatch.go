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
}

// Run publishes posts as they become due, until ctx ends. Then it starts no irreversible call, waits for the calls
// that have begun, and returns.
//
// The ledger is the only queue: a claim is the hand-over of a post to a worker, and its lease brings the post back
// if the worker dies.
func (e *Engine) Run(ctx context.Context, w Worker) {
	var publishing sync.WaitGroup
	defer publishing.Wait()
	slots := make(chan struct{}, w.Posts)
	for e.waitUntilDue(ctx, w.Poll) {
		e.publishDue(ctx, w, slots, &publishing)
	}
}

// publishDue claims the posts that are due and starts to publish them, until it has claimed all that it can.
func (e *Engine) publishDue(ctx context.Context, w Worker, slots chan struct{}, publishing *sync.WaitGroup) {
	for ctx.Err() == nil {
		free := acquireSlots(ctx, slots)
		claims, err := e.cfg.Store.ClaimDue(ctx, w.Owner, free, e.cfg.Schedule.Lease, e.cfg.Now())
		for range free - len(claims) {
			<-slots
		}
		for ws, claims := range groupByWorkspace(claims) {
			publishing.Go(func() { e.publishAll(ctx, ws, claims, slots) })
		}
		switch {
		case err != nil && ctx.Err() == nil:
			e.cfg.Log.ErrorContext(ctx, "could not claim due posts", "error", err)
			wait(ctx, errorWait)
			return
		case len(claims) == 0: // what is due is locked by another
			e.waitOrSignal(ctx, w.Poll)
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
	if err != nil {
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

// waitUntilDue waits until a post is due that no worker holds. It returns false when ctx has ended.
func (e *Engine) waitUntilDue(ctx context.Context, poll time.Duration) bool {
	for ctx.Err() == nil {
		until, err := e.cfg.Store.UntilDue(ctx, poll)
		if err == nil && until <= 0 {
			return true
		}
		if err != nil && ctx.Err() == nil {
			e.cfg.Log.ErrorContext(ctx, "could not look for due posts", "error", err)
			wait(ctx, errorWait)
			continue
		}
		e.waitOrSignal(ctx, until)
	}
	return false
}

// waitOrSignal waits until the store signals that a post is due, and at most for the given time.
func (e *Engine) waitOrSignal(ctx context.Context, most time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	select {
	case <-ctx.Done():
	case <-e.cfg.Store.Due:
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
