package core

// The publishing protocol, as a pure function. A worker claims a publication and calls Next with the verdict Claimed.
// It saves the publication that Next returns, does what Next requests, one call at a time, and calls Next again with
// the result. If the worker dies, the next claim continues from what was saved. docs/publishing.md explains why;
// publish_explore_test.go explores every interleaving.

// Verdict is the result of a call to the network.
type Verdict string

// Verdicts.
const (
	Claimed   Verdict = ""          // no call: a worker has just claimed the publication
	Done      Verdict = "done"      // created, published, or found published
	Ready     Verdict = "ready"     // status: can be published
	Pending   Verdict = "pending"   // status: not ready yet; publish: accepted, not visible yet
	Progress  Verdict = "progress"  // status: more of the post's bytes have arrived; ask again immediately
	Dead      Verdict = "dead"      // status: this handle was never published and never can be
	Broken    Verdict = "broken"    // like Dead, because the network could not process what it received
	Doomed    Verdict = "doomed"    // status: accepted for publishing, then refused permanently
	Absent    Verdict = "absent"    // search: not found
	Ambiguous Verdict = "ambiguous" // search: it is unclear which post is ours; publish: refused as a repetition
	Refused   Verdict = "refused"   // a well-formed permanent refusal
	Throttled Verdict = "throttled" // a well-formed temporary refusal
	AuthLost  Verdict = "auth"      // a well-formed refusal of our token
	NotSent   Verdict = "not_sent"  // no byte of the request was written
	Lost      Verdict = "lost"      // anything else: no response, a partial one, a server error
)

// Signal is what has just happened, and the circumstances of this moment.
type Signal struct {
	Call      Action // the call that returned
	Verdict   Verdict
	Handle    string // from a Done create, or from a status that has replaced the handle
	Due       bool   // the post's time has come
	Quiet     bool   // when this call was made, no call since the last arm could still take effect or become visible
	Stale     bool   // the network was asked in vain for so long that asking again is pointless
	Aged      bool   // the handle was idle during a throttle or until the post's time, and may have expired
	AccountOK bool
	MayRetry  bool // the worker has retries left
	Held      bool // a pause that the network has asked for is not over
	// Waited reports whether the last claim ended right before a call that needs the account's turn, because another post
	// had the turn. In StepWaiting, only the arm needs it, and the search for a post that was armed before.
	Waited bool
	// ErrorsMayPublish reports whether the network sometimes publishes a post even though it answers with an error.
	ErrorsMayPublish bool
}

// Action is what the worker does next: a call to the network, or how it ends the claim.
type Action string

// Actions. The first four are calls to the network; the others end this claim.
const (
	DoCreate  Action = "create"
	DoStatus  Action = "status"
	DoPublish Action = "publish"
	DoFind    Action = "find"

	DoLive           Action = "live"    // the post is live
	DoFail           Action = "fail"    // the post failed permanently
	DoAccount        Action = "account" // the post failed because its account must be reconnected
	DoRetry          Action = "retry"   // the post failed, and the worker will retry it by itself
	DoOutcomeUnknown Action = "unknown" // the post failed with outcome_unknown
	DoHold           Action = "hold"    // the post stays queued until the network's throttle ends
	DoPoll           Action = "poll"    // the post stays queued: the handle is being processed
	DoAwait          Action = "await"   // the post stays queued until its time, or until publishing is no longer on hold
	DoSettle         Action = "settle"  // the post stays queued until the settle time is over
	DoBackoff        Action = "backoff" // the post stays queued: the network cannot be asked right now
	DoStop           Action = "stop"    // nothing to do
)

// IsCall reports whether the action is a call to the network.
func (a Action) IsCall() bool {
	return a == DoCreate || a == DoStatus || a == DoPublish || a == DoFind
}

// limitDeaths is how many handles may die before the post fails. Networks recommend one or two new handles.
const limitDeaths = 2

// Next returns the publication to save, and what to do after saving it. The signal is the result of the last action.
func (p Publication) Next(s Signal) (Publication, Action) {
	if s.Verdict == Claimed {
		return p.nextAfterClaim(s)
	}
	switch p.Step {
	case StepIdle, StepCreating, StepWaiting:
		switch s.Call {
		case DoFind:
			return p.nextAfterSearchBeforeCall(s)
		case DoCreate:
			return p.nextAfterCreate(s)
		case DoStatus:
			return p.nextAfterStatusBeforeArm(s)
		}
	case StepArmed:
		if s.Call == DoPublish {
			return p.nextAfterPublish(s)
		}
		return p.nextAfterOutcomeQuery(s)
	case StepOutcomeUnknown:
		if s.Verdict == Done {
			return p.becomeLive()
		}
	}
	return p, DoStop
}

func (p Publication) nextAfterClaim(s Signal) (Publication, Action) {
	switch p.Step {
	case StepLive, StepRejected:
		return p, DoStop
	case StepOutcomeUnknown:
		switch {
		case s.AccountOK && p.Handle == "":
			return p, DoFind
		case s.AccountOK:
			return p, p.Flow.chooseOutcomeQuery()
		case s.Stale:
			return p, DoStop
		}
		return p, DoBackoff
	case StepArmed:
		if p.Open && p.Answer == AnswerDenied { // the claim before may have made a call, which the answer does not cover
			p.Answer = AnswerNone
		}
		switch {
		case !s.AccountOK && !p.IsCallUnresolved():
			return p.becomeFailedOrOutcomeUnknown(DoAccount)
		case !s.AccountOK && s.Stale:
			return p.becomeOutcomeUnknown()
		case !s.AccountOK:
			return p, DoBackoff
		case !p.Flow.CanRepeatCall() && p.Open && !s.Quiet:
			return p, DoSettle
		}
		return p, p.Flow.chooseOutcomeQuery()
	}
	switch {
	case !s.AccountOK && !s.Due: // a person may reconnect it in time
		return p, DoAwait
	case !s.AccountOK:
		return p.becomeFailedOrOutcomeUnknown(DoAccount)
	case s.Held:
		return p, DoHold
	case p.Armed && !s.Quiet: // a refused post may exist before the network lists it
		return p, DoSettle
	case p.Armed: // an earlier call was refused: ask right before repeating it, because it may take effect late
		return p, DoFind
	case p.Step == StepWaiting && s.Waited && s.Due: // its status was Ready
		return p.armAndPublish()
	case p.Step == StepWaiting:
		return p, DoStatus
	}
	return p.createHandleOrAskStatus()
}

// createHandleOrAskStatus chooses the call that must precede the irreversible call. A handle shows the outcome only of
// its own call, so an earlier call, whose outcome is known, is forgotten.
func (p Publication) createHandleOrAskStatus() (Publication, Action) {
	if p.Flow.CanRepeatCall() {
		p.Armed, p.Answer = false, AnswerNone
	}
	if p.Flow.MakesHandle() && p.Handle == "" {
		p.Step = StepCreating
		return p, DoCreate
	}
	p.Step = StepWaiting
	return p, DoStatus
}

func (p Publication) nextAfterCreate(s Signal) (Publication, Action) {
	switch s.Verdict {
	case Done:
		p.Step, p.Handle = StepWaiting, s.Handle
		return p, DoStatus
	case Refused:
		return p.becomeFailedOrOutcomeUnknown(DoFail)
	}
	// An orphaned handle is invisible: the next attempt creates another.
	p.Step = StepIdle
	return p.nextAfterHarmlessFailure(s)
}

// nextAfterHarmlessFailure handles a failure that certainly left nothing visible. Before the post is due, a failure
// does not use up a retry. Belfry tries again soon if the cause may go away by itself, and otherwise when the post is
// due.
func (p Publication) nextAfterHarmlessFailure(s Signal) (Publication, Action) {
	switch {
	case s.Verdict == Throttled:
		return p, DoHold
	case !s.Due && (s.Verdict == AuthLost || s.Verdict == Broken):
		return p, DoAwait
	case !s.Due:
		return p, DoBackoff
	case s.Verdict == AuthLost:
		return p.becomeFailedOrOutcomeUnknown(DoAccount)
	case s.MayRetry:
		p.Tries++
		return p, DoRetry
	}
	return p.becomeFailedOrOutcomeUnknown(DoFail)
}

func (p Publication) nextAfterStatusBeforeArm(s Signal) (Publication, Action) {
	if s.Handle != "" { // nothing is armed yet, so the new handle can replace the old one
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
			return p.replaceDeadHandleIfProvesUnpublished(s)
		case s.Verdict == Progress:
			return p, DoStatus
		}
		return p, DoPoll
	case Dead:
		return p.replaceDeadHandleIfProvesUnpublished(s)
	case Broken:
		return p.replaceBrokenHandleIfProvesUnpublished(s)
	case Refused, Doomed:
		p.Handle = ""
		return p.becomeFailedOrOutcomeUnknown(DoFail)
	}
	return p.nextAfterHarmlessFailure(s)
}

func (p Publication) armAndPublish() (Publication, Action) {
	p.Step, p.Armed, p.Open = StepArmed, true, true
	if p.Answer != AnswerDenied { // which counts again if the call turns out not to have been sent
		p.Answer = AnswerNone
	}
	return p, DoPublish
}

// RevertUnmadeCall returns the publication to save if the call that Next has requested is not made after all. It
// reverts only what Next changed for that call. before is the publication as it was before Next.
func (p Publication) RevertUnmadeCall(call Action, before Publication) Publication {
	switch call {
	case DoCreate:
		p.Step = StepIdle
	case DoPublish:
		p.Step, p.Armed, p.Open, p.Answer = before.Step, before.Armed, before.Open, before.Answer
	}
	return p
}

// replaceDeadHandleIfProvesUnpublished replaces a handle that, according to the network, was never published and never
// will be. A handle that expired while it was idle does not count against the post.
func (p Publication) replaceDeadHandleIfProvesUnpublished(s Signal) (Publication, Action) {
	if !p.doesHandleDeathProveUnpublished() {
		return p, DoBackoff
	}
	p = p.withoutDeadHandleDisarmedIfProven()
	if s.Verdict != Dead || !s.Aged {
		p.Deaths++
	}
	switch {
	case p.Deaths > limitDeaths && !s.Due: // before its time, no failure of the network fails the post
		p.Step, p.Deaths = StepIdle, limitDeaths
		return p, DoAwait
	case p.Deaths > limitDeaths:
		return p.becomeFailedOrOutcomeUnknown(DoFail)
	}
	p.Step = StepCreating
	return p, DoCreate
}

// replaceBrokenHandleIfProvesUnpublished replaces a handle that the network could not process, if this proves that
// nothing was published. It does so after a pause, because the cause may go away by itself.
func (p Publication) replaceBrokenHandleIfProvesUnpublished(s Signal) (Publication, Action) {
	if !p.doesHandleDeathProveUnpublished() {
		return p, DoBackoff
	}
	p = p.withoutDeadHandleDisarmedIfProven()
	p.Step = StepIdle
	return p.nextAfterHarmlessFailure(s)
}

// doesHandleDeathProveUnpublished reports whether the end of the handle proves that nothing was published. Before the
// arm, it does. After the arm, it does only if the handle shows the outcome of the call.
func (p Publication) doesHandleDeathProveUnpublished() bool {
	return p.Flow.MakesHandle() && (p.Flow.CanRepeatCall() || p.Step != StepArmed)
}

// withoutDeadHandleDisarmedIfProven returns the publication without its dead handle and without what is known about a
// call with this handle. The publication is also disarmed if the handle proves that the call had no effect.
func (p Publication) withoutDeadHandleDisarmedIfProven() Publication {
	p.Handle, p.Open, p.Answer = "", false, p.answerIfKnownUnmade()
	if p.Armed = p.Armed && !p.Flow.CanRepeatCall(); !p.Armed {
		p.Answer = AnswerNone
	}
	return p
}

var answers = map[Verdict]Answer{Refused: AnswerRefused, Throttled: AnswerThrottled, AuthLost: AnswerAuth}

// nextAfterPublish handles the answer to the irreversible call. An error proves nothing, because a network once refused
// a post and showed it anyway. An error only means that the network can be asked immediately.
func (p Publication) nextAfterPublish(s Signal) (Publication, Action) {
	switch s.Verdict {
	case Done:
		return p.becomeLive()
	case Refused, Throttled, AuthLost:
		p.Open, p.Answer = false, answers[s.Verdict]
		return p, p.Flow.chooseOutcomeQuery()
	case Ambiguous: // which an earlier call may have published
		p.Open, p.Answer = false, AnswerTaken
		return p, p.Flow.chooseOutcomeQuery()
	case NotSent:
		return p.nextAfterCallWithoutEffect(s)
	}
	p.Answer = AnswerLost
	if s.Verdict == Pending {
		p.Answer = AnswerTaken
	}
	if !p.Flow.CanRepeatCall() {
		return p, DoSettle
	}
	return p, DoStatus
}

// nextAfterCallWithoutEffect handles an irreversible call that certainly had no effect: like any other failure, it uses
// up a retry. The handle stays armed, so that the network is asked before the next call.
func (p Publication) nextAfterCallWithoutEffect(s Signal) (Publication, Action) {
	p.Open = false
	if p.Answer != AnswerDenied {
		p.Answer = AnswerAbsent
	}
	if !p.Flow.CanRepeatCall() {
		p.Step = StepIdle
	}
	return p.nextAfterHarmlessFailure(s)
}

// nextAfterOutcomeQuery handles what the network says about the outcome of the irreversible call.
func (p Publication) nextAfterOutcomeQuery(s Signal) (Publication, Action) {
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
		if !s.Stale && p.Flow.CanRepeatCall() {
			return p, DoStatus
		}
	case Dead:
		return p.replaceDeadHandleIfProvesUnpublished(s)
	case Broken:
		return p.replaceBrokenHandleIfProvesUnpublished(s)
	case Doomed:
		if p.doesHandleDeathProveUnpublished() {
			return p.withoutDeadHandleDisarmedIfProven().becomeFailedOrOutcomeUnknown(DoFail)
		}
	case Ambiguous:
		return p.believePersonElseBecomeOutcomeUnknown(s)
	case Refused: // the question was refused, which says nothing about the post
		if !p.Flow.CanRepeatCall() || p.Answer == AnswerDenied { // and every search will be refused
			return p.believePersonElseBecomeOutcomeUnknown(s)
		}
	case AuthLost:
		if !p.IsCallUnresolved() || !p.Open && p.Answer == AnswerAuth { // call and question were refused for the same reason
			return p.becomeFailedOrOutcomeUnknown(DoAccount)
		}
	}
	if s.Stale {
		return p.believePersonElseBecomeOutcomeUnknown(s)
	}
	return p, DoBackoff
}

// believePersonElseBecomeOutcomeUnknown handles a network that cannot tell the outcome. If a person has said that the
// post was not published, the post is prepared again; no earlier call can still take effect.
func (p Publication) believePersonElseBecomeOutcomeUnknown(s Signal) (Publication, Action) {
	switch {
	case p.Answer != AnswerDenied:
		return p.becomeOutcomeUnknown()
	case !s.Quiet:
		return p, DoSettle
	}
	return p.withoutDeadHandleDisarmedIfProven().createHandleOrAskStatus()
}

// nextAfterAbsence decides what to do when the network does not show the post. After an error, this proves that the
// call had no effect, but only after the settle time if the network's errors do not prove that. If the network has said
// that it has the post, it proves nothing. A handle whose call was interrupted together with its worker is called again
// immediately, but a call that the network has failed to carry out uses up a retry.
func (p Publication) nextAfterAbsence(s Signal) (Publication, Action) {
	answer := p.Answer
	switch {
	case p.IsCallUnresolved() && (p.Open || s.ErrorsMayPublish) && !s.Quiet: // it may exist and not be visible yet
		return p, DoSettle
	case p.Open && !p.Flow.CanRepeatCall(), !p.Open && answer == AnswerTaken:
		return p.becomeOutcomeUnknown()
	case p.Open && answer != AnswerNone:
		return p.nextAfterCallWithoutEffect(s)
	case p.IsCallUnresolved():
		p.Open, p.Answer = false, AnswerAbsent
	}
	switch {
	case answer == AnswerRefused:
		return p.becomeFailedOrOutcomeUnknown(DoFail)
	case answer == AnswerAuth:
		return p.becomeFailedOrOutcomeUnknown(DoAccount)
	case s.Held:
		return p.holdAndDisarmIfProvenUnpublished(s)
	}
	return p.armAndPublish()
}

// holdAndDisarmIfProvenUnpublished makes the post wait until a throttle ends. If the handle is still unpublished after
// the settle time, the earlier call had no effect: the publication is disarmed, and the post can be cancelled or moved
// meanwhile. Without such a handle, the network is asked again before the next call.
func (p Publication) holdAndDisarmIfProvenUnpublished(s Signal) (Publication, Action) {
	switch {
	case !p.Flow.CanRepeatCall():
		p.Step = StepIdle
	case s.Quiet:
		p.Step, p.Armed, p.Answer = StepWaiting, false, AnswerNone
	}
	return p, DoHold
}

// nextAfterSearchBeforeCall handles the search that precedes a second call, if the first one had no handle that shows
// its outcome. Each claim that leads to such a call begins with the search.
func (p Publication) nextAfterSearchBeforeCall(s Signal) (Publication, Action) {
	switch s.Verdict {
	case Done:
		return p.becomeLive()
	case Absent:
		if p.Answer != AnswerDenied {
			p.Answer = AnswerAbsent
		}
		return p.createHandleOrAskStatus()
	case Ambiguous, Refused:
		if p.Answer == AnswerDenied {
			return p.createHandleOrAskStatus()
		}
		return p.becomeOutcomeUnknown()
	}
	return p.nextAfterHarmlessFailure(s)
}

func (p Publication) becomeLive() (Publication, Action) {
	p.Step, p.Open = StepLive, false
	return p, DoLive
}

func (p Publication) becomeOutcomeUnknown() (Publication, Action) {
	p.Step, p.Open = StepOutcomeUnknown, false
	return p, DoOutcomeUnknown
}

// becomeFailedOrOutcomeUnknown makes the post fail. If it may be on the network, its outcome is unknown, or the network
// is asked once the account has been reconnected.
func (p Publication) becomeFailedOrOutcomeUnknown(do Action) (Publication, Action) {
	switch {
	case !p.MayHavePublished():
		p.Step = StepRejected
	case do != DoAccount:
		return p.becomeOutcomeUnknown()
	}
	return p, do
}
