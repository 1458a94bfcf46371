package app

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/queue"
	"belfry/internal/store"
)

// Waits of the protocol that the network does not set itself.
const (
	holdFor   = 5 * time.Minute // a throttle without a date
	reconnect = time.Hour       // an armed post whose account must be reconnected
	lateAsk   = time.Hour       // an unknown outcome, asked about once more
	backoff   = 5 * time.Second // a network that cannot be asked; grows to a minute
	settleGap = 50 * time.Millisecond
)

// end stores how a claim ended: the ledger row, the post, its timeline and what follows.
func (w *work) end(ctx context.Context, t store.Tenant, do core.Do) error {
	now := w.now()
	pub := w.pub
	pub.Rest = do
	pub.NextAt = w.nextAt(do, now)
	pub.Polls = 0
	if do == core.DoPoll || do == core.DoBackoff {
		pub.Polls = w.pub.Polls + 1
	}
	// The post before its publication, as everybody locks them; the fence takes both back.
	if err := w.settle(ctx, t, do, now, pub.NextAt); err != nil {
		return err
	}
	if err := t.SaveRest(ctx, pub, w.last); err != nil {
		return err
	}
	if pub.Polls > 1 || do == core.DoHold {
		if err := t.ThinSteps(ctx, pub.Post); err != nil {
			return err
		}
	}
	switch do {
	case core.DoAccount, core.DoBackoff:
		return w.loseAccount(ctx, t, do)
	case core.DoLive:
		return wentLive(ctx, t, w.post, now)
	}
	return nil
}

// nextAt is when a worker must act again; zero when nobody need.
func (w *work) nextAt(do core.Do, now time.Time) time.Time {
	switch do {
	case core.DoRetry:
		return w.cfg.Schedule.RetryAt(w.pub.Publication, now)
	case core.DoHold:
		return w.heldUntil(now)
	case core.DoPoll:
		return now.Add(core.Backoff(w.desc.FirstPoll, w.pub.Polls))
	case core.DoAwait:
		return w.pub.DueAt
	case core.DoSettle:
		return w.pub.QuietAt.Add(settleGap)
	case core.DoBackoff:
		if w.account.Status != core.AccountOK || w.lostAuth(do) {
			return now.Add(reconnect)
		}
		return now.Add(max(w.held, core.Backoff(backoff, w.pub.Polls)))
	case core.DoUnknown:
		return now.Add(lateAsk)
	}
	return time.Time{}
}

// heldUntil is when a throttle ends by the network's own word. A flow without a handle does not call again before
// what was refused would show.
func (w *work) heldUntil(now time.Time) time.Time {
	until := now.Add(holdFor)
	if w.failure != nil && !w.failure.Until.IsZero() {
		until = w.failure.Until
	}
	if again := w.pub.QuietAt.Add(settleGap); w.pub.Flow == core.FlowOneCall && w.pub.Armed && again.After(until) {
		return again
	}
	return until
}

// lostAuth tells whether the network refuses the account's token. What an earlier claim was told counts
// only where it is what the post fails for: a person may have brought another token since.
func (w *work) lostAuth(do core.Do) bool {
	if w.failure == nil || lost[w.failure.Kind] == "" {
		return false
	}
	return do == core.DoAccount || w.last != nil && w.last.Verdict == core.AuthLost
}

// settle makes the post's own state follow the ledger's. Nobody has changed it since the claim.
func (w *work) settle(ctx context.Context, t store.Tenant, do core.Do, now, next time.Time) error {
	post, event := w.post, core.Event{At: now}
	switch do {
	case core.DoLive:
		return w.live(ctx, t, post, now)
	case core.DoHold:
		event.Kind, event.Message = core.EventQueued, fmt.Sprintf("Held until %s: %s", post.Zone.Label(next), w.words())
		return t.AddEvent(ctx, post.ID, event)
	case core.DoFail, core.DoAccount, core.DoRetry, core.DoUnknown:
	default:
		return nil
	}
	if post.Status != core.PostQueued { // a late question about an unknown outcome brought nothing new
		return nil
	}
	if err := w.move(&post, core.MoveFail); err != nil {
		return err
	}
	post.Error = w.postError(do)
	post.UpdatedAt = now
	if err := t.UpdatePost(ctx, post); err != nil {
		return err
	}
	event.Kind, event.Message = core.EventFailed, post.Error.Message
	return t.AddEvent(ctx, post.ID, event)
}

func (w *work) live(ctx context.Context, t store.Tenant, post core.Post, now time.Time) error {
	move := core.MovePublish
	if post.Status == core.PostFailed {
		move = core.MoveSettle
	}
	if err := w.move(&post, move); err != nil {
		return err
	}
	post.ExternalID, post.Error, post.UpdatedAt = w.status.ExternalID, nil, now
	if err := t.UpdatePost(ctx, post); err != nil {
		return err
	}
	if err := t.AddEvent(ctx, post.ID, core.Event{Kind: core.EventLive, At: now}); err != nil {
		return err
	}
	if post.ExternalID == "" {
		return nil
	}
	return t.Enqueue(ctx, queue.Link{Workspace: post.Workspace, Post: post.ID}, time.Time{})
}

// loseAccount marks an account whose token the network has just refused, if it still has that token. If it has
// another, that came during the claim, and the question waits no longer.
func (w *work) loseAccount(ctx context.Context, t store.Tenant, do core.Do) error {
	refused := w.lostAuth(do)
	if refused && w.account.Status == core.AccountOK {
		if err := t.LoseToken(ctx, w.account.ID, w.sealed, lost[w.failure.Kind], w.failure.Message); err != nil {
			return err
		}
	}
	if refused || w.account.Status != core.AccountOK {
		return t.WakeIfOK(ctx, w.post.ID)
	}
	return nil
}

// Codes of a failed post's error that are ours; the network's own stands in the ledger.
const (
	errorRejected    = "rejected"
	errorUnreachable = "network_unreachable"
	errorUnknown     = string(core.CodeOutcomeUnknown)
)

// words are the network's own on the last call that failed.
func (w *work) words() string {
	if w.failure != nil && w.failure.Message != "" {
		return w.failure.Message
	}
	if w.status.Message != "" {
		return w.status.Message
	}
	return w.desc.Name + " did not answer."
}

// postError is why the post failed, with the network's own words.
func (w *work) postError(do core.Do) *core.PostError {
	e := &core.PostError{Code: errorRejected, Message: w.words()}
	if w.failure != nil {
		e.Hint = w.failure.Hint
	}
	switch {
	case do == core.DoFail && w.lacks != nil:
		e.Code = string(w.lacks.Code)
	case do == core.DoUnknown:
		e.Code = errorUnknown
		e.Hint = fmt.Sprintf("It may be on %s. Open it and look before sending again.", w.account.DisplayName)
	case do == core.DoAccount:
		issue := w.lostAccount().Issue()
		e.Code, e.Hint = string(issue.Code), issue.Hint
		if w.failure == nil || lost[w.failure.Kind] == "" {
			e.Message = issue.Message
		}
	case w.failure != nil && (w.failure.Kind == network.NotSent || w.failure.Kind == network.Unknown || w.failure.Kind == network.Transient):
		e.Code, e.Hint = errorUnreachable, cmp.Or(e.Hint, "The post is not there, and nothing in it is to blame: it may go out as it is.")
	}
	return e
}

// lostAccount is the account as it stands after the failure.
func (w *work) lostAccount() core.Account {
	a := w.account
	if a.Status == core.AccountOK {
		a.Status = core.AccountRevoked
		if w.failure != nil {
			a.Status = cmp.Or(lost[w.failure.Kind], a.Status)
		}
	}
	return a
}

// ended counts and logs what the transaction has stored.
func (w *work) ended(do core.Do) {
	code := ""
	if w.failure != nil {
		code = string(w.failure.Kind)
	}
	platform := string(w.post.Platform)
	w.cfg.Metrics.Outcome(platform, string(do), code)
	switch do {
	case core.DoLive:
		w.cfg.Metrics.Live(platform, w.now().Sub(w.pub.DueAt))
		w.log.Info("post is live", "external_id", w.status.ExternalID)
	case core.DoFail, core.DoAccount, core.DoRetry, core.DoUnknown:
		w.log.Info("post failed", "outcome", do, "kind", code)
	}
}
