package core_test

import "belfry/internal/core"

// model is the world's rules: a flow, what may happen, and how the product is built around Next.
type model struct {
	flow   core.Flow
	start  budget
	ahead  bool // the post is prepared before its time
	parts  bool // what is made first are parts
	chunks bool // the bytes are sent to the handle
	called bool // an older version of Belfry has made the call in another flow
	ailing bool // no irreversible call that a worker waits for is carried out or answered
	blind  bool // the network shows no post, but publishes none twice, and says so
	design design
	// complain is called with a promise that a decision breaks.
	complain func(promise string)
}

// design is what stands between Next and the world. The product's own is the zero value but for next;
// each planted bug changes one thing.
type design struct {
	next func(p core.Publication, s core.Signal) (core.Publication, core.Action)
	// noFence writes without looking at the epoch.
	noFence bool
	// noArm leaves the ledger as it was when it should say armed.
	noArm bool
	// sameEpoch is a cancel or a move that does not raise the epoch; retryForgets starts the ledger anew.
	sameEpoch, retryForgets bool
	// raceIsDeath takes "no such container" right after its making as the container's end.
	raceIsDeath bool
	// quietAtAnswer looks at the clock when a question is answered and not when it is put.
	quietAtAnswer bool
	// moveArmed lets a person cancel whatever the ledger says.
	moveArmed bool
	// remembersOldToken fails a post because of a token from before the account was reconnected.
	remembersOldToken bool
}

func theProduct() design { return design{next: core.Publication.Next} }

// emit takes a state that may come next. A fault uses up budget; who and what are for the trace.
type emit func(next world, fault bool, who int, act, what string)

// Who acts, beside the two workers.
const (
	theWorld  = -1
	thePerson = -2
)

func (m *model) first() world {
	w := world{flags: tokenWorks | accountOK | due, left: m.start}
	if m.ahead {
		w.flags &^= due
	}
	if m.called {
		w.flags |= lagging
		w.row = pack(core.Publication{Step: core.StepIdle, Armed: true})
	}
	return w
}

// spend returns whether the budget allows another, and takes it.
func spend(left *uint8) bool {
	if *left == 0 {
		return false
	}
	*left--
	return true
}

func (m *model) successors(w world, out emit) {
	m.time(w, out)
	m.network(w, out)
	m.person(w, out)
	m.claim(w, out)
	for i := range w.workers {
		m.accidents(w, i, out)
		switch w.workers[i].phase {
		case phaseSave:
			m.save(w, i, out)
		case phaseCall:
			m.send(w, i, out)
		case phaseSent:
			m.serve(w, i, out)
		case phaseAnswers:
			m.judge(w, i, w.workers[i].flags&quiet != 0 || m.design.quietAtAnswer && w.mayBeQuiet(), out)
		}
	}
}

func (m *model) time(w world, out emit) {
	if n := w; n.flags&due == 0 {
		n.flags |= due
		out(n, false, theWorld, "the post's time comes", "")
	}
	if n := w; n.flags&lagging != 0 {
		n.flags &^= lagging
		out(n, false, theWorld, "the network's list catches up", "")
	}
	if n := w; n.flags&throttled != 0 {
		n.flags &^= throttled
		out(n, false, theWorld, "the network's throttle ends", "")
	}
	if n := w; n.post == postRetrying {
		n.post = postQueued
		out(n, false, theWorld, "the worker's retry comes due", "")
	}
	if n := w; n.flags&tokenWorks != 0 && spend(&n.left.auth) {
		n.flags &^= tokenWorks
		out(n, true, theWorld, "the token is withdrawn", "")
		n.flags |= gone
		out(n, true, theWorld, "the account is gone for good", "")
	}
}

// network lets calls arrive that nobody waits for, and handles change by themselves.
func (m *model) network(w world, out emit) {
	if n := w; m.called && n.flags&lagging != 0 && n.visible == 0 {
		n.visible++
		out(n, false, theWorld, "the call in another flow arrives", "")
	}
	if !m.flow.CanRepeatCall() {
		for i := range w.handles {
			m.handleLives(w, i, out)
		}
		if n := w; n.late > 0 {
			n.late--
			m.show(n, func(n world) { out(n, false, theWorld, "a late call arrives", "") })
		}
		if n := w; n.ice > 0 {
			n.ice--
			m.show(n, func(n world) { out(n, false, theWorld, "a call arrives after the settle time", "") })
		}
		if n := w; n.late > 0 && spend(&n.left.freeze) {
			n.late, n.ice = n.late-1, n.ice+1
			out(n, true, theWorld, "a call is stuck beyond the settle time", "")
		}
		return
	}
	for i := range w.handles {
		bit := uint8(1) << i
		if n := w; n.late&bit != 0 {
			n.late &^= bit
			m.arrive(&n, i)
			out(n, false, theWorld, "a late call arrives", handleNames[i+1])
		}
		if n := w; n.ice&bit != 0 {
			n.ice &^= bit
			if n.handles[i] == handleReady {
				n.flags |= excused
			}
			m.arrive(&n, i)
			out(n, false, theWorld, "a call arrives after the settle time", handleNames[i+1])
		}
		if n := w; n.late&bit != 0 && spend(&n.left.freeze) {
			n.late, n.ice = n.late&^bit, n.ice|bit
			out(n, true, theWorld, "a call is stuck beyond the settle time", handleNames[i+1])
		}
		m.handleLives(w, i, out)
	}
}

func (m *model) handleLives(w world, i int, out emit) {
	become := func(n world, state uint8, fault bool, act string) {
		n.handles[i] = state
		m.tidy(&n)
		out(n, fault, theWorld, act, handleNames[i+1])
	}
	if n := w; n.handles[i] == handleReady && m.chunks && spend(&n.left.behind) {
		become(n, handleUploading, true, "the network loses bytes of a handle")
	}
	switch w.handles[i] {
	case handleProcessing:
		become(w, handleReady, false, "a handle is ready")
		if n := w; spend(&n.left.stuck) {
			become(n, handleStuck, true, "a handle is processed for ever")
		}
		if n := w; spend(&n.left.refuse) {
			become(n, handleBad, true, "a handle is refused")
			become(n, handleBroken, true, "a handle cannot be processed")
		}
		fallthrough
	case handleReady, handleParts, handleUploading:
		if n := w; spend(&n.left.expire) {
			become(n, handleDead, true, "a handle expires")
		}
	case handlePublishing:
		n := w
		n.visible++
		become(n, handlePublished, false, "the accepted post shows")
		if n := w; spend(&n.left.stuck) {
			become(n, handleStuck, true, "the accepted post never shows")
			become(n, handleBroken, true, "the accepted post cannot be processed")
		}
		if n := w; spend(&n.left.doom) {
			become(n, handleDoomed, true, "the accepted post is refused for good")
		}
	}
}

// arrive is what an irreversible call does to its handle: nothing, unless it is ready.
func (m *model) arrive(w *world, i int) {
	if w.handles[i] == handleReady {
		w.handles[i] = handlePublished
		w.visible++
	}
}

// show makes a post visible in a flow without handles; the network's list may follow later.
func (m *model) show(w world, then func(world)) {
	if m.blind && w.visible > 0 {
		then(w)
		return
	}
	w.visible++
	then(w)
	if n := w; spend(&n.left.lag) {
		n.flags |= lagging
		then(n)
	}
}

func (m *model) person(w world, out emit) {
	if n := w; n.flags&(accountOK|tokenWorks) != accountOK|tokenWorks && n.flags&gone == 0 {
		n.reconnect()
		out(n, false, thePerson, "reconnects the account", "")
	}
	if n := w; n.post == postDraft {
		n.post = postQueued
		out(n, false, thePerson, "queues the draft", "")
	}
	// Before its time, a post may be changed under a claim: the worker that has it prepares it.
	movable := m.publication(w.row).AllowsPostChanges() && (w.lease == 0 || w.flags&due == 0) || m.design.moveArmed && w.lease == 0
	if n := w; n.post == postQueued && movable && spend(&n.left.cancel) {
		n.row, n.post = pack(m.publication(n.row).Unqueue()), postDraft
		if !m.design.sameEpoch {
			n.takeAway()
		}
		out(n, true, thePerson, "cancels", "")
	}
	if n := w; n.post == postQueued && movable && spend(&n.left.move) {
		n.flags &^= due
		if !m.design.sameEpoch {
			n.takeAway()
		}
		out(n, true, thePerson, "chooses a later time", "")
	}
	if n := w; n.post == postRetrying && spend(&n.left.cancel) {
		n.post = postFailed
		out(n, true, thePerson, "takes back the worker's retry", "")
	}
	if n := w; (n.post == postFailed || n.post == postRetrying) && m.maySendAgain(&n) && spend(&n.left.retry) {
		n.row, n.post = pack(m.publication(n.row).Requeue(steps[n.row.step] == core.StepOutcomeUnknown)), postQueued
		if m.design.retryForgets {
			n.row = row{}
		}
		if !m.design.sameEpoch {
			n.takeAway()
		}
		out(n, true, thePerson, "retries", "")
	}
}

// maySendAgain keeps to the promise of a person who says that an unknown post is not there: it is true,
// and stays true.
func (m *model) maySendAgain(w *world) bool {
	return steps[w.row.step] != core.StepOutcomeUnknown || w.visible == 0 && !w.onWire(true) && !w.publishing() &&
		!w.slowAtNetwork()
}

func (m *model) claim(w world, out emit) {
	if w.lease != 0 {
		return
	}
	switch {
	case w.post == postQueued:
	case w.post == postFailed && steps[w.row.step] == core.StepOutcomeUnknown && spend(&w.left.look):
	default:
		return
	}
	i := 0
	if w.workers[0].phase != phaseIdle {
		i = 1
	}
	if w.workers[i].phase != phaseIdle {
		return
	}
	n := w
	n.takeAway()
	n.lease = uint8(i + 1)
	n.workers[i] = worker{flags: fresh, row: n.row}
	if p := m.publication(n.row); n.row.flags&rowOldToken != 0 && !m.design.remembersOldToken {
		n.workers[i].row = pack(p.ForgetTokenRefusal())
	}
	if w.flags&waited != 0 {
		n.workers[i].flags |= hasWaited
	}
	m.judge(n, i, false, out)
	if n.mayBeQuiet() {
		m.judge(n, i, true, out)
	}
}
