package app

import (
	"context"
	"errors"
	"fmt"

	"belfry/internal/core"
	"belfry/internal/store"
)

// heldPostsListed is the maximum number of posts that the dashboard lists for a workspace while publishing is on hold.
const heldPostsListed = 200

// FindPublishingHold returns why publishing is on hold and which of the workspace's posts are affected. The reason is
// empty if publishing is not on hold.
func (a *App) FindPublishingHold(ctx context.Context, c core.Caller,
) (reasonOrEmpty string, affectedPosts []store.HeldPost, err error) {
	t, err := a.authorize(c, core.Read)
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
	affectedPosts, err = t.PostsUnderPublishingHold(ctx, heldPostsListed)
	for i := range affectedPosts {
		if url := a.browserURLOrNil(affectedPosts[i].ExternalURL); url != nil {
			affectedPosts[i].ExternalURL = *url
		}
	}
	return hold.Reason, affectedPosts, err
}

// CancelUnprovedPosts turns the unproved posts into drafts and releases their slots. If an unproved post has failed, it
// cancels the pending retry instead. It returns the number of unproved posts.
func (a *App) CancelUnprovedPosts(ctx context.Context) (cancelled int, err error) {
	posts, err := a.cfg.Store.UnprovedPosts(ctx)
	if err != nil {
		return 0, fmt.Errorf("list the unproved posts: %w", err)
	}
	for _, held := range posts {
		stop := func(t store.Tenant, p *core.Post) error {
			if p.Busy {
				return errPostBusy()
			}
			return a.forceUnqueuePostOrCancelRetry(ctx, t, *p, "Not sent because the post may already be published.")
		}
		_, err := a.changeAndAuditPostInTenant(ctx, a.tenantForOperator(held), core.Caller{}, held.Post, stop)
		if err != nil {
			return 0, fmt.Errorf("cancel post %s: %w", held.Post, err)
		}
	}
	return len(posts), nil
}

// stopOvertakenPost is restore.Guard.StopOvertakenPost.
func (a *App) stopOvertakenPost(ctx context.Context, t store.Tenant, id core.PostID) error {
	const why = "Not sent because another copy was, or may have been, published after the restored backup was made."
	locked, err := t.Post(ctx, id)
	if err != nil {
		return err
	}
	_, err = changeAndAuditLockedPost(ctx, t, core.Caller{}, locked, func(t store.Tenant, p *core.Post) error {
		return a.forceUnqueuePostOrCancelRetry(ctx, t, *p, why)
	})
	return err
}

// forceUnqueuePostOrCancelRetry turns a queued post into a draft and releases its slot, or cancels the automatic retry
// of a failed post, with a message for the post's timeline. Unlike unqueuePost, it does so even if a worker has
// claimed the post, or if the post may already be published.
func (a *App) forceUnqueuePostOrCancelRetry(ctx context.Context, t store.Tenant, p core.Post, message string) error {
	if p.HasPendingRetry() {
		return a.cancelPendingRetry(ctx, t, p, message)
	}
	change, err := p.MakeChange(core.MoveTake, a.cfg.Now(), message)
	if err != nil {
		return err
	}
	pub, err := t.LockPublication(ctx, p.ID)
	if err != nil {
		return err
	}
	return a.savePostChangeAndEndClaim(ctx, t, change, pub.Unqueue())
}
