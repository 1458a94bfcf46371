package app_test

import (
	"testing"

	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
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

// work lets a worker carry the post as far as it goes right now.
func (b *bench) work(p contract.Post) contract.Post {
	b.t.Helper()
	id, err := core.ParseID[core.PostKind](p.ID)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := b.App.Engine().Publish(b.Context(), "a worker", b.ws.ID, id); err != nil {
		b.t.Fatal(err)
	}
	return b.get(p)
}

func (b *bench) get(p contract.Post) contract.Post {
	b.t.Helper()
	got, err := b.App.GetPost(b.Context(), b.ws.Owner, p.ID)
	if err != nil {
		b.t.Fatal(err)
	}
	return got
}

func (b *bench) visible(text string) int {
	n := 0
	for _, p := range b.Sim.Posts.All() {
		if p.Text == text {
			n++
		}
	}
	return n
}

func fault(call, kind string) sim.Fault {
	once := 1
	return sim.Fault{Network: "threads", Call: call, Kind: kind, Times: &once}
}

func (b *bench) status(account contract.Account) string {
	b.t.Helper()
	list, err := b.App.ListAccounts(b.Context(), b.ws.Owner)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, a := range list.Accounts {
		if a.ID == account.ID {
			return a.Status
		}
	}
	b.t.Fatalf("account %s is gone", account.ID)
	return ""
}

func (b *bench) retry(p contract.Post) contract.Post {
	b.t.Helper()
	again, err := b.App.RetryPost(b.Context(), b.ws.Owner, contract.RetryPost{ID: p.ID})
	if err != nil {
		b.t.Fatal(err)
	}
	return again
}

// reconnect lets a person give consent for the account again.
func (b *bench) reconnect(account contract.Account) {
	b.t.Helper()
	start, err := b.App.StartReconnect(b.Context(), b.ws.Owner, account.ID, apptest.Session)
	if err != nil {
		b.t.Fatal(err)
	}
	back := b.Consent(start.AuthorizeURL, "one")
	if _, err := b.App.FinishConnect(b.Context(), b.ws.Owner, account.Platform, back, apptest.Session); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) edit(p contract.Post, in contract.EditPost) contract.Post {
	b.t.Helper()
	in.ID = p.ID
	got, err := b.App.EditPost(b.Context(), b.ws.Owner, in)
	must(b.t, err)
	return got
}
