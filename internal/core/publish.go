package core

// The publishing protocol as a pure function. A worker claims a publication, gives Next the signal
// Claimed, and from then on saves what Next answers before it does what Next asks, one call at a time.
// Whatever the worker was doing when it died, the next claim starts from what was saved.
// docs/publishing.md tells why; publish_explore_test.go walks every interleaving.

// Step is how far a publication has got, by the ledger.
type Step string

// Steps of a publication.
const (
	StepIdle           Step = "idle"     // nothing has been made at the network
	StepCreating       Step = "creating" // a handle is being made; nothing is visible
	StepWaiting        Step = "waiting"  // the handle exists, or none is needed; nothing is visible
	StepArmed          Step = "armed"    // the irreversible call may be on its way
	StepLive           Step = "live"
	StepRejected       Step = "rejected" // failed, and proved not to be at the network
	StepOutcomeUnknown Step = "unknown"  // nobody can know
)

// Flow is the shape of a post's publishing. It is chosen when the post is queued, and stays with the ledger row once
// something was made at the network.
type Flow string

// Flows. In FlowHandle the network's own object (a container) is made first, can be asked about, and
// is the key that makes the irreversible call safe to repeat. In FlowOneCall there is no such object.
// In FlowPrepared something is made first, such as uploaded files, but it does not tell what became of
// the irreversible call: that call is as unsafe to repeat as in FlowOneCall.
const (
	FlowHandle   Flow = "handle"
	FlowOneCall  Flow = "one_call"
	FlowPrepared Flow = "prepared"
)

// MakesHandle tells whether something is made at the network before the irreversible call.
func (f Flow) MakesHandle() bool { return f != FlowOneCall }

// IsRepeatable tells whether the handle shows what became of the irreversible call, so that the call may be
// repeated with it. Where it does not, the account is searched for the post.
func (f Flow) IsRepeatable() bool { return f == FlowHandle }

// Answer is how the last irreversible call was answered. Only Published counts as evidence that the
// post is there; every other answer means: ask the network first.
type Answer string

// Answers other than published.
const (
	AnswerNone      Answer = ""
	AnswerRefused   Answer = "refused"
	AnswerThrottled Answer = "throttled"
	AnswerAuth      Answer = "auth"
	AnswerTaken     Answer = "taken" // the network took the call and does not show the post yet
)

// Publication is the part of a ledger row that decides what happens next.
type Publication struct {
	Flow   Flow
	Step   Step
	Handle string // the network's object; "" when there is none
	// Armed tells that the irreversible call may have been made at some time, with Handle where the
	// flow has one. While it holds, no second handle is made and no second call without asking first.
	Armed bool
	// Open tells that a call may be on the wire without an answer.
	Open   bool
	Answer Answer
	Tries  int // failures that the worker repeats by itself
	Deaths int // handles that the network declared dead
}

// Verdict is what a call to the network came to.
type Verdict string

// Verdicts.
const (
	Claimed   Verdict = ""          // no call: a worker has just claimed the publication
	Done      Verdict = "done"      // made, published, or found published
	Ready     Verdict = "ready"     // status: may be published
	Pending   Verdict = "pending"   // status: not yet; publish: taken, and not there yet
	Progress  Verdict = "progress"  // status: more of the post's bytes have arrived; ask again at once
	Dead      Verdict = "dead"      // status: this handle can never be published and never was
	Broken    Verdict = "broken"    // the same, because the network could not process what it was given
	Doomed    Verdict = "doomed"    // status: taken for publishing, then refused for good
	Absent    Verdict = "absent"    // search: not there
	Ambiguous Verdict = "ambiguous" // search: cannot be told
	Refused   Verdict = "refused"   // a well-formed refusal for good
	Throttled Verdict = "throttled" // a well-formed refusal for a while
	AuthLost  Verdict = "auth"      // a well-formed refusal of our token
	NotSent   Verdict = "not_sent"  // no byte of the request was written
	Lost      Verdict = "lost"      // anything else: no answer, half an answer, a server's error
)

// Signal is what has happened, and what is true at this moment.
type Signal struct {
	Call      Do // the call that is answered
	Verdict   Verdict
	Handle    string // of a Done create, or of a status that has made something further of the handle
	Due       bool   // the post's time has come
	Quiet     bool   // when this call was made, one still on the wire since the last arm must have arrived and show
	Stale     bool   // the network has been asked in vain for as long as it is worth asking
	Aged      bool   // the handle was left alone by a throttle or until the post's time, and may have expired
	AccountOK bool
	MayRetry  bool // the worker has tries left
	Held      bool // the network has asked for a pause that is not over
	// Waited tells that the last claim ended right before the arm, because another post of the account had the turn.
	Waited bool
	// ErrorsMayPublish tells that the network may publish a post and answer the call with a refusal.
	ErrorsMayPublish bool
}

// Do is what the worker does next.
type Do string

// Things to do. The first four are calls to the network; the others end this claim.
const (
	DoCreate  Do = "create"
	DoStatus  Do = "status"
	DoPublish Do = "publish"
	DoFind    Do = "find"

	DoLive           Do = "live"    // the post is live
	DoFail           Do = "fail"    // the post failed for good
	DoAccount        Do = "account" // the post failed because its account must be reconnected
	DoRetry          Do = "retry"   // the post failed, and the worker will try again by itself
	DoOutcomeUnknown Do = "unknown" // the post failed with outcome_unknown
	DoHold           Do = "hold"    // the post stays queued until the network's throttle ends
	DoPoll           Do = "poll"    // the post stays queued: the handle is being processed
	DoAwait          Do = "await"   // the post stays queued until its time
	DoSettle         Do = "settle"  // the post stays queued until Quiet
	DoBackoff        Do = "backoff" // the post stays queued: the network cannot be asked right now
	DoStop           Do = "stop"    // nothing to do
)

// IsCall tells whether it is a call to the network.
func (d Do) IsCall() bool {
	return d == DoCreate || d == DoStatus || d == DoPublish || d == DoFind
}

// limitDeaths is how many handles may die before the post fails: the networks advise one or two new ones.
const limitDeaths = 2

// Next is the protocol: what the ledger must say before anything else happens, and what to do then.
// The signal answers the call that was asked for last.
func (p Publication) Next(s Signal) (Publication, Do) {
	if s.Verdict == Claimed {
		return p.nextAfterClaim(s)
	}
	switch p.Step {
	case StepIdle:
		return p.nextAfterSearch(s)
	case StepCreating:
		return p.nextAfterCreate(s)
	case StepWaiting:
		return p.nextAfterStatus(s)
	case StepArmed:
		if s.Call == DoPublish {
			return p.nextAfterPublish(s)
		}
		return p.nextAfterQuestion(s)
	case StepOutcomeUnknown:
		if s.Verdict == Done {
			return p.becomeLive()
		}
	}
	return p, DoStop
}

func (p Publication) nextAfterClaim(s Signal) (Publication, Do) {
	switch p.Step {
	case StepLive, StepRejected:
		return p, DoStop
	case StepOutcomeUnknown:
		switch {
		case s.AccountOK:
			return p, p.chooseQuestion()
		case s.Stale:
			return p, DoStop
		}
		return p, DoBackoff
	case StepArmed:
		switch {
		case !s.AccountOK && !p.IsCallUnresolved():
			return p.becomeFailed(DoAccount)
		case !s.AccountOK && s.Stale:
			return p.becomeOutcomeUnknown()
		case !s.AccountOK:
			return p, DoBackoff
		case !p.Flow.IsRepeatable() && p.Open && !s.Quiet:
			return p, DoSettle
		}
		return p, p.chooseQuestion()
	}
	switch {
	case !s.AccountOK && !s.Due: // a person may reconnect it in time
		return p, DoAwait
	case !s.AccountOK:
		return p.becomeFailed(DoAccount)
	case s.Held:
		return p, DoHold
	case p.Step == StepWaiting && s.Waited && s.Due: // Status has said that it may be published
		return p.armAndPublish()
	case p.Step == StepWaiting:
		return p, DoStatus
	case p.Armed && !s.Quiet: // what was refused may be there and not in the network's list yet
		return p, DoSettle
	case p.Armed: // an earlier call was refused: ask before repeating it
		return p, DoFind
	}
	return p.createHandleOrAskStatus()
}

// createHandleOrAskStatus begins what precedes the irreversible call.
func (p Publication) createHandleOrAskStatus() (Publication, Do) {
	if p.Flow.MakesHandle() && p.Handle == "" {
		p.Step = StepCreating
		return p, DoCreate
	}
	p.Step = StepWaiting
	return p, DoStatus
}

// chooseQuestion is how the network is asked what became of the irreversible call.
func (p Publication) chooseQuestion() Do {
	if p.Flow.IsRepeatable() {
		return DoStatus
	}
	return DoFind
}

func (p Publication) nextAfterCreate(s Signal) (Publication, Do) {
	switch s.Verdict {
	case Done:
		p.Step, p.Handle = StepWaiting, s.Handle
		return p, DoStatus
	case Refused:
		return p.becomeFailed(DoFail)
	}
	// An orphaned handle is invisible: the next attempt makes another.
	p.Step = StepIdle
	return p.retryOrFail(s)
}

// retryOrFail deals with a failure that is proved to have left nothing visible. Before the post's time, no failure
// costs a try: one that may pass soon is repeated, and any other waits for the time.
func (p Publication) retryOrFail(s Signal) (Publication, Do) {
	switch {
	case s.Verdict == Throttled:
		return p, DoHold
	case !s.Due && (s.Verdict == AuthLost || s.Verdict == Broken):
		return p, DoAwait
	case !s.Due:
		return p, DoBackoff
	case s.Verdict == AuthLost:
		return p.becomeFailed(DoAccount)
	case s.MayRetry:
		p.Tries++
		return p, DoRetry
	}
	return p.becomeFailed(DoFail)
}

func (p Publication) nextAfterStatus(s Signal) (Publication, Do) {
	if s.Handle != "" { // nothing is armed yet, so that what was made further may take its place
		p.Handle = s.Handle
	}
	switch s.Verdict {
	case Done:
		return p.becomeLive()
	case Ready:
		if !s.Due {
			return p, DoAwait
		}
		return p.armAndPublish()
	case Pending, Progress:
		switch {
		case s.Stale:
			return p.replaceDeadHandle(s)
		case s.Verdict == Progress:
			return p, DoStatus
		}
		return p, DoPoll
	case Dead:
		return p.replaceDeadHandle(s)
	case Broken:
		return p.replaceBrokenHandle(s)
	case Refused, Doomed:
		p.Handle = ""
		return p.becomeFailed(DoFail)
	}
	return p.retryOrFail(s)
}

func (p Publication) armAndPublish() (Publication, Do) {
	p.Step, p.Armed, p.Open, p.Answer = StepArmed, true, true, AnswerNone
	return p, DoPublish
}

// UndoCall is the ledger if the call that Next has asked for is not made after all. before was the ledger until then.
// What was learned before the call is kept.
func (p Publication) UndoCall(call Do, before Publication) Publication {
	switch call {
	case DoCreate:
		p.Step = StepIdle
	case DoPublish:
		p.Step, p.Armed, p.Open, p.Answer = before.Step, before.Armed, before.Open, before.Answer
	}
	return p
}

// replaceDeadHandle replaces a handle that the network itself says was never and will never be published. One that
// expired while it was left alone says nothing against the post.
func (p Publication) replaceDeadHandle(s Signal) (Publication, Do) {
	if !p.isHandleConclusive() {
		return p, DoBackoff
	}
	p = p.withoutHandle()
	if s.Verdict != Dead || !s.Aged {
		p.Deaths++
	}
	switch {
	case p.Deaths > limitDeaths && !s.Due: // no failure of the network costs the post before its time
		p.Step, p.Deaths = StepIdle, limitDeaths
		return p, DoAwait
	case p.Deaths > limitDeaths:
		return p.becomeFailed(DoFail)
	}
	p.Step = StepCreating
	return p, DoCreate
}

// replaceBrokenHandle replaces a handle that the network could not process, but not at once: what broke it may pass.
func (p Publication) replaceBrokenHandle(s Signal) (Publication, Do) {
	if !p.isHandleConclusive() {
		return p, DoBackoff
	}
	p = p.withoutHandle()
	p.Step = StepIdle
	return p.retryOrFail(s)
}

// isHandleConclusive tells whether the end of the handle answers what was asked: before the arm it does; after it, only
// where the handle shows what became of the call.
func (p Publication) isHandleConclusive() bool {
	return p.Flow.MakesHandle() && (p.Flow.IsRepeatable() || p.Step != StepArmed)
}

// withoutHandle drops the handle, and the arm where the handle proves that the call had no effect.
func (p Publication) withoutHandle() Publication {
	p.Handle, p.Open, p.Answer = "", false, AnswerNone
	p.Armed = p.Armed && !p.Flow.IsRepeatable()
	return p
}

var answers = map[Verdict]Answer{Refused: AnswerRefused, Throttled: AnswerThrottled, AuthLost: AnswerAuth}

// nextAfterPublish deals with the answer to the irreversible call. An error answer is no evidence (a network
// has been seen to refuse a post and show it): it only allows to ask at once instead of waiting.
func (p Publication) nextAfterPublish(s Signal) (Publication, Do) {
	switch s.Verdict {
	case Done:
		return p.becomeLive()
	case Refused, Throttled, AuthLost:
		p.Open, p.Answer = false, answers[s.Verdict]
		return p, p.chooseQuestion()
	case NotSent:
		p.Open = false
		if !p.Flow.IsRepeatable() {
			p.Step = StepIdle
		}
		return p.retryOrFail(s)
	}
	if s.Verdict == Pending {
		p.Answer = AnswerTaken
	}
	if !p.Flow.IsRepeatable() {
		return p, DoSettle
	}
	return p, DoStatus
}

// nextAfterQuestion deals with what the network says became of the irreversible call.
func (p Publication) nextAfterQuestion(s Signal) (Publication, Do) {
	switch s.Verdict {
	case Done:
		return p.becomeLive()
	case Ready, Absent:
		return p.nextAfterAbsence(s)
	case Pending:
		if !s.Stale {
			return p, DoPoll
		}
	case Progress:
		if !s.Stale && p.Flow.IsRepeatable() {
			return p, DoStatus
		}
	case Dead:
		return p.replaceDeadHandle(s)
	case Broken:
		return p.replaceBrokenHandle(s)
	case Doomed:
		if p.isHandleConclusive() {
			return p.withoutHandle().becomeFailed(DoFail)
		}
	case Ambiguous:
		return p.becomeOutcomeUnknown()
	case Refused: // it is the question that was refused, which says nothing about the post
		if !p.Flow.IsRepeatable() { // and a search will never be answered
			return p.becomeOutcomeUnknown()
		}
	case AuthLost:
		if !p.IsCallUnresolved() || !p.Open && p.Answer == AnswerAuth { // call and question were refused for the same reason
			return p.becomeFailed(DoAccount)
		}
	}
	if s.Stale {
		return p.becomeOutcomeUnknown()
	}
	return p, DoBackoff
}

// nextAfterAbsence decides once the network says that the post is not visible.
func (p Publication) nextAfterAbsence(s Signal) (Publication, Do) {
	switch {
	case p.Open && !s.Quiet:
		return p, DoSettle
	case p.Open && !p.Flow.IsRepeatable():
		return p.becomeOutcomeUnknown()
	case p.Open:
		return p.armAndPublish()
	case p.Answer == AnswerThrottled, p.Answer == AnswerNone && s.Held:
		return p.holdUntilThrottleEnds(s)
	case p.Answer == AnswerNone:
		return p.armAndPublish()
	case p.Answer == AnswerRefused && s.ErrorsMayPublish && !s.Quiet: // it may be there and not show yet
		return p, DoSettle
	case p.Answer == AnswerRefused:
		return p.becomeFailed(DoFail)
	}
	return p.becomeFailed(DoAccount)
}

// holdUntilThrottleEnds waits until a throttle ends. A handle that is not published once the settle time is over was
// not published by the throttled call: it is disarmed, and the post may be cancelled and moved meanwhile.
func (p Publication) holdUntilThrottleEnds(s Signal) (Publication, Do) {
	p.Answer = AnswerNone
	switch {
	case !p.Flow.IsRepeatable():
		p.Step = StepIdle
	case s.Quiet:
		p.Step, p.Armed = StepWaiting, false
	}
	return p, DoHold
}

// nextAfterSearch deals with the search that precedes a second call that cannot safely be repeated.
func (p Publication) nextAfterSearch(s Signal) (Publication, Do) {
	switch s.Verdict {
	case Done:
		return p.becomeLive()
	case Absent:
		return p.createHandleOrAskStatus()
	case Ambiguous, Refused:
		return p.becomeOutcomeUnknown()
	}
	return p.retryOrFail(s)
}

func (p Publication) becomeLive() (Publication, Do) {
	p.Step, p.Open = StepLive, false
	return p, DoLive
}

func (p Publication) becomeOutcomeUnknown() (Publication, Do) {
	p.Step, p.Open = StepOutcomeUnknown, false
	return p, DoOutcomeUnknown
}

func (p Publication) becomeFailed(do Do) (Publication, Do) {
	p.Step = StepRejected
	return p, do
}

// WithFlowUnlessStarted is the ledger of a post that another version may have queued, with the flow that this version
// would choose. Once something was made, or may be published, that flow stays which can tell what became of it.
func (p Publication) WithFlowUnlessStarted(f Flow) Publication {
	if p.Step == StepIdle && p.Handle == "" && (!p.Armed || !f.IsRepeatable()) {
		p.Flow = f
	}
	return p
}

// Requeue is the ledger of a failed post that a person sends again. A handle that was armed stays the
// only one, and a flow whose call cannot be repeated searches before it calls again.
func (p Publication) Requeue() Publication {
	p.Open, p.Answer, p.Tries, p.Deaths = false, AnswerNone, 0, 0
	switch {
	case p.Step != StepRejected && p.Step != StepOutcomeUnknown: // the worker's own retry was pending
	case p.Handle == "" || !p.Flow.IsRepeatable():
		p.Step = StepIdle
	case p.Armed:
		p.Step = StepArmed
	default:
		p.Step = StepWaiting
	}
	return p
}

// Unqueue is the ledger of a post that is taken off the queue: what was prepared is dropped. Where there is
// no handle to drop, that a call was once made is not forgotten: queued anew, the post is looked for first.
func (p Publication) Unqueue() Publication {
	return Publication{Flow: p.Flow, Step: StepIdle, Armed: p.Armed && !p.Flow.IsRepeatable()}
}

// IsCallUnresolved tells that the irreversible call was made and that only the network can say what became of it. One
// that the network has said is not there is armed still, and no question.
func (p Publication) IsCallUnresolved() bool {
	return p.Step == StepArmed && (p.Open || p.Answer != AnswerNone)
}

// CanChange tells whether a queued post may still be cancelled, rescheduled or edited: nothing armed can.
func (p Publication) CanChange() bool {
	return p.Step == StepIdle || p.Step == StepCreating || p.Step == StepWaiting
}
