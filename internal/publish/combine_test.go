package publish_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"belfry/internal/core"
	"belfry/internal/publish"
	"belfry/internal/store"
)

func TestPostsDueTogetherGoOutOnceEach(t *testing.T) {
	b := newBench(t)
	other := b.Workspace("two")
	replicas := []*publish.Engine{b.App.Engine(), b.Replica().Engine()}
	var works errgroup.Group
	texts := map[string]int{}
	for i := range 2 * publish.ClaimsAtOnce {
		ws, text := b.ws, fmt.Sprintf("due together %d", i)
		if i%3 == 0 {
			ws = other
		}
		texts[text] = 1
		id, err := core.ParseID[core.PostKind](ws.Now(text, ws.Account("threads")).ID)
		if err != nil {
			t.Fatal(err)
		}
		for try := range 4 {
			works.Go(func() error {
				return replicas[try%2].Publish(b.Context(), fmt.Sprintf("worker %d", try%2), ws.ID, id)
			})
		}
	}
	if err := works.Wait(); err != nil {
		t.Fatal(err)
	}
	sent := map[string]int{}
	for _, p := range b.Sim.Posts.All() {
		sent[p.Text]++
	}
	if !maps.Equal(sent, texts) {
		t.Errorf("the network shows %v", sent)
	}
}

func TestClaimsThatComeDuringAStatementGoTogether(t *testing.T) {
	t.Parallel()
	const waiting = publish.ClaimsAtOnce + 8
	errLost := errors.New("the connection is gone")
	var (
		combiner   publish.Combiner
		joins      errgroup.Group
		free       = core.NewID[core.PostKind]()
		statements [][]core.PostID
		begun, on  = make(chan struct{}), make(chan struct{})
	)
	statement := func(_ context.Context, posts []core.PostID) (map[core.PostID]store.Claimed, error) {
		if statements = append(statements, posts); len(statements) == 1 {
			close(begun)
			<-on
		}
		switch len(statements) {
		case 2:
			return nil, errLost
		case 3:
			panic("a statement breaks off")
		}
		return map[core.PostID]store.Claimed{free: {Token: []byte("token")}}, nil
	}
	joins.Go(func() error {
		got, err := combiner.Join(t.Context(), free, statement)
		if err == nil && string(got.Token) != "token" {
			err = errors.New("the first got another's claim")
		}
		return err
	})
	<-begun
	outcomes := make(chan error, waiting)
	for range waiting {
		joins.Go(func() error {
			defer func() {
				if recover() != nil {
					outcomes <- store.ErrNotFound
				}
			}()
			_, err := combiner.Join(t.Context(), core.NewID[core.PostKind](), statement)
			outcomes <- err
			return nil
		})
	}
	for combiner.Waiting() < waiting {
		runtime.Gosched()
	}
	close(on)
	if err := joins.Wait(); err != nil {
		t.Fatal(err)
	}
	var sizes []int
	for _, posts := range statements {
		sizes = append(sizes, len(posts))
	}
	if want := []int{1, publish.ClaimsAtOnce, 8}; !slices.Equal(sizes, want) {
		t.Fatalf("the statements claimed %v posts, want %v", sizes, want)
	}
	close(outcomes)
	lost, none := 0, 0
	for err := range outcomes {
		switch {
		case errors.Is(err, errLost):
			lost++
		case errors.Is(err, store.ErrNotFound):
			none++
		}
	}
	if lost != publish.ClaimsAtOnce || none != 8 {
		t.Errorf("%d were told of the lost statement and %d that there is nothing to claim, want %d and 8", lost, none, publish.ClaimsAtOnce)
	}
	if _, err := combiner.Join(t.Context(), free, statement); err != nil {
		t.Errorf("after a statement that broke off a claim answers %v", err)
	}
}

func TestOfTwoThatClaimOnePostTogetherOnlyOneHasIt(t *testing.T) {
	t.Parallel()
	var (
		combiner  publish.Combiner
		joins     errgroup.Group
		had       atomic.Int32
		begun, on = make(chan struct{}), make(chan struct{})
		first     = sync.OnceFunc(func() { close(begun); <-on })
		post      = core.NewID[core.PostKind]()
	)
	statement := func(_ context.Context, posts []core.PostID) (map[core.PostID]store.Claimed, error) {
		first()
		if !slices.Contains(posts, post) {
			return nil, store.ErrNotFound
		}
		return map[core.PostID]store.Claimed{post: {}}, nil
	}
	joins.Go(func() error {
		_, err := combiner.Join(t.Context(), core.NewID[core.PostKind](), statement)
		if !errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("a claim of another post answers %w", err)
		}
		return nil
	})
	<-begun
	for range 2 {
		joins.Go(func() error {
			_, err := combiner.Join(t.Context(), post, statement)
			if err == nil {
				had.Add(1)
			}
			return nil
		})
	}
	for combiner.Waiting() < 2 {
		runtime.Gosched()
	}
	close(on)
	if err := joins.Wait(); err != nil {
		t.Fatal(err)
	}
	if had.Load() != 1 {
		t.Errorf("%d have the post", had.Load())
	}
}

// A claim does not wait for the disk. When the database had crashed and forgotten one, the worker that had it
// could claim the post anew under the same number, and both of its claims could write.
func TestAClaimThatTheDatabaseForgotIsFenced(t *testing.T) {
	b := newBench(t)
	id, err := core.ParseID[core.PostKind](b.ws.Now("forgotten", b.ws.Account("facebook")).ID)
	must(t, err)
	tenant := b.Store.In(b.ws.ID)
	claim := func() store.Publication {
		claimed, err := tenant.Claim(b.Context(), []core.PostID{id}, "a worker", time.Minute, b.Clock.Now())
		must(t, err)
		return claimed[id].Publication
	}
	forgotten := claim()
	_, err = b.Pool.Exec(b.Context(), `UPDATE publications SET lease_epoch = lease_epoch - 1, lease_owner = NULL, lease_until = NULL`)
	must(t, err)
	second := claim()
	if err := tenant.SaveRest(b.Context(), forgotten, nil); !errors.Is(err, store.ErrFenced) {
		t.Errorf("the forgotten claim wrote: %v", err)
	}
	must(t, tenant.SaveRest(b.Context(), second, nil))
}
