package core_test

import (
	"time"

	"belfry/internal/core"
)

// The world around the publishing protocol, small enough to walk through completely: one post, its ledger row, two
// workers, the network, and a person. Every rule that decides what happens to the post is the product's own
// (Publication.Next, Requeue, AllowsPostChanges, Schedule.HasRetriesLeft); what is modelled here is everything those
// rules have to live with. Time is abstract: whatever could happen by now may happen.

// row is a core.Publication in six bytes; the flow is the mix's.
type row struct{ step, handle, flags, answer, tries, deaths uint8 }

// Flags of a row.
const (
	rowArmed = 1 << iota
	rowOpen
	rowOldToken // the answer is AnswerAuth, to a token from before the account was reconnected
)

// Phases of a worker between two boundaries at which it can die.
const (
	phaseIdle    = iota
	phaseSave    // it has decided and is about to write
	phaseCall    // it has written and is about to call
	phaseSent    // it waits for the network
	phaseAnswers // it has an answer and is about to decide
)

// Flags of a worker.
const (
	fresh     = 1 << iota // no later claim, cancel or retry has taken the ledger from it
	quiet                 // Signal.Quiet as it was when the question was put
	frozen                // its request left so late that Quiet did not wait for it
	hasWaited             // the claim before its own ended because of another post's turn
	oldToken              // the account was reconnected after it had claimed the post
	searched              // its claim has searched for the post
)

type worker struct {
	phase, do, verdict, handle, flags uint8
	row                               row
}

// States of the post as its owner sees them; a failure with a retry pending is a state of its own here.
const (
	postQueued = iota
	postRetrying
	postFailed
	postLive
	postDraft
)

// States of a handle at the network.
const (
	handleNone       = iota
	handleProcessing // pending, ready later
	handleReady
	handlePublishing // accepted, visible later
	handlePublished
	handleDead      // expired: never to be published
	handleBad       // refused while it was processed
	handleStuck     // pending for ever
	handleParts     // ready to be made one whole, which is another handle
	handleBroken    // the network could not process it
	handleUploading // not all of its bytes have arrived
	handleDoomed    // taken for publishing, then refused for good
)

// Flags of the world.
const (
	tokenWorks = 1 << iota // the network takes our token
	accountOK              // and we believe so
	gone                   // nobody will ever reconnect the account
	due                    // the post's time has come
	lagging                // the network's list does not show what is visible yet
	throttled              // the network has asked for a pause that is not over
	// The network broke its word: a call arrived after the settle time, its list hid a post, or an error
	// about the token came with a post. Then a post may be there that the ledger calls failed; it is still
	// never there twice.
	excused
	waited   // the last claim ended before the arm, because another post of the account had the turn
	admitted // a blind network has said that it has the post
)

// budget counts the faults and acts that may still happen.
type budget struct {
	kill    uint8 // a worker dies (kill -9, or the COMMIT of its write stays unclear)
	loss    uint8 // a request or an answer is lost, or the client gives up too early
	pause   uint8 // a lease ends while its worker lives
	freeze  uint8 // a request leaves or arrives after the settle time
	expire  uint8 // a handle expires
	stuck   uint8 // a handle is processed for ever
	slow    uint8 // the network accepts a post and shows it later
	refuse  uint8 // the network refuses, for good or for a while
	lie     uint8 // the network publishes and answers an error
	lieAuth uint8 // the same with an error about the token
	lag     uint8 // the network's list shows a post late
	ask     uint8 // a question is refused, or cannot be answered
	vague   uint8 // a search is ambiguous
	auth    uint8 // the token is withdrawn
	retry   uint8 // a person retries
	cancel  uint8 // a person cancels, and queues again
	move    uint8 // a person chooses a later time
	look    uint8 // a worker looks for late evidence
	behind  uint8 // the network loses bytes that it had
	doom    uint8 // the network refuses for good what it had taken
}

const handleCount = 6

// world is one state. It holds small integers only, so that it can be a key as it is.
type world struct {
	row     row
	post    uint8
	lease   uint8 // 0, or the number of the worker that holds it plus one
	visible uint8
	flags   uint16
	handles [handleCount]uint8
	// Irreversible calls that nobody waits for any more: a bit for each handle, or a count where
	// the flow has none. Quiet waits for late ones and not for those in ice.
	late, ice uint8
	workers   [2]worker
	left      budget
}

// Names of small numbers. Index 0 is the zero value of each type but Action.
var (
	steps = [...]core.Step{
		core.StepIdle, core.StepCreating, core.StepWaiting, core.StepArmed, core.StepLive, core.StepRejected,
		core.StepOutcomeUnknown,
	}
	answers = [...]core.Answer{
		core.AnswerNone, core.AnswerRefused, core.AnswerThrottled, core.AnswerAuth,
		core.AnswerTaken, core.AnswerLost, core.AnswerUnasked, core.AnswerAbsent, core.AnswerDenied,
	}
	verdicts = [...]core.Verdict{
		core.Claimed, core.Done, core.Ready, core.Pending, core.Progress, core.Dead, core.Broken, core.Doomed,
		core.Absent, core.Ambiguous, core.Refused, core.Throttled, core.AuthLost, core.NotSent, core.Lost,
	}
	dos = [...]core.Action{
		core.DoStop, core.DoCreate, core.DoStatus, core.DoPublish, core.DoFind, core.DoLive, core.DoFail, core.DoAccount,
		core.DoRetry, core.DoOutcomeUnknown, core.DoHold, core.DoPoll, core.DoAwait, core.DoSettle, core.DoBackoff,
	}
	handleNames = [handleCount + 1]string{"", "h1", "h2", "h3", "h4", "h5", "h6"}
	schedule    = core.Schedule{Retry: []time.Duration{time.Minute}, Lease: time.Minute}
)

func code[T comparable](names []T, v T) uint8 {
	for i, name := range names {
		if name == v {
			return uint8(i)
		}
	}
	panic("the model does not know a value of the protocol")
}

func pack(p core.Publication) row {
	r := row{
		step: code(steps[:], p.Step), handle: code(handleNames[:], p.Handle), answer: code(answers[:], p.Answer),
		tries: uint8(p.Tries), deaths: uint8(p.Deaths),
	}
	if p.Armed {
		r.flags |= rowArmed
	}
	if p.Open {
		r.flags |= rowOpen
	}
	return r
}

func (m *model) publication(r row) core.Publication {
	return core.Publication{
		Flow: m.flow, Step: steps[r.step], Handle: handleNames[r.handle], Armed: r.flags&rowArmed != 0,
		Open: r.flags&rowOpen != 0, Answer: answers[r.answer], Tries: int(r.tries), Deaths: int(r.deaths),
	}
}

// onWire tells whether an irreversible call may still take effect; those in ice count if asked for.
func (w *world) onWire(withIce bool) bool {
	if w.late != 0 || withIce && w.ice != 0 {
		return true
	}
	for _, k := range w.workers {
		works := k.row.handle == 0 || mayWork(w.handles[k.row.handle-1])
		if k.phase == phaseSent && dos[k.do] == core.DoPublish && works && (withIce || k.flags&frozen == 0) {
			return true
		}
	}
	return false
}

// mayWork tells whether an irreversible call for a handle may still take effect.
func mayWork(handle uint8) bool { return handle == handleReady || handle == handleUploading }

// publishing tells whether any worker has decided to publish and has not heard the answer.
func (w *world) publishing() bool {
	for _, k := range w.workers {
		if k.phase != phaseIdle && k.phase != phaseAnswers && dos[k.do] == core.DoPublish {
			return true
		}
	}
	return false
}

func (w *world) slowAtNetwork() bool {
	for _, h := range w.handles {
		if h == handlePublishing {
			return true
		}
	}
	return false
}

// mayBeQuiet tells whether the settle time can have passed: no call of an earlier arm is on the wire,
// and the network's list shows what there is.
func (w *world) mayBeQuiet() bool { return !w.onWire(false) && w.flags&lagging == 0 }

// tidy forgets calls that cannot have an effect any more and handles that nobody can name, so that
// equal situations are equal keys.
func (m *model) tidy(w *world) {
	var named [handleCount + 1]bool
	named[w.row.handle] = true
	for _, k := range w.workers {
		named[k.row.handle], named[k.handle] = true, true
	}
	for i := range w.handles {
		bit := uint8(1) << i
		if !mayWork(w.handles[i]) && m.flow.CanRepeatCall() {
			w.late, w.ice = w.late&^bit, w.ice&^bit
		}
		called := m.flow.CanRepeatCall() && (w.late|w.ice)&bit != 0
		if !named[i+1] && !called && w.handles[i] != handlePublishing {
			w.handles[i] = handleNone
		}
	}
}

// takeAway is what every act on the ledger from outside a claim does: it raises the epoch, so that a
// worker that still lives cannot write any more.
func (w *world) takeAway() {
	w.lease = 0
	w.flags &^= waited
	for i := range w.workers {
		w.workers[i].flags &^= fresh
	}
}

// reconnect gives the account a new token. Workers go on with the token that they have, and the ledger learns nothing.
func (w *world) reconnect() {
	w.flags |= accountOK | tokenWorks
	if answers[w.row.answer] == core.AnswerAuth {
		w.row.flags |= rowOldToken
	}
	for i := range w.workers {
		if w.workers[i].phase != phaseIdle {
			w.workers[i].flags |= oldToken
		}
	}
}

// wrong names the promise that the state breaks, "" when none.
func (m *model) wrong(w *world) string {
	step := steps[w.row.step]
	failed := (w.post == postFailed || w.post == postRetrying) && step != core.StepOutcomeUnknown
	switch {
	case w.visible > 1:
		return "two posts"
	case (step == core.StepLive) != (w.post == postLive):
		return "ledger and post disagree"
	case w.post == postLive && w.visible != 1:
		return "live, but not there"
	case failed && w.onWire(false):
		return "failed with a call on the wire"
	case w.flags&excused != 0:
		return ""
	case w.flags&due == 0 && (w.visible > 0 || w.onWire(true)):
		return "out before its time"
	case w.post == postDraft && (w.visible > 0 || w.onWire(true)):
		return "a draft went out"
	case failed && w.visible > 0:
		return "failed, but there"
	}
	return ""
}

// ended tells whether nothing is left to happen by itself, and how it ended.
func (w *world) ended() string {
	if w.workers[0].phase != phaseIdle || w.workers[1].phase != phaseIdle || w.onWire(true) || w.slowAtNetwork() {
		return ""
	}
	switch {
	case w.post == postLive:
		return "live"
	case w.post == postFailed && steps[w.row.step] == core.StepOutcomeUnknown:
		return "unknown"
	case w.post == postFailed:
		return "failed"
	}
	return ""
}
