package publish_test

import (
	"slices"
	"testing"
	"time"

	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/media/mediatest"
	"belfry/internal/network/sim"
)

// bench is a workspace with an account on each of two networks.
type bench struct {
	*apptest.Harness
	t  *testing.T
	ws *apptest.Workspace
}

func newBench(t *testing.T) *bench {
	t.Helper()
	t.Parallel()
	h := apptest.New(t)
	return &bench{h, t, h.Workspace("one")}
}

// due reports whether a post is due that no worker has claimed.
func (b *bench) due() bool {
	b.t.Helper()
	work, err := b.Store.TimeUntilWork(b.Context(), time.Hour, false)
	must(b.t, err)
	return work.Due <= 0
}

func (b *bench) kinds(p contract.Post) []string {
	b.t.Helper()
	events, err := b.App.ListPostEventsAndNextRetry(b.Context(), b.ws.Owner, p.ID)
	if err != nil {
		b.t.Fatal(err)
	}
	var kinds []string
	for _, e := range events.Events {
		kinds = append(kinds, e.Kind)
	}
	return kinds
}

func (b *bench) wants(p contract.Post, status string, visible int, kinds ...string) {
	b.t.Helper()
	if p.Status != status {
		b.t.Errorf("the post is %s (%+v), want %s", p.Status, p.Error, status)
	}
	if n := b.Visible(p.Text); n != visible {
		b.t.Errorf("%d posts are visible at the network, want %d", n, visible)
	}
	if got := b.kinds(p); !slices.Equal(got, kinds) {
		b.t.Errorf("timeline %v, want %v", got, kinds)
	}
}

// retry moves the clock to the next attempt and runs the worker.
func (b *bench) after(wait time.Duration, p contract.Post) contract.Post {
	b.t.Helper()
	b.Clock.Advance(wait)
	return b.ws.Work(p)
}

func fault(network, call, kind string) sim.Fault {
	once := 1
	return sim.Fault{Network: network, Call: call, Kind: kind, Times: &once}
}

// refuse runs the worker until a refused call counts as refused: a network whose errors may publish is queried once
// more.
func (b *bench) refuse(p contract.Post) contract.Post {
	b.t.Helper()
	if p = b.ws.Work(p); p.Status == "queued" {
		b.Clock.Advance(150*time.Second + 50*time.Millisecond)
		p = b.ws.Work(p)
	}
	return p
}

// calls returns the number of calls of a kind that have reached a simulated network.
func (b *bench) calls(call string) int {
	n := 0
	for _, c := range b.Sim.Calls.ListLast(0) {
		if c.Call == call {
			n++
		}
	}
	return n
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// request returns a request to create a post for accounts.
func request(text string, when contract.When, accounts ...contract.Account) contract.CreatePosts {
	in := contract.CreatePosts{PlanPosts: contract.PlanPosts{Text: text, When: &when}, Confirm: true}
	for _, a := range accounts {
		in.Targets.AccountIDs = append(in.Targets.AccountIDs, a.ID)
	}
	return in
}

func now() contract.When { return contract.When{Word: "now"} }

// utc returns a local time in UTC.
func utc(wall string) contract.When {
	return contract.When{PublishAt: wall, Timezone: "UTC"}
}

// gauge returns the value of a gauge or a counter without labels.
func gauge(t *testing.T, h *apptest.Harness, name string) float64 {
	t.Helper()
	families, err := h.Config.Metrics.Registry.Gather()
	must(t, err)
	for _, f := range families {
		if f.GetName() == name {
			return f.GetMetric()[0].GetGauge().GetValue() + f.GetMetric()[0].GetCounter().GetValue()
		}
	}
	t.Fatalf("there is no figure %s", name)
	return 0
}

// stored reads a column of an account's row.
func stored[T any](t *testing.T, h *apptest.Harness, account contract.Account, column string) T {
	t.Helper()
	id, err := core.ParseID[core.AccountKind](account.ID)
	must(t, err)
	var v T
	must(t, h.Pool.QueryRow(t.Context(), `SELECT `+column+` FROM accounts WHERE id = $1`, id).Scan(&v))
	return v
}

// photo uploads an image that every network accepts.
func (b *bench) photo() contract.Media {
	b.t.Helper()
	return b.ws.File("photo.jpg", mediatest.JPEG(640, 640))
}

// post creates a post with files.
func (b *bench) post(in contract.CreatePosts, files ...contract.Media) contract.Post {
	b.t.Helper()
	for _, f := range files {
		in.MediaIDs = append(in.MediaIDs, f.ID)
	}
	made, err := b.App.CreatePosts(b.Context(), b.ws.Owner, in)
	must(b.t, err)
	return made.Posts[0]
}

// goesLive runs the worker until the post is live, however long the network processes its files.
func (b *bench) goesLive(p contract.Post) {
	b.t.Helper()
	for range 5 {
		if p = b.ws.Work(p); p.Status == "live" {
			return
		}
		must(b.t, b.Sim.WaitIdle(b.Context()))
		b.Clock.Advance(time.Minute)
	}
	b.t.Fatalf("the post is %s: %+v", p.Status, p.Error)
}
