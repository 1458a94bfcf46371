package core_test

import (
	"testing"

	"belfry/internal/core"
)

// Decisions that no promise of the exploration forces, and that a person would miss.
func TestDecisions(t *testing.T) {
	t.Parallel()
	type p = core.Publication
	waiting := p{Flow: core.FlowHandle, Step: core.StepWaiting, Handle: "h1"}
	armed := p{Flow: core.FlowHandle, Step: core.StepArmed, Handle: "h1", Armed: true, Open: true}
	call := p{Flow: core.FlowOneCall, Step: core.StepArmed, Armed: true, Open: true}
	lost, repeated := armed, call
	lost.Answer = core.AnswerLost
	repeated.Open, repeated.Answer = false, core.AnswerTaken
	for name, c := range map[string]struct {
		from p
		on   core.Signal
		to   p
		do   core.Action
	}{
		"a handle that expired before its time is replaced": {
			waiting,
			core.Signal{Call: core.DoStatus, Verdict: core.Dead},
			p{Flow: core.FlowHandle, Step: core.StepCreating, Deaths: 1},
			core.DoCreate,
		},
		"so is one that is processed for ever": {
			waiting,
			core.Signal{Call: core.DoStatus, Verdict: core.Pending, Stale: true},
			p{Flow: core.FlowHandle, Step: core.StepCreating, Deaths: 1},
			core.DoCreate,
		},
		"but not for ever": {
			p{Flow: core.FlowHandle, Step: core.StepWaiting, Handle: "h3", Deaths: 2},
			core.Signal{Call: core.DoStatus, Verdict: core.Dead, Due: true},
			p{Flow: core.FlowHandle, Step: core.StepRejected, Deaths: 3},
			core.DoFail,
		},
		"before its time, the post waits for it": {
			p{Flow: core.FlowHandle, Step: core.StepWaiting, Handle: "h3", Deaths: 2},
			core.Signal{Call: core.DoStatus, Verdict: core.Dead},
			p{Flow: core.FlowHandle, Step: core.StepIdle, Deaths: 2},
			core.DoAwait,
		},
		"a call that was never sent may be cancelled while it waits for its retry": {
			call,
			core.Signal{Call: core.DoPublish, Verdict: core.NotSent, MayRetry: true, Due: true},
			p{Flow: core.FlowOneCall, Step: core.StepIdle, Armed: true, Answer: core.AnswerAbsent, Tries: 1},
			core.DoRetry,
		},
		"a handle that could not be asked about keeps": {
			waiting,
			core.Signal{Call: core.DoStatus, Verdict: core.Lost, MayRetry: true, Due: true},
			p{Flow: core.FlowHandle, Step: core.StepWaiting, Handle: "h1", Tries: 1},
			core.DoRetry,
		},
		"a throttle is waited for and costs no try": {
			waiting, core.Signal{Call: core.DoStatus, Verdict: core.Throttled, MayRetry: true}, waiting, core.DoHold,
		},
		"a throttled handle that is not published after the settle time is not armed any more": {
			p{Flow: core.FlowHandle, Step: core.StepArmed, Handle: "h1", Armed: true, Answer: core.AnswerThrottled},
			core.Signal{Call: core.DoStatus, Verdict: core.Ready, Quiet: true, Held: true},
			waiting,
			core.DoHold,
		},
		"before that it stays armed": {
			p{Flow: core.FlowHandle, Step: core.StepArmed, Handle: "h1", Armed: true, Answer: core.AnswerThrottled},
			core.Signal{Call: core.DoStatus, Verdict: core.Ready, Held: true},
			p{Flow: core.FlowHandle, Step: core.StepArmed, Handle: "h1", Armed: true, Answer: core.AnswerAbsent},
			core.DoHold,
		},
		"while it is held it is not called again": {
			p{Flow: core.FlowHandle, Step: core.StepArmed, Handle: "h1", Armed: true},
			core.Signal{Call: core.DoStatus, Verdict: core.Ready, Quiet: true, Held: true, Due: true},
			waiting,
			core.DoHold,
		},
		"a post of an account that is held is not called for": {
			waiting, core.Signal{AccountOK: true, Held: true, Due: true}, waiting, core.DoHold,
		},
		"a handle that broke is replaced by the next try": {
			waiting,
			core.Signal{Call: core.DoStatus, Verdict: core.Broken, MayRetry: true, Due: true},
			p{Flow: core.FlowHandle, Step: core.StepIdle, Tries: 1},
			core.DoRetry,
		},
		"and after the last the post fails": {
			waiting,
			core.Signal{Call: core.DoStatus, Verdict: core.Broken, Due: true},
			p{Flow: core.FlowHandle, Step: core.StepRejected},
			core.DoFail,
		},
		"an armed handle that broke is replaced as well": {
			armed,
			core.Signal{Call: core.DoStatus, Verdict: core.Broken, MayRetry: true, Due: true},
			p{Flow: core.FlowHandle, Step: core.StepIdle, Tries: 1},
			core.DoRetry,
		},
		"a refusal is asked about once more where the network may publish all the same": {
			p{Flow: core.FlowOneCall, Step: core.StepArmed, Armed: true, Answer: core.AnswerRefused},
			core.Signal{Call: core.DoFind, Verdict: core.Absent, ErrorsMayPublish: true},
			p{Flow: core.FlowOneCall, Step: core.StepArmed, Armed: true, Answer: core.AnswerRefused},
			core.DoSettle,
		},
		"and is believed after the settle time": {
			p{Flow: core.FlowOneCall, Step: core.StepArmed, Armed: true, Answer: core.AnswerRefused},
			core.Signal{Call: core.DoFind, Verdict: core.Absent, ErrorsMayPublish: true, Quiet: true},
			p{Flow: core.FlowOneCall, Step: core.StepRejected, Armed: true, Answer: core.AnswerAbsent},
			core.DoFail,
		},
		"so is a throttle": {
			p{Flow: core.FlowOneCall, Step: core.StepArmed, Armed: true, Answer: core.AnswerThrottled},
			core.Signal{Call: core.DoFind, Verdict: core.Absent, ErrorsMayPublish: true, Held: true},
			p{Flow: core.FlowOneCall, Step: core.StepArmed, Armed: true, Answer: core.AnswerThrottled},
			core.DoSettle,
		},
		"after the settle time it had no effect, and the post may be cancelled": {
			p{Flow: core.FlowOneCall, Step: core.StepArmed, Armed: true, Answer: core.AnswerThrottled},
			core.Signal{Call: core.DoFind, Verdict: core.Absent, ErrorsMayPublish: true, Held: true, Quiet: true},
			p{Flow: core.FlowOneCall, Step: core.StepIdle, Armed: true, Answer: core.AnswerAbsent},
			core.DoHold,
		},
		"a search that is never answered proves nothing": {
			p{Flow: core.FlowOneCall, Step: core.StepIdle, Armed: true},
			core.Signal{Call: core.DoFind, Verdict: core.Lost, Due: true, Quiet: true},
			p{Flow: core.FlowOneCall, Step: core.StepOutcomeUnknown, Armed: true},
			core.DoOutcomeUnknown,
		},
		"nor does one that is refused for the account, after an answer that was": {
			p{Flow: core.FlowHandle, Step: core.StepArmed, Handle: "h1", Armed: true, Answer: core.AnswerAuth},
			core.Signal{Call: core.DoStatus, Verdict: core.AuthLost, Due: true},
			p{Flow: core.FlowHandle, Step: core.StepArmed, Handle: "h1", Armed: true, Answer: core.AnswerAuth},
			core.DoAccount,
		},
		"a person's word counts where a handle tells nothing": {
			p{Flow: core.FlowHandle, Step: core.StepArmed, Handle: "h1", Armed: true, Answer: core.AnswerDenied},
			core.Signal{Call: core.DoStatus, Verdict: core.Ambiguous, Due: true, Quiet: true},
			p{Flow: core.FlowHandle, Step: core.StepCreating},
			core.DoCreate,
		},
		"but not before the settle time is over": {
			p{Flow: core.FlowHandle, Step: core.StepArmed, Handle: "h1", Armed: true, Answer: core.AnswerDenied},
			core.Signal{Call: core.DoStatus, Verdict: core.Refused, Due: true},
			p{Flow: core.FlowHandle, Step: core.StepArmed, Handle: "h1", Armed: true, Answer: core.AnswerDenied},
			core.DoSettle,
		},
		"it counts where a search finds several posts": {
			p{Flow: core.FlowOneCall, Step: core.StepIdle, Armed: true, Answer: core.AnswerDenied},
			core.Signal{Call: core.DoFind, Verdict: core.Ambiguous, Due: true, Quiet: true},
			p{Flow: core.FlowOneCall, Step: core.StepWaiting, Armed: true, Answer: core.AnswerDenied},
			core.DoStatus,
		},
		"a handle that died while it was left alone does not count": {
			p{Flow: core.FlowHandle, Step: core.StepWaiting, Handle: "h3", Deaths: 2},
			core.Signal{Call: core.DoStatus, Verdict: core.Dead, Aged: true, Due: true},
			p{Flow: core.FlowHandle, Step: core.StepCreating, Deaths: 2},
			core.DoCreate,
		},
		"more bytes are sent at once": {
			waiting,
			core.Signal{Call: core.DoStatus, Verdict: core.Progress, Handle: "h1, half of it"},
			p{Flow: core.FlowHandle, Step: core.StepWaiting, Handle: "h1, half of it"},
			core.DoStatus,
		},
		"but not for days": {
			waiting,
			core.Signal{Call: core.DoStatus, Verdict: core.Progress, Stale: true},
			p{Flow: core.FlowHandle, Step: core.StepCreating, Deaths: 1},
			core.DoCreate,
		},
		"bytes that the network lost after the call are sent again": {
			armed, core.Signal{Call: core.DoStatus, Verdict: core.Progress, Due: true}, armed, core.DoStatus,
		},
		"a post that was taken and then refused for good fails, and could be made anew": {
			armed,
			core.Signal{Call: core.DoStatus, Verdict: core.Doomed, Due: true, MayRetry: true},
			p{Flow: core.FlowHandle, Step: core.StepRejected},
			core.DoFail,
		},
		"so does one that was never armed": {
			waiting,
			core.Signal{Call: core.DoStatus, Verdict: core.Doomed, MayRetry: true},
			p{Flow: core.FlowHandle, Step: core.StepRejected},
			core.DoFail,
		},
		"where a handle does not show what became of the call, the network cannot say so": {
			p{Flow: core.FlowPrepared, Step: core.StepArmed, Handle: "h1", Armed: true},
			core.Signal{Call: core.DoFind, Verdict: core.Doomed, Due: true},
			p{Flow: core.FlowPrepared, Step: core.StepArmed, Handle: "h1", Armed: true},
			core.DoBackoff,
		},
		"a call that is lost before the post's time costs no try": {
			waiting, core.Signal{Call: core.DoStatus, Verdict: core.Lost, MayRetry: true}, waiting, core.DoBackoff,
		},
		"nor does one that was not sent, when no tries are left": {
			p{Flow: core.FlowHandle, Step: core.StepCreating},
			core.Signal{Call: core.DoCreate, Verdict: core.NotSent},
			p{Flow: core.FlowHandle, Step: core.StepIdle},
			core.DoBackoff,
		},
		"what the network cannot process before the post's time is prepared again at its time": {
			waiting,
			core.Signal{Call: core.DoStatus, Verdict: core.Broken, MayRetry: true},
			p{Flow: core.FlowHandle, Step: core.StepIdle},
			core.DoAwait,
		},
		"a clear refusal fails the post before its time": {
			p{Flow: core.FlowHandle, Step: core.StepCreating},
			core.Signal{Call: core.DoCreate, Verdict: core.Refused},
			p{Flow: core.FlowHandle, Step: core.StepRejected},
			core.DoFail,
		},
		"an account that is lost before the post's time may be reconnected until then": {
			p{Flow: core.FlowHandle, Step: core.StepIdle}, core.Signal{}, p{Flow: core.FlowHandle, Step: core.StepIdle}, core.DoAwait,
		},
		"also when a call finds that out": {
			waiting, core.Signal{Call: core.DoStatus, Verdict: core.AuthLost, AccountOK: true}, waiting, core.DoAwait,
		},
		"a refusal of the making is final": {
			p{Flow: core.FlowHandle, Step: core.StepCreating},
			core.Signal{Call: core.DoCreate, Verdict: core.Refused, MayRetry: true},
			p{Flow: core.FlowHandle, Step: core.StepRejected},
			core.DoFail,
		},
		"a refusal is asked about at once": {
			armed,
			core.Signal{Call: core.DoPublish, Verdict: core.Refused},
			p{Flow: core.FlowHandle, Step: core.StepArmed, Handle: "h1", Armed: true, Answer: core.AnswerRefused},
			core.DoStatus,
		},
		"a call that was taken is remembered as taken": {
			armed,
			core.Signal{Call: core.DoPublish, Verdict: core.Pending},
			p{Flow: core.FlowHandle, Step: core.StepArmed, Handle: "h1", Armed: true, Open: true, Answer: core.AnswerTaken},
			core.DoStatus,
		},
		"files that were dropped after a refused call are prepared again": {
			p{Flow: core.FlowPrepared, Step: core.StepWaiting, Handle: "h1", Armed: true},
			core.Signal{Call: core.DoStatus, Verdict: core.Dead},
			p{Flow: core.FlowPrepared, Step: core.StepCreating, Armed: true, Deaths: 1},
			core.DoCreate,
		},
		"a post whose prepared call was refused is searched for before the files are used again": {
			p{Flow: core.FlowPrepared, Step: core.StepIdle, Handle: "h1", Armed: true},
			core.Signal{AccountOK: true, Quiet: true},
			p{Flow: core.FlowPrepared, Step: core.StepIdle, Handle: "h1", Armed: true},
			core.DoFind,
		},
		"a lost answer to a handle is asked about at once": {
			armed, core.Signal{Call: core.DoPublish, Verdict: core.Lost}, lost, core.DoStatus,
		},
		"after the settle time, it was a call without effect, and uses up a retry": {
			lost,
			core.Signal{Call: core.DoStatus, Verdict: core.Ready, Due: true, Quiet: true, MayRetry: true, Held: true},
			p{Flow: core.FlowHandle, Step: core.StepArmed, Handle: "h1", Armed: true, Answer: core.AnswerAbsent, Tries: 1},
			core.DoRetry,
		},
		"without another retry, the post fails and keeps its handle": {
			lost,
			core.Signal{Call: core.DoStatus, Verdict: core.Ready, Due: true, Quiet: true},
			p{Flow: core.FlowHandle, Step: core.StepRejected, Handle: "h1", Armed: true, Answer: core.AnswerAbsent},
			core.DoFail,
		},
		"so does one that the network accepted and did not carry out": {
			p{Flow: core.FlowHandle, Step: core.StepArmed, Handle: "h1", Armed: true, Open: true, Answer: core.AnswerTaken},
			core.Signal{Call: core.DoStatus, Verdict: core.Ready, Due: true, Quiet: true},
			p{Flow: core.FlowHandle, Step: core.StepRejected, Handle: "h1", Armed: true, Answer: core.AnswerAbsent},
			core.DoFail,
		},
		"a call that was interrupted with its worker uses up no retry": {
			armed,
			core.Signal{Call: core.DoStatus, Verdict: core.Ready, Due: true, Quiet: true},
			armed,
			core.DoPublish,
		},
		"but is not repeated while the account is held": {
			armed, core.Signal{Call: core.DoStatus, Verdict: core.Ready, Due: true, Quiet: true, Held: true}, waiting, core.DoHold,
		},
		"a post that is refused as a repetition is asked about at once": {
			call, core.Signal{Call: core.DoPublish, Verdict: core.Ambiguous}, repeated, core.DoFind,
		},
		"and once more after the settle time": {
			repeated, core.Signal{Call: core.DoFind, Verdict: core.Absent, ErrorsMayPublish: true}, repeated, core.DoSettle,
		},
		"and if it is not found, an earlier call may have published it": {
			repeated,
			core.Signal{Call: core.DoFind, Verdict: core.Absent, Quiet: true, Due: true, MayRetry: true},
			p{Flow: core.FlowOneCall, Step: core.StepOutcomeUnknown, Armed: true, Answer: core.AnswerTaken},
			core.DoOutcomeUnknown,
		},
		"a second call is preceded by a search in the same claim, before anything is prepared": {
			p{Flow: core.FlowPrepared, Step: core.StepCreating, Armed: true, Answer: core.AnswerAbsent},
			core.Signal{AccountOK: true, Due: true, Quiet: true},
			p{Flow: core.FlowPrepared, Step: core.StepCreating, Armed: true, Answer: core.AnswerAbsent},
			core.DoFind,
		},
		"and after that": {
			p{Flow: core.FlowPrepared, Step: core.StepWaiting, Handle: "h1", Armed: true, Answer: core.AnswerAbsent},
			core.Signal{AccountOK: true, Due: true, Quiet: true, Waited: true},
			p{Flow: core.FlowPrepared, Step: core.StepWaiting, Handle: "h1", Armed: true, Answer: core.AnswerAbsent},
			core.DoFind,
		},
		"which keeps what is prepared": {
			p{Flow: core.FlowPrepared, Step: core.StepWaiting, Handle: "h1", Armed: true, Answer: core.AnswerAbsent},
			core.Signal{Call: core.DoFind, Verdict: core.Absent, Due: true, Quiet: true},
			p{Flow: core.FlowPrepared, Step: core.StepWaiting, Handle: "h1", Armed: true, Answer: core.AnswerAbsent},
			core.DoStatus,
		},
		"a post that was interrupted while it was prepared again can still be found": {
			p{Flow: core.FlowPrepared, Step: core.StepCreating, Armed: true, Answer: core.AnswerAbsent},
			core.Signal{Call: core.DoFind, Verdict: core.Done, Due: true, Quiet: true},
			p{Flow: core.FlowPrepared, Step: core.StepLive, Armed: true, Answer: core.AnswerAbsent},
			core.DoLive,
		},
		"a lost answer to a single call after the settle time": {
			call,
			core.Signal{Call: core.DoPublish, Verdict: core.Lost},
			p{Flow: core.FlowOneCall, Step: core.StepArmed, Armed: true, Open: true, Answer: core.AnswerLost},
			core.DoSettle,
		},
		"a worker that takes over a single call waits before it asks": {
			call,
			core.Signal{AccountOK: true},
			call,
			core.DoSettle,
		},
		"an account lost before anything went out fails the post": {
			waiting, core.Signal{Due: true}, p{Flow: core.FlowHandle, Step: core.StepRejected, Handle: "h1"}, core.DoAccount,
		},
		"an account lost after that does not": {armed, core.Signal{}, armed, core.DoBackoff},
		"an unknown post whose account is lost waits for it, as an armed one does": {
			p{Flow: core.FlowOneCall, Step: core.StepOutcomeUnknown, Armed: true},
			core.Signal{},
			p{Flow: core.FlowOneCall, Step: core.StepOutcomeUnknown, Armed: true},
			core.DoBackoff,
		},
		"and is asked about no more when it stays away": {
			p{Flow: core.FlowOneCall, Step: core.StepOutcomeUnknown, Armed: true},
			core.Signal{Stale: true},
			p{Flow: core.FlowOneCall, Step: core.StepOutcomeUnknown, Armed: true},
			core.DoStop,
		},
		"late evidence makes an unknown post live": {
			p{Flow: core.FlowOneCall, Step: core.StepOutcomeUnknown, Armed: true},
			core.Signal{Call: core.DoFind, Verdict: core.Done},
			p{Flow: core.FlowOneCall, Step: core.StepLive, Armed: true},
			core.DoLive,
		},
		"and no evidence changes nothing": {
			p{Flow: core.FlowOneCall, Step: core.StepOutcomeUnknown, Armed: true},
			core.Signal{Call: core.DoFind, Verdict: core.Absent, Quiet: true},
			p{Flow: core.FlowOneCall, Step: core.StepOutcomeUnknown, Armed: true},
			core.DoStop,
		},
	} {
		if to, do := c.from.Next(c.on); to != c.to || do != c.do {
			t.Errorf("%s:\n got %s %+v\nwant %s %+v", name, do, to, c.do, c.to)
		}
	}
}

// A person's answer was forgotten at the next call, even if no byte of the call was sent. It covers no later call.
func TestAPersonsAnswerStaysUntilACallIsSent(t *testing.T) {
	t.Parallel()
	due := core.Signal{AccountOK: true, Due: true, Quiet: true, MayRetry: true}
	after := func(call core.Action, v core.Verdict) core.Signal {
		s := due
		s.Call, s.Verdict = call, v
		return s
	}
	for verdict, want := range map[core.Verdict]core.Action{core.NotSent: core.DoStatus, core.Lost: core.DoOutcomeUnknown} {
		p := core.Publication{Flow: core.FlowOneCall, Step: core.StepIdle, Armed: true, Answer: core.AnswerDenied}
		var do core.Action
		for _, s := range []core.Signal{
			due, after(core.DoFind, core.Ambiguous), after(core.DoStatus, core.Ready), after(core.DoPublish, verdict),
			due, after(core.DoFind, core.Ambiguous),
		} {
			p, do = p.Next(s)
		}
		if do != want {
			t.Errorf("after a call with the verdict %s, an ambiguous search leads to %s, want %s", verdict, do, want)
		}
	}
}
