package networktest

import (
	"errors"
	"slices"
	"strings"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
)

const (
	callTimeout = 30 * time.Second
	limitClaims = 50
)

// Worker publishes one item with the publishing protocol, as the service's worker does. It does not wait, but moves the
// clock.
type Worker struct {
	w      *World
	it     network.Item
	pub    core.Publication
	quiet  time.Time
	held   time.Time     // until when the network has asked to wait
	waited []core.Action // how each claim ended
	wait   time.Duration
	ID     string // of the post
	calls  []core.Action
	URL    string // of the post, if a call returned it
	gate   string // of the handle
	early  bool   // the post's time has not come
	crash  bool   // the worker dies during the call that World.LoseRequest names
	// mayLackID is true if the response with the post's id may be lost, and a search cannot find the id.
	mayLackID bool
	failed    error  // of the last call that failed
	said      string // the last message in a status
}

// NewWorker returns a worker for an item that was never armed.
func (w *World) NewWorker(it network.Item) *Worker {
	it.ArmedAt = time.Time{}
	flow := w.Net.DeliveryFor(it.DraftWithoutAccount()).Flow
	return &Worker{w: w, it: it, pub: core.Publication{Flow: flow, Step: core.StepIdle}}
}

// Run claims the publication repeatedly until it has ended, and returns the last action.
func (k *Worker) Run() core.Action {
	k.w.t.Helper()
	for range limitClaims {
		do := k.runClaim()
		k.waited = append(k.waited, do)
		if slices.Contains([]core.Action{core.DoLive, core.DoFail, core.DoAccount, core.DoOutcomeUnknown}, do) {
			return do
		}
		k.w.refuseGateWaitsAndWaitIdle()
		if do == core.DoSettle {
			k.w.Advance(k.quiet.Sub(k.w.Now()))
			continue
		}
		k.w.Advance(max(k.wait, time.Minute))
	}
	k.w.t.Fatalf("publishing did not end: %v after %v", k.waited, k.calls)
	return core.DoStop
}

func (k *Worker) runClaim() core.Action {
	signal := k.addCircumstances(core.Signal{Verdict: core.Claimed})
	for {
		var do core.Action
		if k.pub, do = k.pub.Next(signal); !k.pub.Armed {
			k.it.ArmedAt, k.it.RearmedAt = time.Time{}, time.Time{}
		}
		if !do.IsCall() {
			return do
		}
		k.calls = append(k.calls, do)
		signal = k.addCircumstances(k.makeCall(do))
		if k.crash && k.w.hasLostRequest() {
			k.crash = false
			return core.DoStop
		}
	}
}

func (k *Worker) addCircumstances(s core.Signal) core.Signal {
	s.Due, s.AccountOK, s.MayRetry = !k.early, true, k.pub.Tries < 3
	s.Quiet, s.Held = !k.w.Now().Before(k.quiet), k.w.Now().Before(k.held)
	s.ErrorsMayPublish = k.w.Net.Describe().ErrorsMayPublish
	return s
}

// gateFilesIfNeeded gives the files of a gated delivery new addresses with a gate, which opens when the next handle is
// armed.
func (k *Worker) gateFilesIfNeeded() {
	if !k.w.Net.DeliveryFor(k.it.DraftWithoutAccount()).Gated {
		return
	}
	k.gate = k.w.shelf.addGate()
	for i, f := range k.it.Files {
		address, _, _ := strings.Cut(f.URL, "?")
		k.it.Files[i].URL = address + "?gate=" + k.gate
	}
}

func (k *Worker) makeCall(do core.Action) core.Signal {
	ctx, n := k.w.t.Context(), k.w.Net
	k.w.setStep(do)
	repeated := do == core.DoPublish && !k.quiet.IsZero()
	var st network.Status
	var err error
	switch do {
	case core.DoCreate:
		k.gateFilesIfNeeded()
		st.Verdict = core.Done
		st.ExternalID, err = n.CreateHandle(ctx, k.it)
	case core.DoPublish:
		k.w.shelf.openGateOrEndWaits(k.gate)
		if k.it.ArmedAt.IsZero() {
			k.it.ArmedAt = k.w.Now()
		}
		k.it.RearmedAt = k.w.Now()
		k.quiet = k.w.Now().Add(callTimeout + n.Describe().Settle)
		st, err = n.Publish(ctx, k.it, k.pub.Handle)
	case core.DoFind:
		it := k.it
		it.Handle = k.pub.Handle
		st, err = n.FindPost(ctx, it)
	default:
		st, err = n.AdvanceStatus(ctx, k.it, k.pub.Handle)
	}
	if st.Message != "" {
		k.said = st.Message
	}
	s := core.Signal{Call: do, Verdict: st.Verdict, Handle: st.Handle}
	if err != nil {
		k.failed = err
	}
	var e *network.Error
	switch {
	case errors.As(err, &e):
		s.Verdict, k.wait = e.Verdict(repeated), e.RetryAfter
		if s.Verdict == core.Throttled {
			k.held = k.w.Now().Add(e.RetryAfter)
		}
	case err != nil:
		k.w.t.Fatalf("%s: %v", do, err)
	case do == core.DoCreate:
		s.Handle = st.ExternalID
	case st.Verdict == core.Done:
		k.URL = st.URL
	}
	if err == nil && do != core.DoCreate && st.ExternalID != "" {
		k.ID, k.it.ExternalID = st.ExternalID, st.ExternalID
	}
	return s
}
