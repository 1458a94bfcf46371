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

// lostFor is how far back Belfry looks for failed posts that people can retry after they reconnect the account.
const lostFor = 7 * 24 * time.Hour

// Reconnected says what happened to an account's posts when the account was reconnected.
type Reconnected struct {
	// Account is the id of the account.
	Account string
	// Post is the id of the failed post for which the account was reconnected; "" for none.
	Post string
	// Retried reports that the post was queued again. If it was not, Refused is the reason; nil if no retry was
	// tried.
	Retried bool
	Refused *core.Error
	// Lost lists the ids of the account's other posts that failed within the last seven days because Belfry had lost
	// access, newest first.
	Lost []string
}

// StartReconnectToRetryPost is StartReconnect for the account of a failed post. After the account is reconnected,
// Belfry retries the post.
func (a *App) StartReconnectToRetryPost(ctx context.Context, c core.Caller, postID string) (contract.Authorize, error) {
	t, id, err := authorizeManagerAndParseID[core.PostKind](a, c, postID)
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
	return a.startReconnectConsent(ctx, t, c, account, &id)
}

// startReconnectConsent begins a consent to reconnect the account and, if retryOrNil is not nil, to retry that post
// afterwards.
func (a *App) startReconnectConsent(ctx context.Context, t store.Tenant, c core.Caller, account core.Account,
	retryOrNil *core.PostID,
) (contract.Authorize, error) {
	n, err := a.getConfiguredConnector("platform", string(account.Platform))
	if err != nil {
		return contract.Authorize{}, err
	}
	return a.startConsent(ctx, t, c, n, &account.ID, retryOrNil)
}

// newReconnectedOrNil returns what is known of a reconnection before the account is reconnected, or nil if the purpose
// of the consent is not to reconnect an account.
func newReconnectedOrNil(consent store.PendingConsent) *Reconnected {
	if consent.Account == nil {
		return nil
	}
	after := &Reconnected{Account: consent.Account.String()}
	if consent.Post != nil {
		after.Post = consent.Post.String()
	}
	return after
}

// reconnectAndRetryPost stores the new token of a consent's account and retries the post for which the account was
// reconnected, if there is one. Connected.Reconnected is set even if there is an error.
func (a *App) reconnectAndRetryPost(ctx context.Context, t store.Tenant, c core.Caller, n network.Network,
	consent store.PendingConsent, profiles []network.Profile,
) (Connected, error) {
	after := newReconnectedOrNil(consent)
	done, err := a.reconnectAccount(ctx, t, c, n, consent, profiles)
	if err == nil {
		err = a.retryPostAndListLostPosts(ctx, t, c, *consent.Account, after)
	}
	done.Reconnected = after
	return done, err
}

// reconnectAccount stores the new token of a consent's account. It returns conflict if the consent does not cover the
// account's profile.
func (a *App) reconnectAccount(ctx context.Context, t store.Tenant, c core.Caller, n network.Network,
	consent store.PendingConsent, profiles []network.Profile,
) (Connected, error) {
	account, err := t.ConnectedAccount(ctx, *consent.Account)
	if err != nil {
		return Connected{}, err
	}
	i := slices.IndexFunc(profiles, func(p network.Profile) bool { return p.ExternalID == account.ExternalID })
	switch {
	case i < 0:
		return Connected{},
			core.Fail(core.CodeConflict, "You did not grant access to %s.", account.DisplayName).
				WithHint("Reconnect, and grant access to %s. To use another %s, connect it as a new account.",
					account.DisplayName, n.Describe().Profile)
	case profiles[i].Unusable != "":
		return Connected{},
			core.Fail(core.CodeConflict, "Belfry cannot publish to %s.", account.DisplayName).WithHint("%s", profiles[i].Unusable)
	}
	return a.connectProfilesAndCopyPictures(ctx, t, c, consent, profiles[i:i+1])
}

// retryPostAndListLostPosts retries the post for which an account was reconnected, if there is one. It also lists the
// account's other posts that failed because Belfry had lost access. It records both in result.
func (a *App) retryPostAndListLostPosts(ctx context.Context, t store.Tenant, c core.Caller, account core.AccountID,
	result *Reconnected,
) error {
	if result.Post != "" {
		_, err := a.RetryPostFromDashboard(ctx, c, result.Post, "")
		refused, known := errors.AsType[*core.Error](err)
		if err != nil && !known {
			return err
		}
		result.Retried, result.Refused = err == nil, refused
		if core.CodeOf(err) == core.CodeNotFound { // the post was deleted in the meantime
			result.Post, result.Refused = "", nil
		}
	}
	lost, err := t.UnreplacedFailedPostIDsDueSince(ctx, account, core.LostAccessCodes(),
		a.cfg.Now().Add(-lostFor), maxPageSize)
	isRetried := func(id string) bool { return id == result.Post }
	result.Lost = slices.DeleteFunc(convertAll(lost, core.PostID.String), isRetried)
	return err
}
