package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"belfry/internal/core"
	"belfry/internal/queue"
	"belfry/internal/store"
)

const (
	// jobPatience is how long a job may take to start before the sweep adds another; one too many does
	// no harm, since only one can claim.
	jobPatience = 2 * time.Second
	sweepBatch  = 1000
)

// Sweep wakes the workers for publications that are due, held by nobody and without a job on the way:
// whatever happened to the job or the worker before, the ledger row brings the post back. It answers
// how many it woke.
func (a *App) Sweep(ctx context.Context) (int, error) {
	var woken int
	err := a.cfg.Store.Tx(ctx, func(s *store.Store) error {
		due, err := s.WakeDue(ctx, jobPatience, sweepBatch)
		if err != nil {
			return err
		}
		jobs := make([]queue.Job, len(due))
		for i, d := range due {
			jobs[i] = queue.Publish{Workspace: d.Workspace, Post: d.Post}
		}
		woken = len(jobs)
		return s.EnqueueMany(ctx, jobs)
	})
	if err != nil {
		return 0, fmt.Errorf("sweep due posts: %w", err)
	}
	a.cfg.Metrics.Woken(woken)
	return woken, nil
}

// Release gives back the leases of a worker that stops, so that another can go on at once.
func (a *App) Release(ctx context.Context, owner string) error {
	return a.cfg.Store.ReleaseLeases(ctx, owner)
}

// LinkPost fetches the address of a live post's page. It comes after the post is safely live and can
// never lead back to publishing.
func (a *App) LinkPost(ctx context.Context, ws core.WorkspaceID, id core.PostID) error {
	t, err := a.enter(core.Worker(ws), core.Write)
	if err != nil {
		return err
	}
	post, err := t.Post(ctx, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && (post.Status != core.PostLive || post.ExternalURL != "") {
		return nil
	}
	if err != nil {
		return err
	}
	account, sealed, err := t.AccountWithToken(ctx, post.Account)
	if err != nil {
		return err
	}
	w := &work{App: a, t: t, post: post, account: account, sealed: sealed}
	if err := a.equip(w); err != nil {
		return err
	}
	url, err := w.net.Link(ctx, w.item, post.ExternalID)
	if err != nil {
		return fmt.Errorf("ask for the address of post %s: %w", id, err)
	}
	if !core.IsLink(url) {
		a.cfg.Log.Warn("the network's address of a post is none to show", "post", id, "network", post.Platform)
		return nil
	}
	return t.SetPostURL(ctx, id, url)
}
