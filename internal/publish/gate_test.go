package publish_test

import (
	"context"
	"path"
	"slices"
	"testing"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/sim"
)

// createdTwice loses the response to the first CreateHandle, as a crash does, and records the addresses of each call.
type createdTwice struct {
	network.Network
	given *[][]network.File
}

func (n createdTwice) CreateHandle(ctx context.Context, it network.Item) (string, error) {
	var files []network.File
	*n.given = append(*n.given, append(files, it.Files...))
	handle, err := n.Network.CreateHandle(ctx, it)
	if len(*n.given) == 1 {
		return "", &network.Error{Kind: network.Unknown, Message: "The response was lost."}
	}
	return handle, err
}

// Photos that a network fetches by itself, and then shows, are given out after the arm of their own handle only: of two
// creations one becomes visible.
func TestGatedFilesAreGivenOutToTheArmedHandleOnly(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("tiktok")
	post := b.post(request("two photos", now(), account), b.photo(), b.photo())
	var given [][]network.File
	worker := b.through(func(n network.Network) network.Network { return createdTwice{n, &given} })
	id, err := core.ParseID[core.PostKind](post.ID)
	must(t, err)
	gone, cancel := context.WithCancel(t.Context())
	cancel() // nobody waits
	for range 5 {
		must(t, worker.Engine().PublishOrPrepare(b.Context(), "a worker", b.ws.ID, id))
		if len(given) == 1 && core.CodeOf(b.openFile(gone, given[0][0])) != core.CodeNotFound {
			t.Error("a file was given out before the arm")
		}
		must(t, b.Sim.WaitIdle(b.Context()))
		if post = b.ws.Post(post); post.Status == "live" {
			break
		}
		b.Clock.Set(b.next())
	}
	if post.Status != "live" || len(given) != 2 || len(b.Sim.Posts.All()) != 1 {
		t.Fatalf("the post is %s after %d creations; visible: %+v", post.Status, len(given), b.Sim.Posts.All())
	}
	must(t, b.openFile(t.Context(), given[1][0]))
	if err := b.openFile(gone, given[0][0]); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("the lost handle's file is given out: %v", err)
	}
	if shown := b.Sim.Posts.All()[0]; len(shown.Media) != 2 || shown.Media[0].Kind != sim.JPEG {
		t.Errorf("visible: %+v", shown)
	}
}

// openFile opens a file at the address that a network got.
func (b *bench) openFile(ctx context.Context, f network.File) error {
	b.t.Helper()
	served, err := b.App.Intake().AwaitGateAndOpenFile(ctx, path.Base(path.Dir(f.URL)))
	if err == nil {
		err = served.Content.Close()
	}
	return err
}

// crashedAfterCreate loses what the database has not flushed when the network has responded to the first CreateHandle:
// the claim and the call.
type crashedAfterCreate struct {
	network.Network
	given *[][]network.File
	crash func()
}

func (n crashedAfterCreate) CreateHandle(ctx context.Context, it network.Item) (string, error) {
	*n.given = append(*n.given, slices.Clone(it.Files))
	handle, err := n.Network.CreateHandle(ctx, it)
	if len(*n.given) == 1 {
		n.crash()
	}
	return handle, err
}

// After a crash of the database, the next claim can have the epoch of a lost one. The arm of its object must not open
// the files of the lost claim's object.
func TestAGateStaysClosedIfTheDatabaseLosesTheClaim(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("tiktok")
	post := b.post(request("two photos", now(), account), b.photo(), b.photo())
	_, err := b.Pool.Exec(t.Context(), snapshot)
	must(t, err)
	var given [][]network.File
	worker := b.through(func(n network.Network) network.Network {
		return crashedAfterCreate{n, &given, func() {
			_, err := b.Pool.Exec(b.Context(), rewind+`; DELETE FROM account_turns`)
			must(t, err)
		}}
	})
	id, err := core.ParseID[core.PostKind](post.ID)
	must(t, err)
	for _, name := range []string{"a worker", "another worker"} {
		must(t, worker.Engine().PublishOrPrepare(b.Context(), name, b.ws.ID, id))
	}
	must(t, b.Sim.WaitIdle(b.Context()))
	if len(given) != 2 || len(b.Sim.Posts.All()) != 1 {
		t.Errorf("visible after %d creations: %+v", len(given), b.Sim.Posts.All())
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel() // nobody waits
	must(t, b.openFile(t.Context(), given[1][0]))
	if err := b.openFile(gone, given[0][0]); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("the lost claim's file is given out: %v", err)
	}
}
