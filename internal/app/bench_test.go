package app_test

import (
	"testing"

	"belfry/internal/app/apptest"
	"belfry/internal/contract"
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

func fault(call, kind string) sim.Fault {
	once := 1
	return sim.Fault{Network: "threads", Call: call, Kind: kind, Times: &once}
}

func (b *bench) edit(p contract.Post, in contract.EditPost) contract.Post {
	b.t.Helper()
	in.ID = p.ID
	got, err := b.App.EditPost(b.Context(), b.ws.Owner, in)
	must(b.t, err)
	return got
}
