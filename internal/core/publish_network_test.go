package core_test

import "belfry/internal/core"

// serve is the network's side of a call. A reconnection may end the token of a worker that does not know of it.
func (m *model) serve(w world, i int, out emit) {
	if w.workers[i].flags&oldToken != 0 && w.flags&tokenWorks != 0 {
		m.answer(w, i, core.AuthLost, false, "is answered, with its old token:", out)
	}
	switch dos[w.workers[i].do] {
	case core.DoCreate:
		m.serveCreate(w, i, out)
	case core.DoStatus:
		m.serveStatus(w, i, out)
	case core.DoFind:
		m.serveFind(w, i, out)
	case core.DoPublish:
		m.servePublish(w, i, out)
	}
}

func (m *model) answer(w world, i int, v core.Verdict, fault bool, how string, out emit) {
	if v == core.Throttled {
		w.flags |= throttled
	}
	k := &w.workers[i]
	k.phase, k.verdict, k.flags = phaseAnswers, code(verdicts[:], v), k.flags&^frozen
	m.tidy(&w)
	out(w, fault, i, how, string(v))
}

// inVain answers the call in each of the ways, and has no effect.
func (m *model) inVain(w world, i int, out emit, vs ...core.Verdict) {
	for _, v := range vs {
		m.answer(w, i, v, true, "is answered, without effect:", out)
	}
}

func (m *model) serveCreate(w world, i int, out emit) {
	if n := w; spend(&n.left.loss) { // what was made all the same is an orphan that nobody can name
		m.inVain(n, i, out, core.Lost)
	}
	if w.flags&tokenWorks == 0 {
		m.answer(w, i, core.AuthLost, false, "is answered", out)
		return
	}
	if n := w; spend(&n.left.refuse) {
		m.inVain(n, i, out, core.Refused, core.Throttled)
	}
	made := uint8(handleProcessing)
	switch {
	case m.parts:
		made = handleParts
	case m.chunks:
		made = handleUploading
	}
	m.make(w, i, made, core.Done, out)
}

// make gives the worker a handle with its answer.
func (m *model) make(w world, i int, made uint8, v core.Verdict, out emit) {
	for h := range w.handles {
		if w.handles[h] == handleNone {
			w.handles[h] = made
			w.workers[i].handle = uint8(h + 1)
			m.answer(w, i, v, false, "is answered", out)
			return
		}
	}
	panic("the model has too few handles")
}

var handleVerdicts = [...]core.Verdict{
	handleNone: core.Dead, handleProcessing: core.Pending, handleReady: core.Ready, handlePublishing: core.Pending,
	handlePublished: core.Done, handleDead: core.Dead, handleBad: core.Refused, handleStuck: core.Pending,
	handleParts: core.Pending, handleBroken: core.Broken, handleDoomed: core.Doomed,
}

func (m *model) serveStatus(w world, i int, out emit) {
	if n := w; spend(&n.left.ask) {
		m.inVain(n, i, out, core.Lost, core.Throttled, core.Refused)
		if m.design.raceIsDeath {
			m.inVain(n, i, out, core.Dead)
		}
	}
	switch {
	case w.flags&tokenWorks == 0:
		m.answer(w, i, core.AuthLost, false, "is answered", out)
	case m.flow == core.FlowOneCall:
		m.answer(w, i, core.Ready, false, "is answered", out)
	case w.handles[w.workers[i].row.handle-1] == handleParts:
		if n := w; spend(&n.left.loss) { // the whole is made, and an orphan
			m.inVain(n, i, out, core.Lost)
		}
		m.make(w, i, handleProcessing, core.Pending, out)
		m.make(w, i, handleReady, core.Ready, out)
	case w.handles[w.workers[i].row.handle-1] == handleUploading:
		if n := w; spend(&n.left.loss) {
			m.inVain(n, i, out, core.Lost)
			n.handles[n.workers[i].row.handle-1] = handleReady
			m.answer(n, i, core.Lost, true, "brings the last bytes, and the answer is lost:", out)
		}
		w.handles[w.workers[i].row.handle-1] = handleReady
		m.answer(w, i, core.Progress, false, "brings the last bytes, and is answered", out)
	case m.blind && w.handles[w.workers[i].row.handle-1] == handlePublished:
		m.hide(&w)
		m.answer(w, i, core.Ready, false, "is answered", out)
	default:
		m.answer(w, i, handleVerdicts[w.handles[w.workers[i].row.handle-1]], false, "is answered", out)
	}
}

// hide lets the network not show a post, which excuses what follows unless the network has said that it has the post.
func (m *model) hide(w *world) {
	if w.flags&admitted == 0 {
		w.flags |= excused
	}
}

func (m *model) serveFind(w world, i int, out emit) {
	w.workers[i].flags |= searched
	if n := w; spend(&n.left.ask) {
		m.inVain(n, i, out, core.Lost, core.Throttled, core.Refused)
	}
	if n := w; spend(&n.left.vague) {
		m.inVain(n, i, out, core.Ambiguous)
	}
	switch {
	case w.flags&tokenWorks == 0:
		m.answer(w, i, core.AuthLost, false, "is answered", out)
	case w.visible > 0 && w.flags&lagging == 0 && !m.blind:
		m.answer(w, i, core.Done, false, "is answered", out)
	default:
		// After a refusal the product asks once more; what else hides a post for long is beyond the promise.
		if w.visible > 0 && (m.blind || answers[w.workers[i].row.answer] != core.AnswerRefused) {
			m.hide(&w)
		}
		m.answer(w, i, core.Absent, false, "is answered", out)
	}
}

// servePublish is the irreversible call: whether it has its effect and how it is answered are two things.
func (m *model) servePublish(w world, i int, out emit) {
	k := w.workers[i]
	if n := w; spend(&n.left.loss) {
		m.inVain(n, i, out, core.Lost, core.NotSent)
		m.leave(&n, k)
		m.answer(n, i, core.Lost, true, "gives up with its call on the wire:", out)
	}
	if w.flags&tokenWorks == 0 {
		m.answer(w, i, core.AuthLost, false, "is answered", out)
		return
	}
	if n := w; spend(&n.left.refuse) {
		m.inVain(n, i, out, core.Refused, core.Throttled)
	}
	if m.ailing {
		m.answer(w, i, core.Lost, false, "is not answered, without effect:", out)
		return
	}
	if m.blind && w.visible > 0 {
		w.flags = w.flags&^excused | admitted
		m.answer(w, i, core.Ambiguous, false, "is answered that the post is there already:", out)
		return
	}
	// What was prepared may be gone by now; that it was used before does not matter.
	prepared := k.row.handle == 0 || w.handles[k.row.handle-1] == handleReady
	if !m.flow.CanRepeatCall() && prepared {
		m.show(w, func(n world) { m.published(n, i, out) })
		return
	}
	h := k.row.handle - 1
	if w.handles[h] == handleUploading { // bytes are missing before those of the call, and may still arrive
		m.answer(w, i, core.Lost, false, "is answered that bytes are missing:", out)
		return
	}
	if w.handles[h] != handleReady { // the network's own guard: a handle publishes once
		m.answer(w, i, core.Refused, false, "is answered", out)
		return
	}
	if k.flags&frozen != 0 {
		w.flags |= excused
	}
	if n := w; spend(&n.left.slow) {
		n.handles[h] = handlePublishing
		m.answer(n, i, core.Lost, true, "is not answered, and the network will show the post later:", out)
		m.answer(n, i, core.Pending, false, "is accepted, and the network will show the post later:", out)
	}
	m.arrive(&w, int(h))
	m.published(w, i, out)
}

func (m *model) published(w world, i int, out emit) {
	m.answer(w, i, core.Done, false, "is answered", out)
	if n := w; spend(&n.left.loss) {
		m.answer(n, i, core.Lost, true, "publishes, and the answer is lost:", out)
	}
	if n := w; spend(&n.left.lie) {
		m.answer(n, i, core.Refused, true, "publishes, and is answered", out)
		m.answer(n, i, core.Throttled, true, "publishes, and is answered", out)
	}
	if n := w; spend(&n.left.lieAuth) {
		n.flags |= excused
		m.answer(n, i, core.AuthLost, true, "publishes, and is answered", out)
	}
}
