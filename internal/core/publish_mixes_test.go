package core_test

import (
	"flag"
	"testing"

	"belfry/internal/core"
)

// A mix is what may go wrong in one exploration. All mixes together are what the protocol promises to
// survive; each keeps its budgets small enough to be walked through to the end.
type mix struct {
	name   string
	flow   core.Flow
	ahead  bool // prepared before its time
	parts  bool // made of parts, as a carousel is
	chunks bool // its bytes are sent to the handle
	called bool // an older version of Belfry has made the call in another flow
	ailing bool // no irreversible call that a worker waits for is carried out or answered
	blind  bool // the network shows no post, but publishes none twice, and says so
	long   bool // explored with -every-mix only
	left   budget
}

var everyMix = flag.Bool("every-mix", false, "explore the mixes that take minutes, too")

var mixes = []mix{
	{name: "handle, crashes and lost answers", flow: core.FlowHandle, left: budget{kill: 1, loss: 2, pause: 1, expire: 1}},
	{
		name: "handle, calls stuck beyond the settle time", flow: core.FlowHandle,
		left: budget{kill: 1, loss: 1, pause: 2, freeze: 1},
	},
	{
		name: "handle of parts, crashes and lost answers", flow: core.FlowHandle, parts: true,
		left: budget{kill: 1, loss: 1, pause: 1, expire: 1, slow: 1},
	},
	{
		name: "handle, refusals and lies", flow: core.FlowHandle,
		left: budget{kill: 1, loss: 1, lie: 1, refuse: 1, ask: 1, retry: 1},
	},
	{
		name: "handle, a slow network that cannot be asked", flow: core.FlowHandle, long: true,
		left: budget{loss: 1, pause: 1, slow: 1, stuck: 1, ask: 1, retry: 1},
	},
	{
		name: "handle, a person interferes", flow: core.FlowHandle, ahead: true, long: true,
		left: budget{loss: 1, pause: 1, refuse: 1, cancel: 1, move: 1, retry: 1},
	},
	{
		name: "handle, changed while a worker prepares it", flow: core.FlowHandle, ahead: true,
		left: budget{loss: 1, cancel: 1, move: 1},
	},
	{
		name: "handle, expires again and again before its time", flow: core.FlowHandle, ahead: true,
		left: budget{kill: 1, expire: 4},
	},
	{
		name: "handle, the account is lost", flow: core.FlowHandle,
		left: budget{kill: 1, loss: 1, auth: 1, lieAuth: 1, retry: 1, look: 1, ask: 1},
	},
	{
		name: "handle, retried and cancelled after a lie", flow: core.FlowHandle,
		left: budget{auth: 1, lieAuth: 1, ask: 1, retry: 2, cancel: 1, expire: 1},
	},
	{
		name: "handle in chunks, crashes and lost answers", flow: core.FlowHandle, chunks: true,
		left: budget{kill: 1, loss: 2, pause: 1, behind: 1},
	},
	{
		name: "handle in chunks, prepared ahead and moved", flow: core.FlowHandle, chunks: true, ahead: true, long: true,
		left: budget{kill: 1, loss: 1, cancel: 1, move: 1, behind: 1, expire: 1},
	},
	{
		name: "handle, taken and refused for good", flow: core.FlowHandle,
		left: budget{kill: 1, loss: 1, slow: 1, doom: 1, ask: 1, retry: 1},
	},
	{
		name: "handle, the account is lost before its time", flow: core.FlowHandle, ahead: true, long: true,
		left: budget{kill: 1, loss: 1, auth: 1, retry: 1, cancel: 1},
	},
	{
		name: "handle, after a call in another flow", flow: core.FlowHandle, called: true,
		left: budget{kill: 1, loss: 1, pause: 1, retry: 1},
	},
	{
		name: "handle, a call that is never carried out", flow: core.FlowHandle, ailing: true,
		left: budget{kill: 1, ask: 1, retry: 1},
	},
	{
		name: "one call, a network that does not show the post", flow: core.FlowOneCall, blind: true,
		left: budget{kill: 1, loss: 1, lie: 1, ask: 1, retry: 1, lag: 1, look: 1},
	},
	{
		name: "prepared, a network that does not show the post", flow: core.FlowPrepared, blind: true,
		left: budget{kill: 1, lie: 1, refuse: 1, expire: 1},
	},
	{
		name: "one call, crashes and lost answers", flow: core.FlowOneCall,
		left: budget{kill: 2, loss: 2, pause: 2, freeze: 1, look: 1, ask: 1, lag: 1},
	},
	{
		name: "one call, refusals and lies", flow: core.FlowOneCall,
		left: budget{kill: 1, loss: 1, lie: 1, refuse: 1, ask: 1, vague: 1, retry: 2, lag: 1, cancel: 1},
	},
	{
		name: "one call, a person interferes", flow: core.FlowOneCall, ahead: true, long: true,
		left: budget{loss: 1, pause: 1, refuse: 1, lie: 1, cancel: 1, move: 1, retry: 1, freeze: 1, lag: 1},
	},
	{
		name: "one call, the account is lost", flow: core.FlowOneCall, long: true,
		left: budget{kill: 1, loss: 1, pause: 1, auth: 1, lieAuth: 1, retry: 1, ask: 1, lag: 1},
	},
	{
		name: "prepared, crashes and lost answers", flow: core.FlowPrepared,
		left: budget{kill: 1, loss: 2, pause: 1, expire: 1, look: 1, lag: 1},
	},
	{
		name: "prepared, refusals and lies", flow: core.FlowPrepared,
		left: budget{kill: 1, loss: 1, lie: 1, refuse: 1, ask: 1, retry: 1, lag: 1},
	},
	{
		name: "prepared, a person interferes", flow: core.FlowPrepared, ahead: true, long: true,
		left: budget{loss: 1, refuse: 1, lie: 1, cancel: 1, move: 1, retry: 1},
	},
}

// TestExplorePublishing shows that whatever dies, gets lost, comes late or lies, and however a person
// interferes, a post is never at the network twice, never called live or failed wrongly, never given up
// while asking helps, and never stuck.
func TestExplorePublishing(t *testing.T) {
	t.Parallel()
	total := 0
	for _, x := range mixes {
		if x.long && !*everyMix {
			continue
		}
		t.Run(x.name, func(t *testing.T) {
			e := explore(&model{
				flow: x.flow, ahead: x.ahead, parts: x.parts, chunks: x.chunks, called: x.called, ailing: x.ailing,
				blind: x.blind, start: x.left, design: theProduct(),
			}, "")
			t.Logf("%d states, %d moves, ends: %v", len(e.states), len(e.next), e.endings)
			e.report(t)
			total += len(e.states)
		})
	}
	t.Logf("%d states in all", total)
	if total < 1_000_000 {
		t.Errorf("only %d states: the exploration has become too small to prove anything", total)
	}
}

// A planted bug is a design that has been built, here or elsewhere, and posts twice or loses a post. An
// exploration that does not find it would prove nothing.
type planted struct {
	name   string
	flow   core.Flow
	ahead  bool
	chunks bool
	left   budget
	called bool
	ailing bool
	blind  bool
	change func(*design)
	breaks string
}

// instead replaces some decisions of the protocol; ok tells whether it did.
func instead(of func(p core.Publication, s core.Signal) (next core.Publication, do core.Action, ok bool)) func(*design) {
	return func(d *design) {
		d.next = func(p core.Publication, s core.Signal) (core.Publication, core.Action) {
			if next, do, ok := of(p, s); ok {
				return next, do
			}
			return p.Next(s)
		}
	}
}

// believing changes what the protocol is told.
func believing(what func(p core.Publication, s *core.Signal)) func(*design) {
	return func(d *design) {
		d.next = func(p core.Publication, s core.Signal) (core.Publication, core.Action) {
			what(p, &s)
			return p.Next(s)
		}
	}
}

func rejected(p core.Publication) core.Publication {
	return core.Publication{Flow: p.Flow, Step: core.StepRejected}
}

var plantedBugs = []planted{
	{
		name: "no fence: a worker whose lease is over goes on writing and calling", flow: core.FlowHandle,
		left:   budget{pause: 1},
		change: func(d *design) { d.noFence = true }, breaks: "two posts",
	},
	{
		name: "no fence around a single call", flow: core.FlowOneCall, left: budget{pause: 1},
		change: func(d *design) { d.noFence = true }, breaks: "two posts",
	},
	{
		name: "no arm record: a crash in the call looks like a crash before it", flow: core.FlowOneCall,
		left:   budget{kill: 1},
		change: func(d *design) { d.noArm = true }, breaks: "two posts",
	},
	{
		name: "a single call is repeated when its answer is lost", flow: core.FlowOneCall, left: budget{loss: 1},
		change: instead(func(p core.Publication, s core.Signal) (core.Publication, core.Action, bool) {
			return p, core.DoPublish, s.Call == core.DoPublish && s.Verdict == core.Lost
		}), breaks: "two posts",
	},
	{
		name: "what was prepared is sent again when the answer is lost", flow: core.FlowPrepared, left: budget{loss: 1},
		change: instead(func(p core.Publication, s core.Signal) (core.Publication, core.Action, bool) {
			return p, core.DoPublish, s.Call == core.DoPublish && s.Verdict == core.Lost
		}), breaks: "two posts",
	},
	{
		name: "a second handle is made while the first is armed", flow: core.FlowHandle, left: budget{kill: 1},
		change: instead(func(p core.Publication, s core.Signal) (core.Publication, core.Action, bool) {
			anew := core.Publication{Flow: p.Flow, Step: core.StepCreating}
			return anew, core.DoCreate, s.Verdict == core.Claimed && p.Step == core.StepArmed
		}), breaks: "two posts",
	},
	{
		name: "an error answer is taken for proof that nothing was published", flow: core.FlowHandle, left: budget{lie: 1},
		change: instead(func(p core.Publication, s core.Signal) (core.Publication, core.Action, bool) {
			return rejected(p), core.DoFail, s.Call == core.DoPublish && s.Verdict == core.Refused
		}), breaks: "failed, but there",
	},
	{
		name: "and a person then retries", flow: core.FlowOneCall, left: budget{lie: 1, retry: 1},
		change: instead(func(p core.Publication, s core.Signal) (core.Publication, core.Action, bool) {
			return rejected(p), core.DoFail, s.Call == core.DoPublish && s.Verdict == core.Refused
		}), breaks: "two posts",
	},
	{
		name: "a refused question is taken for the refusal of the post", flow: core.FlowHandle,
		left: budget{loss: 1, ask: 1, retry: 1},
		change: instead(func(p core.Publication, s core.Signal) (core.Publication, core.Action, bool) {
			return rejected(p), core.DoFail, p.Step == core.StepArmed && s.Call == core.DoStatus && s.Verdict == core.Refused
		}), breaks: "two posts",
	},
	{
		name: "a container that does not show yet is taken for a dead one", flow: core.FlowHandle,
		left:   budget{loss: 1, pause: 1, ask: 1},
		change: func(d *design) { d.raceIsDeath = true }, breaks: "two posts",
	},
	{
		name: "a retry asks before the network's list can show the post", flow: core.FlowOneCall,
		left: budget{auth: 1, lieAuth: 1, lag: 1, retry: 1},
		change: believing(func(p core.Publication, s *core.Signal) {
			s.Quiet = s.Quiet || s.Verdict == core.Claimed && p.Step == core.StepIdle
		}), breaks: "two posts",
	},
	{
		name: "a retry starts with a new ledger", flow: core.FlowOneCall,
		left:   budget{auth: 1, lieAuth: 1, lag: 1, retry: 1},
		change: func(d *design) { d.retryForgets = true }, breaks: "two posts",
	},
	{
		name: "a cancel leaves the epoch as it was", flow: core.FlowHandle, left: budget{pause: 1, cancel: 1},
		change: func(d *design) { d.sameEpoch = true }, breaks: "a draft went out",
	},
	{
		name: "moving a post leaves the epoch as it was", flow: core.FlowOneCall, ahead: true,
		left:   budget{pause: 1, move: 1},
		change: func(d *design) { d.sameEpoch = true }, breaks: "out before its time",
	},
	{
		name: "cancelling a post that a worker prepares leaves the epoch as it was", flow: core.FlowHandle, ahead: true,
		left:   budget{cancel: 1},
		change: func(d *design) { d.sameEpoch = true }, breaks: "a draft went out",
	},
	{
		name: "a prepared post goes out before its time", flow: core.FlowHandle, ahead: true, left: budget{},
		change: believing(func(_ core.Publication, s *core.Signal) { s.Due = true }), breaks: "out before its time",
	},
	{
		name: "a network that lost bytes is given another handle", flow: core.FlowHandle, chunks: true,
		left: budget{loss: 1, behind: 1},
		change: believing(func(p core.Publication, s *core.Signal) {
			if p.Step == core.StepArmed && s.Verdict == core.Progress {
				s.Verdict = core.Dead
			}
		}), breaks: "two posts",
	},
	{
		name: "a post that was refused for good is believed to be on its way", flow: core.FlowHandle,
		left: budget{slow: 1, doom: 1},
		change: believing(func(p core.Publication, s *core.Signal) {
			if s.Verdict == core.Doomed {
				s.Verdict, s.Stale = core.Pending, false
			}
		}), breaks: "stuck",
	},
	{
		name: "a retry leaves the epoch as it was", flow: core.FlowOneCall,
		left:   budget{loss: 2, look: 1, retry: 1, refuse: 1},
		change: func(d *design) { d.sameEpoch = true }, breaks: "stuck",
	},
	{
		name: "what is armed can be cancelled", flow: core.FlowHandle, left: budget{kill: 1, cancel: 1},
		change: func(d *design) { d.moveArmed = true }, breaks: "a draft went out",
	},
	{
		name: "a refusal is believed before the network's list can show the post", flow: core.FlowOneCall,
		left:   budget{lie: 1, lag: 1},
		change: believing(func(_ core.Publication, s *core.Signal) { s.ErrorsMayPublish = false }),
		breaks: "failed, but there",
	},
	{
		name: "a call that left no trace is taken for one that never was", flow: core.FlowOneCall,
		left: budget{loss: 1, freeze: 1},
		change: instead(func(p core.Publication, s core.Signal) (core.Publication, core.Action, bool) {
			return rejected(p), core.DoFail, p.Step == core.StepArmed && s.Verdict == core.Absent && s.Quiet
		}), breaks: "failed, but there",
	},
	{
		name: "a handle is called again while a call of it is on the wire", flow: core.FlowHandle,
		left:   budget{loss: 1, refuse: 1},
		change: believing(func(_ core.Publication, s *core.Signal) { s.Quiet = true }),
		breaks: "failed with a call on the wire",
	},
	{
		name: "the settle time is over when the question is answered, not when it was put", flow: core.FlowHandle,
		left:   budget{loss: 2},
		change: func(d *design) { d.quietAtAnswer = true }, breaks: "failed, but there",
	},
	{
		name: "a step after the publishing fails, and the whole is run again", flow: core.FlowHandle, left: budget{},
		change: instead(func(p core.Publication, s core.Signal) (core.Publication, core.Action, bool) {
			anew := core.Publication{Flow: p.Flow, Step: core.StepIdle, Tries: p.Tries + 1}
			return anew, core.DoRetry, s.Call == core.DoPublish && s.Verdict == core.Done && p.Tries == 0
		}), breaks: "two posts",
	},
	{
		name: "a call is forgotten when the flow changes", flow: core.FlowHandle, called: true,
		change: instead(func(p core.Publication, s core.Signal) (core.Publication, core.Action, bool) {
			forgets := p.Step == core.StepIdle && p.Armed
			p.Armed = p.Armed && !forgets
			next, do := p.Next(s)
			return next, do, forgets
		}), breaks: "two posts",
	},
	{
		name: "the refusal of a token is remembered after the account was reconnected", flow: core.FlowHandle,
		left:   budget{auth: 1, kill: 1},
		change: func(d *design) { d.remembersOldToken = true }, breaks: "given up without need",
	},
	{
		name: "a question without an answer is asked for ever", flow: core.FlowHandle, left: budget{slow: 1, stuck: 1},
		change: believing(func(_ core.Publication, s *core.Signal) { s.Stale = false }), breaks: "stuck",
	},
	{
		name: "a call that is never carried out is repeated for ever", flow: core.FlowHandle, ailing: true,
		change: instead(func(p core.Publication, s core.Signal) (core.Publication, core.Action, bool) {
			p.Open = true
			return p, core.DoPublish, p.Step == core.StepArmed && s.Verdict == core.Ready && s.Quiet
		}), breaks: "stuck",
	},
	{
		name: "a second call relies on the search of an earlier claim", flow: core.FlowOneCall,
		left: budget{refuse: 1, kill: 1},
		change: instead(func(p core.Publication, s core.Signal) (core.Publication, core.Action, bool) {
			return p, core.DoStatus, s.Verdict == core.Claimed && p.Step == core.StepWaiting && p.Armed
		}), breaks: "a second call that no search precedes",
	},
	{
		name: "the refusal of a repetition is a refusal like any other", flow: core.FlowOneCall, blind: true,
		left: budget{lie: 1},
		change: believing(func(_ core.Publication, s *core.Signal) {
			if s.Call == core.DoPublish && s.Verdict == core.Ambiguous {
				s.Verdict = core.Refused
			}
		}), breaks: "failed, but there",
	},
	{
		name: "also where a handle should show the post", flow: core.FlowHandle, blind: true, left: budget{kill: 1},
		change: believing(func(_ core.Publication, s *core.Signal) {
			if s.Call == core.DoPublish && s.Verdict == core.Ambiguous {
				s.Verdict = core.Refused
			}
		}), breaks: "failed, but there",
	},
}

// TestExploreFindsPlantedBugs prints, with -v, the shortest way to each disaster.
func TestExploreFindsPlantedBugs(t *testing.T) {
	t.Parallel()
	for _, x := range plantedBugs {
		t.Run(x.name, func(t *testing.T) {
			m := &model{
				flow: x.flow, ahead: x.ahead, chunks: x.chunks, called: x.called, ailing: x.ailing, blind: x.blind,
				start: x.left, design: theProduct(),
			}
			if sound := explore(m, ""); len(sound.broken) != 0 {
				t.Fatalf("the product itself breaks %v here, so that the bug would prove nothing", sound.broken)
			}
			x.change(&m.design)
			e := explore(m, x.breaks)
			at, found := e.broken[x.breaks]
			if !found {
				t.Fatalf("not found in %d states; broken instead: %v", len(e.states), e.broken)
			}
			t.Logf("%s, seen after %d states:%s", x.breaks, len(e.states), e.trace(at))
		})
	}
}
