package publish

import (
	"context"
	"time"
)

// lookForWorkUntilStopped looks for work until ctx ends: at every poll, when the next post is due or can be prepared,
// when store.Store.Due signals a new post, and when a workload asks for it with again.
func (e *Engine) lookForWorkUntilStopped(ctx context.Context, poll time.Duration, due, preparing workload,
	again <-chan struct{},
) {
	polls := time.NewTicker(poll)
	defer polls.Stop()
	for isPoll := true; ctx.Err() == nil; {
		next, err := e.findAndSignalWork(ctx, poll, isPoll, due, preparing)
		if err != nil {
			if ctx.Err() == nil {
				e.cfg.Log.ErrorContext(ctx, "could not look for posts", "error", err)
			}
			sleepUnlessDone(ctx, errorWait)
			continue
		}
		timer := time.NewTimer(next)
		if next >= poll { // a second timer would wake the process twice
			timer.Stop()
		}
		isPoll = false
		select {
		case <-ctx.Done():
		case <-polls.C:
			isPoll = true
		case <-timer.C:
		case <-e.cfg.Store.Due:
		case <-again:
		}
		timer.Stop()
	}
}

// lookTimeout is how long a look may take: a connection can stay silent without an error.
const lookTimeout = 5 * time.Second

// findAndSignalWork looks once for all kinds of work, in one statement, because a worker is at rest most of the time.
// It signals the work to the workloads, and returns the time until there will be more, at most poll. At a poll, it also
// ends the turns of dead workers, so that the posts that wait for them continue.
func (e *Engine) findAndSignalWork(ctx context.Context, poll time.Duration, isPoll bool, due, preparing workload,
) (untilNextLook time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	ledger := e.cfg.Store
	work, err := ledger.TimeUntilWork(ctx, poll, isPoll)
	if err != nil {
		return 0, err
	}
	if work.TurnEnded {
		work.Due, err = 0, ledger.WakeNextPostsAwaitingTurn(ctx)
	}
	return min(due.signalIfFound(work.Due, poll), preparing.signalIfFound(work.Preparing, poll)), err
}

// signalIfFound signals that there are posts to claim if the time until then is zero or less. It returns the time until
// the next look: a workload that has claimed posts asks for one itself.
func (l workload) signalIfFound(until, poll time.Duration) (untilNextLook time.Duration) {
	if until > 0 {
		return until
	}
	sendSignalUnlessPending(l.found)
	return poll
}

// sendSignalUnlessPending sends a signal to a channel with a capacity of one, unless a signal is already waiting.
func sendSignalUnlessPending(to chan<- struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// sleepUnlessDone waits for d, or until ctx ends.
func sleepUnlessDone(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
