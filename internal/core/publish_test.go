package core_test

import (
	"fmt"
	"testing"

	"belfry/internal/core"
)

// Whatever a ledger says and whatever is answered, some things are never asked for.
func TestNextKeepsItsShape(t *testing.T) {
	t.Parallel()
	count := 0
	everyDecision(func(p core.Publication, s core.Signal) {
		count++
		next, do := p.Next(s)
		complain := func(why string) { t.Errorf("%s: %+v on %+v gives %s of %+v", why, p, s, do, next) }
		if do == core.DoPublish && (next.Step != core.StepArmed || !next.Armed || !next.Open) {
			complain("the irreversible call without its record")
		}
		if do == core.DoPublish && s.Verdict != core.Ready && s.Verdict != core.Absent {
			complain("the irreversible call without the network's word that it may be made")
		}
		if do == core.DoPublish && p.Open && p.Answer != core.AnswerNone {
			complain("a call that the network has failed to carry out is repeated, but uses up no retry")
		}
		if s.Verdict == core.Claimed && p.Armed && !p.Flow.CanRepeatCall() && do.IsCall() && do != core.DoFind {
			complain("a call that may take effect late is followed by another, without a search")
		}
		if do == core.DoCreate &&
			(!next.Flow.MakesHandle() || next.Step != core.StepCreating || next.Handle != "" || next.Armed &&
				next.Flow.CanRepeatCall()) {
			complain("a second handle, or one where there is none")
		}
		if do == core.DoFind && next.Flow.CanRepeatCall() && (next.Handle != "" || next.Step == core.StepArmed) {
			complain("a search where a handle can be asked")
		}
		if p.Armed && p.Step == core.StepIdle && !next.Armed && s.Verdict != core.Absent && p.Answer != core.AnswerDenied {
			complain("a call that may have published the post is forgotten")
		}
		if do == core.DoStatus && !next.Flow.CanRepeatCall() && next.Step != core.StepWaiting {
			complain("a status that cannot tell what became of the call")
		}
		if p.Armed && p.Flow == core.FlowHandle && next.Handle != p.Handle && next.Handle != "" {
			complain("another handle after the arm")
		}
		if next.Open && next.Step != core.StepArmed {
			complain("a call on the wire that nobody asks about")
		}
		if (do == core.DoLive) != (next.Step == core.StepLive && s.Verdict == core.Done) && do != core.DoStop {
			complain("live without the network's word, or the other way round")
		}
		failed := do == core.DoFail || do == core.DoAccount && !next.MayHavePublished()
		if (next.Step == core.StepRejected) != failed && do != core.DoStop {
			complain("rejected without a failure, or the other way round")
		}
		if !s.Due && (next.Tries > p.Tries || do == core.DoRetry || do == core.DoAccount && !p.Armed) {
			complain("a try or the account is given up before the post's time")
		}
		if !s.Due && do == core.DoPublish && p.Step != core.StepArmed {
			complain("the irreversible call before the post's time")
		}
		if next.Flow != p.Flow {
			complain("another flow")
		}
		if next.Tries-p.Tries < 0 || next.Tries-p.Tries > 1 || (next.Tries > p.Tries) != (do == core.DoRetry) {
			complain("tries miscounted")
		}
	})
	if count < 10_000 {
		t.Errorf("only %d decisions were tried", count)
	}
}

// everyDecision visits every ledger row that can be, with every signal it can get.
func everyDecision(visit func(core.Publication, core.Signal)) {
	for _, p := range everyPublication() {
		for bits := range 1 << 8 {
			s := core.Signal{
				Due: bits&1 != 0, Quiet: bits&2 != 0, Stale: bits&4 != 0, AccountOK: bits&8 != 0, MayRetry: bits&16 != 0,
				Held: bits&32 != 0, ErrorsMayPublish: bits&64 != 0, Aged: bits&128 != 0,
			}
			visit(p, s)
			for _, s.Call = range callsOf(p) {
				for _, s.Verdict = range verdicts[1:] {
					if s.Handle = ""; s.Call == core.DoCreate && s.Verdict == core.Done || s.Call == core.DoStatus &&
						p.Flow.MakesHandle() {
						s.Handle = "h2"
					}
					visit(p, s)
				}
			}
		}
	}
}

func everyPublication() []core.Publication {
	var all []core.Publication
	for _, step := range steps {
		for _, answer := range answers {
			for bits := range 1 << 2 {
				p := core.Publication{Flow: core.FlowOneCall, Step: step, Armed: bits&1 != 0, Open: bits&2 != 0, Answer: answer}
				if step == core.StepArmed && !p.Armed || p.Open && step != core.StepArmed {
					continue
				}
				all = append(all, p)
				p.Flow = core.FlowPrepared
				all = append(all, p)
				if p.Handle = "h1"; step != core.StepCreating {
					all = append(all, p)
				}
				p.Flow, p.Handle = core.FlowHandle, ""
				if step == core.StepWaiting || step == core.StepArmed || step == core.StepLive {
					p.Handle = "h1"
				}
				if (step == core.StepCreating || step == core.StepWaiting) && p.Armed {
					continue
				}
				all = append(all, p)
			}
		}
	}
	return all
}

// callsOf lists the calls that a worker with this row can have made.
func callsOf(p core.Publication) []core.Action {
	ask := core.DoFind
	if p.Flow.CanRepeatCall() {
		ask = core.DoStatus
	}
	var searches []core.Action
	if p.Armed && !p.Flow.CanRepeatCall() {
		searches = []core.Action{core.DoFind}
	}
	switch p.Step {
	case core.StepIdle:
		return []core.Action{core.DoFind}
	case core.StepCreating:
		if p.Flow.MakesHandle() {
			return append(searches, core.DoCreate)
		}
	case core.StepWaiting:
		return append(searches, core.DoStatus)
	case core.StepArmed:
		return []core.Action{core.DoPublish, ask}
	case core.StepOutcomeUnknown:
		if p.Handle == "" {
			ask = core.DoFind
		}
		return []core.Action{ask}
	}
	return nil
}

func TestRequeueForgetsNoHandle(t *testing.T) {
	t.Parallel()
	for _, p := range everyPublication() {
		again := p.Requeue(false)
		if again.Armed != p.Armed || again.Handle != p.Handle || again.Flow != p.Flow {
			t.Errorf("a retry of %+v forgets what may be at the network: %+v", p, again)
		}
		if again.Step == core.StepRejected || again.Step == core.StepOutcomeUnknown {
			t.Errorf("a retry of %+v leaves it where no worker goes on: %+v", p, again)
		}
		answer := core.AnswerNone
		switch {
		case p.IsCallUnresolved():
			answer = core.AnswerUnasked
		case p.Answer == core.AnswerAbsent, p.Answer == core.AnswerDenied:
			answer = p.Answer
		}
		if again.Tries != 0 || again.Deaths != 0 || again.Answer != answer {
			t.Errorf("a retry of %+v does not start afresh: %+v", p, again)
		}
		if p.IsCallUnresolved() && !again.MayHavePublished() {
			t.Errorf("a retry of %+v forgets that it may be live: %+v", p, again)
		}
		if denied := p.Requeue(true); denied.Answer != core.AnswerDenied || denied.MayHavePublished() {
			t.Errorf("a retry of %+v, which a person says is not there, is %+v", p, denied)
		}
	}
}

func TestAReconnectionForgetsOnlyTheRefusalOfTheToken(t *testing.T) {
	t.Parallel()
	for _, p := range everyPublication() {
		want := p
		if p.Answer == core.AnswerAuth {
			want.Answer = core.AnswerUnasked
		}
		if got := p.ForgetTokenRefusal(); got != want || got.MayHavePublished() != p.MayHavePublished() {
			t.Errorf("after a reconnection, %+v is %+v", p, got)
		}
	}
}

func TestResetKeepsOnlyThatACallWasMade(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ from, want core.Publication }{
		{
			core.Publication{Flow: core.FlowHandle, Step: core.StepWaiting, Handle: "h1", Tries: 2, Deaths: 1},
			core.Publication{Flow: core.FlowHandle, Step: core.StepIdle},
		},
		{
			core.Publication{Flow: core.FlowOneCall, Step: core.StepIdle, Armed: true, Answer: core.AnswerThrottled, Tries: 1},
			core.Publication{Flow: core.FlowOneCall, Step: core.StepIdle, Armed: true},
		},
		{
			core.Publication{Flow: core.FlowOneCall, Step: core.StepIdle, Armed: true, Answer: core.AnswerAbsent},
			core.Publication{Flow: core.FlowOneCall, Step: core.StepIdle, Armed: true, Answer: core.AnswerAbsent},
		},
		{
			core.Publication{Flow: core.FlowPrepared, Step: core.StepWaiting, Handle: "h1", Armed: true, Tries: 1},
			core.Publication{Flow: core.FlowPrepared, Step: core.StepIdle, Armed: true},
		},
		{
			core.Publication{Flow: core.FlowOneCall, Step: core.StepWaiting},
			core.Publication{Flow: core.FlowOneCall, Step: core.StepIdle},
		},
	} {
		if got := c.from.Unqueue(); got != c.want {
			t.Errorf("Reset of %+v is %+v, not %+v", c.from, got, c.want)
		}
	}
}

// A new version of Belfry may choose another flow for a draft that may be live.
func TestADraftThatMayBeLiveIsSearchedForInEveryFlow(t *testing.T) {
	t.Parallel()
	for _, from := range []core.Flow{core.FlowOneCall, core.FlowPrepared} {
		for _, to := range []core.Flow{core.FlowOneCall, core.FlowPrepared, core.FlowHandle} {
			p := core.Publication{Flow: from, Step: core.StepArmed, Armed: true, Answer: core.AnswerThrottled}
			if from.MakesHandle() {
				p.Handle = "h1"
			}
			p = p.Unqueue().WithFlowUnlessStarted(to).Unqueue()
			claimed := core.Signal{Due: true, AccountOK: true, MayRetry: true}
			if _, do := p.Next(claimed); p.Flow != to || do != core.DoSettle {
				t.Errorf("from %s to %s: before the settle time, %s of %+v", from, to, do, p)
			}
			claimed.Quiet = true
			found := claimed
			found.Call = core.DoFind
			p, do := p.Next(claimed)
			for verdict, want := range map[core.Verdict]core.Action{
				core.Done: core.DoLive, core.Ambiguous: core.DoOutcomeUnknown, core.Lost: core.DoRetry,
			} {
				found.Verdict = verdict
				next, then := p.Next(found)
				_, again := next.Next(claimed)
				if do != core.DoFind || then != want || then != core.DoLive && again != core.DoFind {
					t.Errorf("from %s to %s: %s after a search that was %s, then %s", from, to, then, verdict, again)
				}
			}
			found.Verdict = core.Absent
			if next, then := p.Next(found); then == core.DoPublish || next.Armed && to.CanRepeatCall() {
				t.Errorf("from %s to %s: %s of %+v after the post was not found", from, to, then, next)
			}
		}
	}
}

func TestMovableUntilArmed(t *testing.T) {
	t.Parallel()
	want := map[core.Step]bool{core.StepIdle: true, core.StepCreating: true, core.StepWaiting: true}
	for _, step := range steps {
		if got := (core.Publication{Step: step}).AllowsPostChanges(); got != want[step] {
			t.Errorf("a post in step %s: movable %v", step, got)
		}
	}
}

func TestCallsAreTheFourCalls(t *testing.T) {
	t.Parallel()
	want := "create status publish find "
	got := ""
	for _, do := range dos {
		if do.IsCall() {
			got += fmt.Sprint(do, " ")
		}
	}
	if got != want {
		t.Errorf("calls to the network: %s; want %s", got, want)
	}
}
