package app

import (
	"context"
	"errors"
	"slices"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/store"
)

// lostFor is how long ago posts may have failed that are offered to be retried after their account was reconnected.
const lostFor = 7 * 24 * time.Hour

// Reconnected is what became of the posts of an account that was reconnected.
type Reconnected struct {
	// Post is the failed post for which the account was reconnected; "" for none.
	Post string
	// Retried reports that the post is sent again. Otherwise Refused is why not, if it was tried.
	Retried bool
	Refused *core.Error
	// Lost are the account's other posts that failed within the last seven days because access was lost, newest first.
	Lost []string
}

// StartReconnectForPost begins a consent like StartReconnect, for the account of a failed post. The post is retried as
// soon as the account is reconnected.
func (a *App) StartReconnectForPost(ctx context.Context, c core.Caller, postID string) (contract.Authorize, error) {
	t, id, err := enterManagerWithID[core.PostKind](a, c, postID)
	if err != nil {
		return contract.Authorize{}, err
	}
	post, err := t.Post(ctx, id)
	if err != nil {
		return contract.Authorize{}, err
	}
	account, err := t.ConnectedAccount(ctx, post.Account)
	if errors.Is(err, store.ErrNotFound) {
		return contract.Authorize{}, core.Fail(core.CodeConflict, "%s was disconnected.", post.AccountName).
			WithHint("Connect the account again, then retry the post.").WithCause(err)
	}
	if err != nil {
		return contract.Authorize{}, err
	}
	return a.startAccountConsent(ctx, t, c, account, &id)
}

func (a *App) startAccountConsent(ctx context.Context, t store.Tenant, c core.Caller, account core.Account,
	post *core.PostID,
) (contract.Authorize, error) {
	n, err := a.getConfiguredNetwork("platform", string(account.Platform))
	if err != nil {
		return contract.Authorize{}, err
	}
	return a.startConsent(ctx, t, c, n, store.Connection{Account: &account.ID, Post: post})
}

// finishReconnect stores the new token of an account and retries the post for which it was reconnected. failed is why
// the consent has no profiles.
func (a *App) finishReconnect(ctx context.Context, t store.Tenant, c core.Caller, n network.Network,
	consent store.Connection, profiles []network.Profile, consentErr error,
) (Connected, error) {
	after := &Reconnected{}
	if consent.Post != nil {
		after.Post = consent.Post.String()
	}
	var done Connected
	err := consentErr
	if err == nil {
		done, err = a.reconnectAccount(ctx, t, c, n, consent, profiles)
	}
	if err == nil {
		err = a.retryAndListLostPosts(ctx, t, c, *consent.Account, after)
	}
	done.Reconnected = after
	return done, err
}

// reconnectAccount stores the new token. The consent must cover the account's profile.
func (a *App) reconnectAccount(ctx context.Context, t store.Tenant, c core.Caller, n network.Network,
	consent store.Connection, profiles []network.Profile,
) (Connected, error) {
	account, err := t.ConnectedAccount(ctx, *consent.Account)
	if err != nil {
		return Connected{}, err
	}
	i := slices.IndexFunc(profiles, func(p network.Profile) bool { return p.ExternalID == account.ExternalID })
	switch {
	case i < 0:
		return Connected{},
			core.Fail(core.CodeConflict, "You gave access to a different %s, not to %s.", n.Describe().Profile,
				account.DisplayName).
				WithHint("Sign in to %s as %s and reconnect, or connect the other one as a new account.", n.Describe().Name,
					account.DisplayName)
	case profiles[i].Unusable != "":
		return Connected{},
			core.Fail(core.CodeConflict, "Belfry cannot publish to %s.", account.DisplayName).WithHint("%s", profiles[i].Unusable)
	}
	return a.connectProfiles(ctx, t, c, consent, profiles[i:i+1])
}

// retryAndListLostPosts retries the post for which an account was reconnected, and finds those that failed for the same reason.
func (a *App) retryAndListLostPosts(ctx context.Context, t store.Tenant, c core.Caller, account core.AccountID,
	after *Reconnected,
) error {
	if after.Post != "" {
		_, err := a.RetryPost(ctx, c, contract.RetryPost{ID: after.Post})
		refused, known := errors.AsType[*core.Error](err)
		if err != nil && !known {
			return err
		}
		after.Retried, after.Refused = err == nil, refused
		if core.CodeOf(err) == core.CodeNotFound { // deleted meanwhile
			after.Post, after.Refused = "", nil
		}
	}
	lost, err := t.FailedPostIDsSince(ctx, account, core.LostAccessCodes(), a.cfg.Now().Add(-lostFor), maxPageSize)
	after.Lost = slices.DeleteFunc(convertAll(lost, core.PostID.String), func(id string) bool { return id == after.Post })
	return err
}
