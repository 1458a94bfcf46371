package core

// Step is how far a publication has progressed, according to the ledger.
type Step string

// Steps of a publication.
const (
	StepIdle           Step = "idle"     // nothing was created on the network
	StepCreating       Step = "creating" // a handle is being created; nothing is visible
	StepWaiting        Step = "waiting"  // the handle exists, or none is needed; nothing is visible
	StepArmed          Step = "armed"    // the irreversible call may be on its way
	StepLive           Step = "live"
	StepRejected       Step = "rejected" // failed, and proved not to be on the network
	StepOutcomeUnknown Step = "unknown"  // nobody can find out whether it was published
)

// Flow is how a network publishes a post. It is chosen when the post is queued, and does not change once something has
// been created on the network.
type Flow string

// Flows. FlowHandle first creates an object on the network (a container). The status of this object can be queried, and
// the object makes the irreversible call safe to repeat. FlowOneCall has no such object. FlowPrepared first creates
// something, such as uploaded files, that does not show the outcome of the irreversible call, which is therefore as
// unsafe to repeat as in FlowOneCall.
const (
	FlowHandle   Flow = "handle"
	FlowOneCall  Flow = "one_call"
	FlowPrepared Flow = "prepared"
)

// MakesHandle reports whether something is created on the network before the irreversible call.
func (f Flow) MakesHandle() bool { return f != FlowOneCall }

// CanRepeatCall reports whether the handle shows the outcome of the irreversible call, so that the call can safely be
// repeated with the same handle. In other flows, the account is searched for the post.
func (f Flow) CanRepeatCall() bool { return f == FlowHandle }

// chooseOutcomeQuery returns the call that asks the network for the outcome of the irreversible call: DoStatus if the
// handle shows the outcome, or else DoFind.
func (f Flow) chooseOutcomeQuery() (call Action) {
	if f.CanRepeatCall() {
		return DoStatus
	}
	return DoFind
}

// Answer is how the network answered the last irreversible call, or what was then found out about it. Only the verdict
// Done proves that the post is published; after any other answer, the worker asks the network before it does anything
// else.
type Answer string

// Answers to a call whose verdict was not Done.
const (
	AnswerNone      Answer = ""
	AnswerRefused   Answer = "refused"
	AnswerThrottled Answer = "throttled"
	AnswerAuth      Answer = "auth"
	AnswerTaken     Answer = "taken"   // the network says that it has the post, but does not show it yet
	AnswerLost      Answer = "lost"    // an error that proves nothing, or no response; not after the death of the worker
	AnswerUnasked   Answer = "unasked" // the call had an error that no longer counts, and its outcome is still unknown
	AnswerAbsent    Answer = "absent"  // the call had no effect: it was not sent, or the network does not show the post
	AnswerDenied    Answer = "denied"  // the outcome was unknown, and a person said that the post was not published
)

// Publication is the part of a ledger row that decides what happens next.
type Publication struct {
	Flow   Flow
	Step   Step
	Handle string // the network's object; "" if there is none
	// Armed reports whether the irreversible call may have been made, with Handle if the flow has one. While it is set,
	// no second handle is created, and no second call is made before asking the network. In StepIdle, the call may have
	// been made in another flow.
	Armed bool
	// Open reports whether a call may still be unanswered.
	Open   bool
	Answer Answer
	Tries  int // failures that the worker has retried by itself
	Deaths int // handles that the network declared dead
}

// WithFlowUnlessStarted returns the publication with the flow that this version of Belfry chooses; another version may
// have queued the post. Once something has been created, the flow stays.
func (p Publication) WithFlowUnlessStarted(f Flow) Publication {
	if p.Step == StepIdle && p.Handle == "" {
		p.Flow = f
	}
	return p
}

// Requeue returns the publication of a failed post that a person sends again. An armed handle is kept, and no other is
// created, unless the network can say nothing about it and deniedByPerson is true: the person has said that the post
// was not published. If the flow's call cannot be repeated, the network is searched before the next call.
func (p Publication) Requeue(deniedByPerson bool) Publication {
	open, answer := p.Open, p.answerIfKnownUnmade()
	switch {
	case deniedByPerson:
		open, answer = false, AnswerDenied
	case p.IsCallUnresolved():
		answer = AnswerUnasked
	}
	p.Open, p.Answer, p.Tries, p.Deaths = false, answer, 0, 0
	switch {
	case p.Step != StepRejected && p.Step != StepOutcomeUnknown && p.Step != StepArmed: // an automatic retry was pending
	case p.Handle == "" || !p.Flow.CanRepeatCall():
		p.Step = StepIdle
	case p.Armed:
		p.Step, p.Open = StepArmed, open
	default:
		p.Step = StepWaiting
	}
	return p
}

// Unqueue returns the publication of a post that leaves the queue, without what was prepared. It remembers a call whose
// outcome only a search can show: if the post is queued again, the network is searched first.
func (p Publication) Unqueue() Publication {
	idle := Publication{Flow: p.Flow, Step: StepIdle, Armed: p.Armed && (p.Step == StepIdle || !p.Flow.CanRepeatCall())}
	if idle.Armed {
		idle.Answer = p.answerIfKnownUnmade()
	}
	return idle
}

// ForgetTokenRefusal returns the publication for an account that was reconnected after the network had refused the
// account's token: the post does not fail because of the old token, and the network is asked before the next call.
func (p Publication) ForgetTokenRefusal() Publication {
	if p.Answer == AnswerAuth {
		p.Answer = AnswerUnasked
	}
	return p
}

// IsCallUnresolved reports whether the irreversible call was made and only the network knows its outcome. A call that,
// according to the network, had no effect is still armed, but resolved.
func (p Publication) IsCallUnresolved() bool {
	return p.Step == StepArmed && (p.Open || p.Answer != p.answerIfKnownUnmade())
}

// answerIfKnownUnmade returns the answer if it says that the last irreversible call had no effect, or else AnswerNone.
// While a call may be unanswered, the answer is about an earlier one.
func (p Publication) answerIfKnownUnmade() Answer {
	if !p.Open && (p.Answer == AnswerAbsent || p.Answer == AnswerDenied) {
		return p.Answer
	}
	return AnswerNone
}

// MayHavePublished reports whether the post may be on the network although nobody waits for the outcome of a call. The
// network is asked before the next call.
func (p Publication) MayHavePublished() bool {
	return p.IsCallUnresolved() || p.Step == StepOutcomeUnknown ||
		p.Armed && p.Step == StepIdle && p.answerIfKnownUnmade() == AnswerNone
}

// AllowsPostChanges reports whether a queued post can still be cancelled, rescheduled or edited: only before it is
// armed. While a call that had no effect (AnswerAbsent) leaves the post in this step, the worker repeats the call as
// soon as the network responds.
func (p Publication) AllowsPostChanges() bool {
	return p.Step == StepIdle || p.Step == StepCreating || p.Step == StepWaiting
}

// AllowsContentChanges reports whether AllowsPostChanges also extends to the content. After a publishing call, it does
// not, not even if the network did not show the post (AnswerAbsent). The worker searches the network again right before
// the next call, because a call can take effect unusually late. The content is all that such a search has to go by:
// with other content, Belfry would miss the first post and publish a second. People can edit a duplicate instead.
func (p Publication) AllowsContentChanges() bool { return p.AllowsPostChanges() && !p.Armed }
