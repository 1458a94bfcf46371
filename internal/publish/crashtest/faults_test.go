package crashtest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
)

// seedsPerWorld bounds the posts of a database.
const seedsPerWorld = 100

// Two kills, a network that cannot be reached or is slow, leases that expire while their worker goes on, and people who
// change posts meanwhile, all at random boundaries: each post still goes out once, or says why not.
func TestAPostGoesOutOnceDespiteRandomFaults(t *testing.T) {
	seeds := *many
	if *all {
		seeds = 10_000
	}
	worlds := max(min(seeds, 10), seeds/seedsPerWorld)
	var mu sync.Mutex
	results, happened := map[string]int{}, map[string]int{}
	t.Cleanup(func() { t.Logf("%d seeds, %v: %v", seeds, happened, results) })
	for part := range worlds {
		t.Run(fmt.Sprintf("part %d", part), func(t *testing.T) {
			t.Parallel()
			w, happenedHere := newWorld(t, shortLease), map[string]int{}
			for seed := *first + part; seed < *first+seeds && !t.Failed(); seed += worlds {
				all := w.runSeed(seed, happenedHere)
				mu.Lock()
				for _, o := range all {
					results[o.Status+" "+o.Code]++
				}
				mu.Unlock()
				if t.Failed() {
					t.Logf("again: go test ./internal/publish/crashtest -run RandomFaults -seeds 1 -seed %d", seed)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			for name, times := range happenedHere {
				happened[name] += times
			}
		})
	}
}

// misfortune makes the acts of one seed.
type misfortune struct {
	*world
	*rand.Rand
	posts    []post
	happened map[string]int
	depths   int // of workers that stand still while others work
}

// runSeed makes a few posts on two networks, lets two workers die over them and other things happen, and returns what
// became of the posts.
func (w *world) runSeed(seed uint64, happened map[string]int) (all []outcome) {
	w.t.Helper()
	m := &misfortune{world: w, Rand: rand.New(rand.NewPCG(seed, 3)), happened: happened}
	w.moveTo(w.Clock.Now().Truncate(time.Minute).Add(2 * time.Minute))
	for range 2 {
		m.makePosts()
	}
	for life := range 2 {
		l := w.startLife(m.drawActs(60*len(m.posts)/(1+life), true))
		w.runUntil(l, w.Clock.Now().Add(30*time.Minute), func() {})
		w.endLife(l)
	}
	last := w.startLife(nil)
	w.runUntil(last, w.Clock.Now().Add(6*time.Hour), func() {})
	w.endLife(last)
	for _, p := range m.posts {
		o := w.readOutcome(p)
		if wrong := o.complaintOfChanged(p); wrong != "" {
			w.t.Errorf("seed %d, %s: %s: %+v\n%s", seed, p.kind.Name, wrong, o, w.ledger())
		}
		all = append(all, o)
	}
	return all
}

// makePosts makes one to three posts of a kind: for now, for soon, or to be prepared before their time.
func (m *misfortune) makePosts() {
	kinds := apptest.Kinds()
	kind := kinds[m.IntN(len(kinds))]
	account := m.connectAccount(kind.Network)
	for n := range 1 + m.IntN(3) {
		if n > 0 && kind.Wordless {
			account = m.connectAccount(kind.Network)
		}
		when := now()
		if wait := []int{0, 0, 2, 14}[m.IntN(4)]; wait > 0 {
			when = contract.When{
				PublishAt: m.Clock.Now().Add(time.Duration(wait) * time.Minute).Format("2006-01-02T15:04"), Timezone: "UTC",
			}
		}
		m.posts = append(m.posts, m.makePost(kind, account, when))
	}
}

// drawActs draws what happens in a life, and at which of its first boundaries.
func (m *misfortune) drawActs(most int, deadly bool) map[int]act {
	acts := map[int]act{}
	draw := func(name string, happens act) {
		acts[1+m.IntN(most)] = func(s *script, at place) error {
			m.happened[name]++
			return happens(s, at)
		}
	}
	for range 3 {
		switch m.IntN(5) {
		case 0:
			draw("outages", m.cutOffNetwork)
		case 1:
			draw("delays", m.delayAnswer)
		case 2:
			draw("expired leases", m.expireLeases)
		case 3:
			draw("changes", m.changePost)
		case 4:
			draw("cuts", cutConnection)
		}
	}
	if deadly {
		draw("kills", []act{killLife, killSent}[m.IntN(2)])
	}
	return acts
}

// cutOffNetwork makes a network unreachable for up to two minutes.
func (m *misfortune) cutOffNetwork(*script, place) error {
	networks := m.Sim.Networks()
	network := networks[m.IntN(len(networks))]
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hosts, m.reachable = network.Hosts, m.Clock.Now().Add(time.Duration(m.IntN(120))*time.Second)
	return nil
}

// delayAnswer makes an answer, of the database or of a network, late by up to half a minute.
func (m *misfortune) delayAnswer(*script, place) error {
	m.moveTo(m.Clock.Now().Add(time.Duration(m.IntN(30)) * time.Second))
	return nil
}

// expireLeases lets the lease of a worker expire that goes on afterwards. Sometimes another has taken over by then.
func (m *misfortune) expireLeases(*script, place) error {
	if m.IntN(3) == 0 || m.depths == 2 {
		m.moveTo(m.Clock.Now().Add(m.Config.Schedule.Lease + time.Second))
		return nil
	}
	m.depths++
	defer func() { m.depths-- }()
	m.takeOver(m.drawActs(60, false))
	return nil
}

// changePost lets a person cancel, move or edit a post, if that is allowed just then.
func (m *misfortune) changePost(*script, place) error {
	ctx, cancel := context.WithTimeout(m.Context(), lockTimeout*time.Millisecond)
	defer cancel()
	p := m.posts[m.IntN(len(m.posts))]
	edit := contract.EditPost{ID: p.id.String()}
	switch m.IntN(3) {
	case 0: // a refusal is as good
		_, _ = m.App.CancelPost(ctx, m.ws.Owner, edit.ID)
		return nil
	case 1:
		at := m.Clock.Now().Add(time.Duration(1+m.IntN(20)) * time.Minute)
		edit.When = &contract.When{PublishAt: at.Format("2006-01-02T15:04"), Timezone: "UTC"}
	case 2:
		if p.kind.Wordless {
			return nil
		}
		m.made++
		text := fmt.Sprintf("bell number %d, edited", m.made)
		edit.Text = &text
	}
	_, _ = m.App.EditPost(ctx, m.ws.Owner, edit)
	return nil
}

// complaintOfChanged is complaint for a post that somebody may have changed.
func (o outcome) complaintOfChanged(p post) string {
	switch {
	case o.Status == "draft" && o.Visible == 0:
		return ""
	case strings.Count(o.Timeline, "live") > 1 || strings.Contains(o.Timeline, "live ") ||
		strings.HasSuffix(o.Timeline, "live") != (o.Status == string(core.PostLive)):
		return "its timeline contradicts it"
	}
	o.Timeline = "created queued publishing " + o.Status
	return o.complaint(p, 3, true)
}
