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
	// claimBatch is the maximum number of posts that one statement claims. Small batches let a worker publish the first
	// posts while it claims the next, and let replicas share the work.
	claimBatch = 32
	// errorWait is how long a worker waits after a database error.
	errorWait = time.Second
	// claimTimeout is shorter than the time for which a stopping worker waits for its calls before it releases its
	// leases.
	claimTimeout = 10 * time.Second
)

// Worker is one process that publishes posts.
type Worker struct {
	// Owner is the worker's name in leases; no two workers may have the same name.
	Owner string
	// Poll is how often the worker looks for posts that another process made due, or left behind when it died. For all
	// other posts, the worker knows when the next one is due, and store.Store.Due signals new posts of its own process.
	Poll time.Duration
	// Posts is how many posts the worker publishes at once. Most of the time, each waits for a network.
	Posts int
	// Preparing is how many more posts the worker prepares at once before they are due. The number is small, because
	// preparing sends files.
	Preparing int
}

// workload is one of the two kinds of work in the ledger: posts to publish and posts to prepare. The signals' channels
// have a capacity of one.
type workload struct {
	claim     func(ctx context.Context, owner string, limit int, lease time.Duration, now time.Time) ([]store.Claim, error)
	permits   chan struct{} // contains an element for each permit in use
	found     chan struct{} // signals that there are posts to claim
	lookAgain chan<- struct{}
}

// Run publishes posts as they become due, and prepares others ahead of time, until ctx ends. Then it starts no further
// irreversible call, waits for the calls that have begun, and returns. Due posts do not wait for those being prepared.
//
// The ledger is the only queue: a claim hands a post to a worker, and when the worker dies, the end of its lease makes
// the post available again.
func (e *Engine) Run(ctx context.Context, w Worker) {
	ledger, lookAgain := e.cfg.Store, make(chan struct{}, 1)
	due := workload{ledger.ClaimDuePublications, make(chan struct{}, w.Posts), make(chan struct{}, 1), lookAgain}
	preparing := workload{
		ledger.ClaimPublicationsToPrepare, make(chan struct{}, w.Preparing), make(chan struct{}, 1), lookAgain,
	}
	var loads sync.WaitGroup
	loads.Go(func() { e.runWorkloadUntilStopped(ctx, w.Owner, due) })
	if w.Preparing > 0 {
		loads.Go(func() { e.runWorkloadUntilStopped(ctx, w.Owner, preparing) })
	}
	e.lookForWorkUntilStopped(ctx, w.Poll, due, preparing, lookAgain)
	loads.Wait()
}

// runWorkloadUntilStopped does one kind of work until ctx ends. It returns once all work that has begun is finished.
func (e *Engine) runWorkloadUntilStopped(ctx context.Context, owner string, load workload) {
	var publishing sync.WaitGroup
	defer publishing.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case <-load.found:
			e.claimAndStartPublishing(ctx, owner, load, &publishing)
		}
	}
}

// claimAndStartPublishing claims batches of posts and starts to publish them, until there are no more posts to claim.
// It does not wait for the posts: the caller does, with publishing. It asks for another look at the ledger, unless it
// could claim no post because another worker has locked all of them.
func (e *Engine) claimAndStartPublishing(ctx context.Context, owner string, load workload, publishing *sync.WaitGroup) {
	for hasClaimed := false; ctx.Err() == nil; hasClaimed = true {
		free := acquirePermitsUpTo(ctx, load.permits, claimBatch)
		if free == 0 {
			return
		}
		claims, err := e.claimPosts(ctx, owner, load, free)
		for range free - len(claims) {
			<-load.permits
		}
		for ws, claims := range groupByWorkspace(claims) {
			publishing.Go(func() { e.publishClaimsAndReleasePermits(ctx, ws, claims, load.permits) })
		}
		switch {
		case err != nil && ctx.Err() == nil:
			e.cfg.Log.ErrorContext(ctx, "could not claim posts", "error", err)
			sleepUnlessDone(ctx, errorWait)
			sendSignalUnlessPending(load.lookAgain)
			return
		case len(claims) == 0 && !hasClaimed: // another worker has locked them
			return
		case len(claims) < free:
			sendSignalUnlessPending(load.lookAgain)
			return
		}
	}
}

// claimPosts claims posts even if the worker is stopping: PostgreSQL may finish a statement that is cancelled here, and
// nobody would then release the leases of its claims.
func (e *Engine) claimPosts(ctx context.Context, owner string, load workload, limit int) ([]store.Claim, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), claimTimeout)
	defer cancel()
	return load.claim(ctx, owner, limit, e.cfg.Schedule.Lease, e.cfg.Now())
}

// acquirePermitsUpTo waits until a permit is free, and takes all free permits, up to most. Each is for one post. It
// returns 0 when ctx ends.
func acquirePermitsUpTo(ctx context.Context, permits chan<- struct{}, most int) (acquired int) {
	select {
	case permits <- struct{}{}:
	case <-ctx.Done():
		return 0
	}
	for n := 1; n < most; n++ {
		select {
		case permits <- struct{}{}:
		default:
			return n
		}
	}
	return most
}

func groupByWorkspace(claims []store.Claim) map[core.WorkspaceID][]store.Claim {
	groups := map[core.WorkspaceID][]store.Claim{}
	for _, c := range claims {
		groups[c.Workspace] = append(groups[c.Workspace], c)
	}
	return groups
}

// publishClaimsAndReleasePermits publishes claimed posts of one workspace in parallel, and releases a permit as each
// one ends. A post that cannot be read is tried again after a pause.
func (e *Engine) publishClaimsAndReleasePermits(ctx context.Context, ws core.WorkspaceID, claims []store.Claim,
	permits <-chan struct{},
) {
	var publishing sync.WaitGroup
	defer publishing.Wait()
	read, err := e.loadClaimsAndCountTakeovers(ctx, ws, claims)
	if err != nil && len(claims) > 1 { // an unreadable post must not stop the others
		for i := range claims {
			publishing.Go(func() { e.publishClaimsAndReleasePermits(ctx, ws, claims[i:i+1], permits) })
		}
		return
	}
	if err != nil && ctx.Err() == nil { // a stopping worker releases the post
		if err := e.postponeUnreadPost(ctx, ws, claims[0], err); err != nil {
			e.cfg.Log.ErrorContext(ctx, "could not postpone a post", "workspace", ws, "post", claims[0].Post, "error", err)
		}
	}
	for range len(claims) - len(read) {
		<-permits
	}
	for _, c := range read {
		publishing.Go(func() {
			defer func() { <-permits }()
			if err := c.publishAndRecover(ctx); err != nil {
				e.cfg.Log.ErrorContext(ctx, "publishing failed", "workspace", ws, "post", c.post.ID, "error", err)
			}
		})
	}
}

// postponeUnreadPost ends the claim of a post that could not be read. cause is the error.
func (e *Engine) postponeUnreadPost(ctx context.Context, ws core.WorkspaceID, claimed store.Claim, cause error) error {
	return e.newClaimAndCountTakeover(ws, claimed.Publication).logAndPostponeStuckPost(ctx, cause)
}

// publishAndRecover publishes the post and turns a panic into an error, because a panic would stop the publishing of
// other posts.
func (c *claim) publishAndRecover(ctx context.Context) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return c.publishUntilClaimEnds(ctx)
}
