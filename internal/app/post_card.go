package app

import (
	"context"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
)

// PostCard is a post as its page shows it.
type PostCard struct {
	contract.Post
	AccountName string // also of an account that is disconnected by now
	// NextTryAt is when the worker tries again by itself, zero when it will not. Held tells that a queued
	// post waits until then for the network.
	NextTryAt time.Time
	Held      bool
}

// PostCard reads a post with what its page says of its account and of what comes next.
func (a *App) PostCard(ctx context.Context, c core.Caller, id string) (PostCard, error) {
	t, err := a.enter(c, core.Read)
	if err != nil {
		return PostCard{}, err
	}
	postID, err := core.ParseID[core.PostKind](id)
	if err != nil {
		return PostCard{}, err
	}
	p, err := t.Post(ctx, postID)
	if err != nil {
		return PostCard{}, err
	}
	return PostCard{Post: a.postOf(p), AccountName: p.AccountName, NextTryAt: p.NextTryAt, Held: p.Held}, nil
}
