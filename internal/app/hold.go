package app

import (
	"context"
	"errors"
	"fmt"

	"belfry/internal/core"
	"belfry/internal/store"
)

// heldPostsListed is how many posts of a workspace the dashboard lists while publishing is on hold.
const heldPostsListed = 200

// GetPublishingHold returns why publishing is on hold, and the affected posts of the workspace. The reason is empty if
// publishing is not on hold.
func (a *App) GetPublishingHold(ctx context.Context, c core.Caller) (reason string, posts []store.HeldPost, err error) {
	t, err := a.enter(c, core.Read)
	if err != nil {
		return "", nil, err
	}
	hold, err := a.cfg.Store.PublishingHold(ctx)
	if errors.Is(err, store.ErrNotFound) {
		return "", nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	posts, err = t.HeldPosts(ctx, heldPostsListed)
	for i := range posts {
		if url := a.browserURL(posts[i].ExternalURL); url != nil {
			posts[i].ExternalURL = *url
		}
	}
	return hold.Reason, posts, err
}

// CancelUnprovedPosts makes drafts of the posts that may be published although no receipt shows it, and gives their slots
// back. Where one failed, it cancels the retry. It returns how many posts there were.
func (a *App) CancelUnprovedPosts(ctx context.Context) (int, error) {
	posts, err := a.cfg.Store.UnprovedPosts(ctx)
	if err != nil {
		return 0, fmt.Errorf("list the unproved posts: %w", err)
	}
	for _, held := range posts {
		_, err := changePostInTenant(ctx, a.enterAsOperator(held), core.Caller{}, held.Post, func(t store.Tenant, p *core.Post) error {
			if p.HasPendingRetry() {
				return a.cancelPendingRetry(ctx, t, p)
			}
			return a.unqueuePost(ctx, t, p)
		})
		if err != nil {
			return 0, fmt.Errorf("make a draft of post %s: %w", held.Post, err)
		}
	}
	return len(posts), nil
}
