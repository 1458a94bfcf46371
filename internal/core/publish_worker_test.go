package core_test

import "belfry/internal/core"

// judge lets Next decide about the worker's verdict, for every time that it can be by now.
func (m *model) judge(w world, i int, isQuiet bool, out emit) {
	k := w.workers[i]
	p := m.publication(k.row)
	signal := core.Signal{
		Verdict: verdicts[k.verdict], Handle: handleNames[k.handle], Due: w.flags&due != 0, Quiet: isQuiet,
		AccountOK: w.flags&accountOK != 0, MayRetry: schedule.HasRetriesLeft(p), Held: w.flags&throttled != 0,
		Waited: k.flags&hasWaited != 0, ErrorsMayPublish: !m.flow.CanRepeatCall(),
	}
	if signal.Verdict != core.Claimed {
		signal.Call = dos[k.do]
	}
	for _, facts := range m.mayBeLate(&w, signal.Verdict) {
		signal.Stale, signal.Aged = facts.stale, facts.aged
		next, do := m.design.next(p, signal)
		// A post of FlowHandle must not be given up while asking is worth while, nor any post before its time because of a
		// handle that another can replace, nor because of an account whose token works.
		refused := signal.Verdict == core.AuthLost || k.flags&oldToken != 0
		switch {
		case do == core.DoOutcomeUnknown && m.flow == core.FlowHandle && !signal.Stale && w.flags&admitted == 0,
			do == core.DoFail && !signal.Due && (signal.Verdict == core.Dead || signal.Verdict == core.Broken),
			do == core.DoAccount && signal.AccountOK && !refused:
			m.complain("given up without need")
		case do == core.DoPublish && p.Armed && !m.flow.CanRepeatCall() && k.flags&searched == 0:
			m.complain("a second call that no search precedes")
		}
		n := w
		n.workers[i] = worker{
			phase: phaseSave, do: code(dos[:], do), verdict: k.verdict, flags: k.flags & (fresh | oldToken | searched),
			row: pack(next),
		}
		m.tidy(&n)
		if signal.Verdict == core.Claimed {
			out(n, false, i, "claims, will", string(do))
		} else {
			out(n, false, i, "decides to", string(do))
		}
	}
}

// lateness is how long something may have taken.
type lateness struct{ stale, aged bool }

// mayBeLate lists what may be true of the time that has passed. Days can have passed when nothing is on its way.
func (m *model) mayBeLate(w *world, v core.Verdict) []lateness {
	all := []lateness{{}}
	if !w.onWire(true) && !w.slowAtNetwork() && w.flags&lagging == 0 {
		all = append(all, lateness{stale: true})
	}
	if v == core.Dead {
		all = append(all, lateness{aged: true})
	}
	return all
}

// accidents happen to a worker at any boundary.
func (m *model) accidents(w world, i int, out emit) {
	k := w.workers[i]
	if k.phase == phaseIdle {
		return
	}
	publishing := k.phase == phaseSent && dos[k.do] == core.DoPublish
	if n := w; spend(&n.left.kill) {
		if publishing {
			n := n
			m.leave(&n, k)
			m.release(&n, i)
			out(n, true, i, "is killed", "with its call on the wire")
		}
		m.release(&n, i)
		out(n, true, i, "is killed", "")
	}
	if n := w; n.lease == uint8(i+1) && spend(&n.left.pause) {
		n.lease = 0
		out(n, true, i, "is paused until its lease ends", "")
	}
	if n := w; publishing && k.flags&frozen == 0 && spend(&n.left.freeze) {
		n.workers[i].flags |= frozen
		out(n, true, i, "is frozen with its call half sent", "")
	}
}

// leave turns a worker's irreversible call into one that nobody waits for.
func (m *model) leave(w *world, k worker) {
	to := &w.late
	if k.flags&frozen != 0 {
		to = &w.ice
	}
	if !m.flow.CanRepeatCall() {
		*to++
		return
	}
	*to |= 1 << (k.row.handle - 1)
}

// release ends the worker's claim.
func (m *model) release(w *world, i int) {
	if w.lease == uint8(i+1) {
		w.lease = 0
	}
	w.workers[i] = worker{}
	m.tidy(w)
}

var outcomes = map[core.Action]uint8{
	core.DoLive: postLive, core.DoFail: postFailed, core.DoAccount: postFailed, core.DoOutcomeUnknown: postFailed,
	core.DoRetry: postRetrying,
}

// save is the fenced write: the ledger, and the post's state where the claim ends.
func (m *model) save(w world, i int, out emit) {
	k := w.workers[i]
	if k.flags&fresh == 0 && !m.design.noFence {
		m.release(&w, i)
		out(w, false, i, "is fenced out", "")
		return
	}
	do := dos[k.do]
	if do == core.DoPublish {
		m.waitForTurn(w, i, out)
	}
	if do != core.DoStop {
		w.row = k.row
		if k.flags&oldToken != 0 && answers[w.row.answer] == core.AnswerAuth {
			w.row.flags |= rowOldToken
		}
		if m.design.noArm && steps[w.row.step] == core.StepArmed {
			w.row.step, w.row.flags, w.row.answer = code(steps[:], core.StepWaiting), 0, 0
		}
	}
	w.loseAccountIfRefused(k)
	if do.IsCall() {
		w.workers[i].phase, w.workers[i].verdict = phaseCall, 0
		m.tidy(&w)
		out(w, false, i, "has saved", string(steps[k.row.step]))
		return
	}
	if post, ends := outcomes[do]; ends {
		w.post = post
	}
	if n := w; spend(&n.left.loss) { // the result must not be lost: it is written until somebody says so
		n.lease = 0
		out(n, true, i, "has saved without knowing, and saves again", string(do))
	}
	m.release(&w, i)
	out(w, false, i, "has saved and ends with", string(do))
}

// waitForTurn is the save that finds another post of the account in its irreversible step: it ends the claim.
func (m *model) waitForTurn(w world, i int, out emit) {
	k := w.workers[i]
	w.row = pack(m.publication(k.row).RevertUnmadeCall(core.DoPublish, m.publication(w.row)))
	w.flags |= waited
	w.loseAccountIfRefused(k)
	m.release(&w, i)
	out(w, false, i, "must wait for its turn", "")
}

// loseAccountIfRefused marks the account if the network has refused its present token.
func (w *world) loseAccountIfRefused(k worker) {
	if verdicts[k.verdict] == core.AuthLost && k.flags&oldToken == 0 {
		w.flags &^= accountOK
	}
}

// send checks both clocks, renews the lease where it must, and puts the call on the wire.
func (m *model) send(w world, i int, out emit) {
	k := &w.workers[i]
	if !m.design.noFence && w.lease != uint8(i+1) {
		if k.flags&fresh == 0 || w.lease != 0 {
			m.release(&w, i)
			out(w, false, i, "sees that its lease is over", "")
			return
		}
		w.lease = uint8(i + 1)
	}
	k.phase = phaseSent
	if dos[k.do] != core.DoPublish && w.mayBeQuiet() && k.row.flags&rowArmed != 0 {
		n := w
		n.workers[i].flags |= quiet
		out(n, false, i, "calls after the settle time", string(dos[k.do]))
	}
	out(w, false, i, "calls", string(dos[k.do]))
}
