package core_test

import (
	"fmt"
	"strings"
	"testing"
)

// exploration walks breadth-first through every state that a model can reach, so that the first trace
// to a broken promise is a shortest one.
type exploration struct {
	model  *model
	index  map[world]uint32
	states []world
	parent []uint32
	// next holds the successors of all states in order; those of state s end at ends[s]. The top bit
	// marks a fault.
	next []uint32
	ends []uint32
	// broken has the first state that breaks each promise.
	broken  map[string]uint32
	endings map[string]int
}

const faultBit = 1 << 31

// explore walks until all is seen, or until the promise named by stopAt is broken, then past every other
// that is broken before.
func explore(m *model, stopAt string) *exploration {
	e := &exploration{model: m, index: map[world]uint32{}, broken: map[string]uint32{}, endings: map[string]int{}}
	at := uint32(0)
	m.complain = func(promise string) { e.note(promise, at) }
	e.add(m.first(), 0)
	for ; int(at) < len(e.states); at++ {
		w := e.states[at]
		if promise := m.wrong(&w); promise != "" {
			e.note(promise, at)
			e.ends = append(e.ends, uint32(len(e.next)))
			if promise == stopAt {
				return e
			}
			if stopAt == "" {
				continue // what follows a broken promise proves nothing
			}
		}
		m.successors(w, func(n world, fault bool, _ int, _, _ string) {
			to := e.add(n, at)
			if fault {
				to |= faultBit
			}
			e.next = append(e.next, to)
		})
		e.ends = append(e.ends, uint32(len(e.next)))
		if end := w.ended(); end != "" {
			e.endings[end]++
		}
	}
	e.findStuck()
	return e
}

func (e *exploration) note(promise string, at uint32) {
	if _, seen := e.broken[promise]; !seen {
		e.broken[promise] = at
	}
}

func (e *exploration) add(w world, from uint32) uint32 {
	if i, seen := e.index[w]; seen {
		return i
	}
	i := uint32(len(e.states))
	e.index[w] = i
	e.states = append(e.states, w)
	e.parent = append(e.parent, from)
	return i
}

// findStuck notes a state from which no end can be reached any more without a further fault.
func (e *exploration) findStuck() {
	ends := make([]bool, len(e.states))
	for again := true; again; {
		again = false
		for s := len(e.states) - 1; s >= 0; s-- {
			if !ends[s] && (e.isEnd(s) || e.leadsToEnd(s, ends)) {
				ends[s], again = true, true
			}
		}
	}
	for s, ok := range ends {
		if !ok {
			e.note("stuck", uint32(s))
			return
		}
	}
}

func (e *exploration) isEnd(s int) bool {
	return e.states[s].ended() != "" || e.model.wrong(&e.states[s]) != ""
}

func (e *exploration) leadsToEnd(s int, ends []bool) bool {
	from := uint32(0)
	if s > 0 {
		from = e.ends[s-1]
	}
	for _, to := range e.next[from:e.ends[s]] {
		if to&faultBit == 0 && ends[to] {
			return true
		}
	}
	return false
}

// trace tells the way to a state, one act a line.
func (e *exploration) trace(s uint32) string {
	var lines []string
	for s != 0 {
		from := e.parent[s]
		lines = append(lines, e.act(from, e.states[s]))
		s = from
	}
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "\n%4d %s", i+1, lines[len(lines)-1-i])
	}
	return b.String()
}

func (e *exploration) act(from uint32, to world) (line string) {
	names := map[int]string{0: "A", 1: "B", theWorld: "world:", thePerson: "person"}
	e.model.successors(e.states[from], func(n world, _ bool, who int, act, what string) {
		if n == to && line == "" {
			line = strings.TrimSpace(fmt.Sprintf("%s %s %s", names[who], act, what))
		}
	})
	return line
}

// report fails the test with the shortest trace to each broken promise.
func (e *exploration) report(t *testing.T) {
	t.Helper()
	for promise, s := range e.broken {
		t.Errorf("%s:%s\n     ledger %+v", promise, e.trace(s), e.model.publication(e.states[s].row))
	}
}
