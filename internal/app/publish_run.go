package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/store"
)

// run follows the protocol until it asks for something that is not a call.
func (w *work) run(ctx context.Context) error {
	signal := w.facts(core.Signal{Verdict: core.Claimed}, w.now())
	for {
		before := w.pub
		next, do := w.pub.Next(signal)
		w.set(next)
		if !do.Calls() {
			err := w.rest(ctx, do)
			if !errors.Is(err, store.ErrSameID) {
				return err
			}
			w.pub, signal = before, w.disputed(signal)
			continue
		}
		if ctx.Err() != nil && do == core.DoPublish {
			return nil // stopping: no irreversible call is started; the lease is given back
		}
		if err := w.know(ctx, do); err != nil {
			return err
		}
		deadline, err := w.save(ctx, do)
		if err != nil {
			return err
		}
		asked := w.now()
		signal = w.facts(w.call(ctx, do, deadline), asked)
	}
}

// disputed is a signal once more after the ledger has refused the network's id, because another post has it: a
// search took that one for this. What a container says of itself stands, without an id.
func (w *work) disputed(s core.Signal) core.Signal {
	w.log.Warn("the network's post belongs to another of the account's posts", "external_id", w.status.ExternalID)
	w.status.ExternalID = ""
	if w.pub.Flow == core.FlowOneCall {
		s.Verdict = core.Ambiguous
		w.last.Verdict = s.Verdict
	}
	return s
}

// save stores where the publication stands and what will be called, and answers until when the call
// may take. An unclear commit means that the call is not made: the next claim reads the truth.
func (w *work) save(ctx context.Context, do core.Do) (time.Time, error) {
	started := w.cfg.Now() // with the monotonic clock's reading, by which the lease is measured
	w.seq++
	first := w.pub.FirstCallAt.IsZero()
	call := store.Call{Seq: w.seq, Do: do, Deadline: w.cfg.Schedule.CallTimeout()}
	quiet := w.cfg.Schedule.QuietAfterArm(w.desc.Settle)
	// The state is saved even while the worker is asked to stop: the call before it has happened.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), w.cfg.Schedule.CallTimeout())
	defer cancel()
	if err := w.t.SaveStep(ctx, w.pub, w.last, call, w.cfg.Schedule.Lease, quiet); err != nil {
		return time.Time{}, err
	}
	w.last = nil
	now := w.now()
	if first {
		w.pub.FirstCallAt = now
		w.cfg.Metrics.FirstCall(string(w.post.Platform), now.Sub(w.pub.DueAt))
	}
	if do == core.DoPublish {
		w.pub.QuietAt = now.Add(quiet)
		if w.pub.ArmedAt.IsZero() {
			w.pub.ArmedAt = now
			w.item.ArmedAt = now
		}
	}
	// The lease began no earlier than started, so a call that ends by then ends within it.
	return started.Add(min(w.cfg.Schedule.CallTimeout(), w.cfg.Schedule.Lease-w.cfg.Schedule.Spare())), nil
}

// clocksApart is how far the network's clock, which bounds a search, may be behind ours.
const clocksApart = 5 * time.Minute

// know looks up, ahead of a question, which posts of the account a search must not take for this one.
func (w *work) know(ctx context.Context, do core.Do) (err error) {
	if w.pub.ArmedAt.IsZero() || do != core.DoFind && do != core.DoStatus {
		return nil
	}
	since := w.pub.ArmedAt.Add(-clocksApart)
	w.item.Known, err = w.t.PublishedAs(context.WithoutCancel(ctx), w.account.ID, w.post.ID, since)
	return err
}

// call makes one call to the network and tells the protocol what it came to.
func (w *work) call(ctx context.Context, do core.Do, deadline time.Time) core.Signal {
	// A call that has begun is finished, even while the worker is asked to stop.
	ctx, cancel := network.WithDeadline(context.WithoutCancel(ctx), w.cfg.Now(), deadline)
	defer cancel()
	asked := w.cfg.Now()
	status, err := w.ask(ctx, do)
	w.cfg.Metrics.Step(string(w.post.Platform), string(do), w.cfg.Now().Sub(asked))
	signal := core.Signal{Call: do, Verdict: status.Verdict}
	w.last = &store.Outcome{Seq: w.seq, Verdict: status.Verdict, Code: status.Code}
	w.held = 0
	if err == nil {
		if signal.Handle = status.Handle; do == core.DoCreate {
			signal.Handle = status.ExternalID
		}
		w.status = status
		w.log.Debug("network answered", "call", do, "verdict", status.Verdict)
		return signal
	}
	var e *network.Error
	if !errors.As(err, &e) {
		e = &network.Error{Kind: network.Unknown, Message: err.Error()}
	}
	signal.Verdict = e.Verdict()
	w.last.Verdict, w.last.HTTPStatus, w.last.Code = signal.Verdict, e.Status, e.Code
	w.last.Trace, w.last.Response = e.Trace, e.Raw
	w.held = e.RetryAfter
	if do == core.DoCreate && signal.Verdict == core.Lost {
		w.cfg.Metrics.Orphan(string(w.post.Platform))
	}
	w.note(do, e)
	w.log.Info("network refused or did not answer", "call", do, "kind", e.Kind, "code", e.Code, "status", e.Status)
	return signal
}

func (w *work) ask(ctx context.Context, do core.Do) (network.Status, error) {
	if err := w.gone(ctx, do); err != nil {
		return network.Status{}, err
	}
	switch do {
	case core.DoCreate:
		handle, err := w.net.Create(ctx, w.item)
		return network.Status{Verdict: core.Done, ExternalID: handle}, err
	case core.DoPublish:
		id, err := w.net.Publish(ctx, w.item, w.pub.Handle)
		if id == "" {
			return network.Status{Verdict: core.Pending}, err
		}
		return network.Status{Verdict: core.Done, ExternalID: id}, err
	case core.DoFind:
		return w.net.Find(ctx, w.item)
	}
	if w.pub.Handle == lostHandle {
		return w.askLost(), nil
	}
	return w.net.Status(ctx, w.item, w.pub.Handle)
}

// askLost answers for a network that cannot be asked. What was never armed is invisible and replaced; of the
// rest only a person can tell.
func (w *work) askLost() network.Status {
	if w.pub.Armed {
		return network.Status{Verdict: core.Ambiguous}
	}
	return network.Status{Verdict: core.Dead}
}

// note remembers what the network said. The answer to the irreversible call outlives the questions
// that follow it, in this claim and in later ones.
func (w *work) note(do core.Do, e *network.Error) {
	asking := w.pub.Step == core.StepArmed && do != core.DoPublish
	if asking && w.failure != nil && e.Kind != network.Expired && e.Kind != network.Revoked {
		return
	}
	w.failure = &failure{Code: e.Code, Message: e.Message, Hint: e.Hint, Kind: e.Kind}
	if e.RetryAfter > 0 {
		w.failure.Until = w.now().Add(e.RetryAfter)
	}
	encoded, err := json.Marshal(w.failure)
	if err != nil {
		encoded = nil
	}
	w.pub.Failure = encoded
}

// facts completes a signal with what is true at this moment, and was when the question was asked.
func (w *work) facts(s core.Signal, asked time.Time) core.Signal {
	now := w.now()
	s.Due = !now.Before(w.pub.DueAt)
	s.Quiet = !asked.Before(w.pub.QuietAt)
	s.Stale = now.After(core.StaleAt(w.pub.Publication, w.pub.Since()))
	s.AccountOK = w.account.Status == core.AccountOK
	s.MayRetry = w.cfg.Schedule.MayRetry(w.pub.Publication)
	return s
}

// rest ends the claim: it stores what became of the post and gives the lease back. Whatever else goes wrong
// than that another holds the post by now is tried again until the lease ends, since what the network said
// must not be lost.
func (w *work) rest(ctx context.Context, do core.Do) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), w.cfg.Schedule.Lease)
	defer cancel()
	for {
		err := w.t.Tx(ctx, func(t store.Tenant) error { return w.end(ctx, t, do) })
		switch {
		case err == nil:
			w.ended(do)
			return nil
		case errors.Is(err, store.ErrFenced), errors.Is(err, store.ErrSameID), core.CodeOf(err) != core.CodeInternal, ctx.Err() != nil:
			return fmt.Errorf("store %s of post %s: %w", do, w.post.ID, err)
		}
		w.log.Warn("outcome not stored; trying again", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(w.cfg.Schedule.Lease / 60):
		}
	}
}
