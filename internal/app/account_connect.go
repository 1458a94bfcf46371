package app

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/secret"
	"belfry/internal/store"
)

// Connected is the result of a consent: connected accounts, or profiles to choose from.
type Connected struct {
	Accounts []contract.Account
	// NewAccounts is how many of the accounts were not connected before.
	NewAccounts int
	// Unusable lists the consent's other profiles if they were left out because they cannot be connected, without
	// offering the person a choice.
	Unusable []ProfileChoice
	// Choice is passed to ConnectChosenProfiles with the ids of the chosen profiles. It is empty if there is nothing
	// to choose.
	Choice   string
	Platform core.Platform
	Profiles []ProfileChoice
	// Reconnected is set if the purpose of the consent was to reconnect an account.
	Reconnected *Reconnected
}

// ProfileChoice is a profile that a consent covers.
type ProfileChoice struct {
	ExternalID, Username, DisplayName string
	Unusable                          string // why the profile cannot be connected; "" if it can
	Connected                         bool   // the profile is already connected; choosing it replaces its token
}

const (
	// connectFor is how long a consent, or a choice after it, may take (security.md 4.7).
	connectFor = 10 * time.Minute

	stateBytes = 32 // 256 bit

	purposeState    = "connect/state"
	purposeSession  = "connect/session"
	purposeVerifier = "verifier"
	purposeProfiles = "profiles"
)

// StartConnect begins a consent and returns the address of the network's consent page. The network's redirect must
// arrive in the same browser session within ten minutes, and works only once.
func (a *App) StartConnect(ctx context.Context, c core.Caller, in contract.Connect) (contract.Authorize, error) {
	t, err := a.authorizeManager(c)
	if err != nil {
		return contract.Authorize{}, err
	}
	n, err := a.getConfiguredConnector("platform", in.Platform)
	if err != nil {
		return contract.Authorize{}, err
	}
	if err := a.checkAccountQuota(ctx, t); err != nil {
		return contract.Authorize{}, err
	}
	return a.startConsent(ctx, t, c, n, nil, nil)
}

// StartReconnect begins a consent that replaces the token of an account. The consent must be for the same profile.
func (a *App) StartReconnect(ctx context.Context, c core.Caller, accountID string) (contract.Authorize, error) {
	t, id, err := authorizeManagerAndParseID[core.AccountKind](a, c, accountID)
	if err != nil {
		return contract.Authorize{}, err
	}
	account, err := t.ConnectedAccount(ctx, id)
	if err != nil {
		return contract.Authorize{}, err
	}
	return a.startReconnectConsent(ctx, t, c, account, nil)
}

// getConnector returns the connector of the network with an id, or invalid_request if Belfry cannot publish to such a
// network. fieldPath is the path of the id in the request.
func (a *App) getConnector(fieldPath, platform string) (network.Network, error) {
	if n, ok := a.cfg.Networks.FindConnector(core.Platform(platform)); ok {
		return n, nil
	}
	if r, ok := a.cfg.Networks.FindRules(core.Platform(platform)); ok {
		return nil, core.Invalid(fieldPath, "This version of Belfry does not support %s accounts.", r.Describe().Name).
			WithHint("It supports %s.", a.cfg.Networks.JoinConnectorNames())
	}
	return nil, a.errUnknownNetwork(fieldPath, platform)
}

// getConfiguredConnector is like getConnector, but also returns conflict if this server lacks the network's
// credentials.
func (a *App) getConfiguredConnector(fieldPath, platform string) (network.Network, error) {
	n, err := a.getConnector(fieldPath, platform)
	if err != nil {
		return nil, err
	}
	if !n.IsConfigured() {
		return nil, core.Fail(core.CodeConflict, "%s is not set up on this server.", n.Describe().Name).
			WithHint("Ask the server's operator to add the network's credentials.")
	}
	return n, nil
}

// checkAccountQuota returns quota_exceeded if the plan does not allow another account.
func (a *App) checkAccountQuota(ctx context.Context, t store.Tenant) error {
	_, plan, err := a.loadWorkspaceAndPlan(ctx, t)
	if err != nil {
		return err
	}
	used, err := t.CountConnectedAccounts(ctx)
	if err != nil {
		return err
	}
	if plan.Accounts != nil && used >= *plan.Accounts {
		return errTooManyAccounts(used, *plan.Accounts)
	}
	return nil
}

func errTooManyAccounts(used, limit int64) error {
	return core.NewQuotaExceededError("connected account", "connected accounts", used, limit).
		WithHint("Disconnect %s, or change the subscription plan.", core.AccountsToDisconnect(used, limit))
}

// startConsent stores a pending consent and returns the address of the network's consent page. reconnectOrNil is the
// account to reconnect, and retryOrNil the post to retry afterwards.
func (a *App) startConsent(ctx context.Context, t store.Tenant, c core.Caller, n network.Network,
	reconnectOrNil *core.AccountID, retryOrNil *core.PostID,
) (contract.Authorize, error) {
	d := n.Describe()
	state := secret.RandomText(stateBytes)
	row := newPendingConsent(state, c)
	row.Platform, row.Account, row.Post, row.Verifier = d.ID, reconnectOrNil, retryOrNil, []byte{}
	ask := network.AuthRequest{State: state, RedirectURI: a.consentRedirectURL(d.ID)}
	if d.PKCE {
		verifier := secret.NewPKCEVerifier()
		ask.Challenge = secret.PKCEChallenge(verifier)
		row.Verifier = a.cfg.Ring.Seal(purposeVerifier, pendingConsentEncryptionContext("verifier", row, c), []byte(verifier))
	}
	if err := t.AddPendingConsent(ctx, row, a.cfg.Now().Add(connectFor)); err != nil {
		return contract.Authorize{}, fmt.Errorf("store a consent for %s: %w", d.ID, err)
	}
	return contract.Authorize{AuthorizeURL: a.cfg.Client.BrowserURL(n.AuthorizeURL(ask))}, nil
}

// newPendingConsent returns a pending consent that has only the fields that identify it: its state, the person and the
// browser session.
func newPendingConsent(state string, c core.Caller) (identityOnly store.PendingConsent) {
	stateHash, session := secret.HashToken(purposeState, state), secret.HashToken(purposeSession, c.SessionID())
	return store.PendingConsent{StateHash: stateHash[:], User: c.AttributedUser(), SessionHash: session[:]}
}

// pendingConsentEncryptionContext returns the context to which the encryption of a pending consent's column is bound.
func pendingConsentEncryptionContext(column string, row store.PendingConsent, c core.Caller) string {
	return secret.EncryptionContext("connections", column, fmt.Sprintf("%x", row.StateHash), c.Workspace().String())
}

// consentRedirectURL returns the address to which a network redirects people after a consent. Each network has its own,
// so that no other network can impersonate it.
func (a *App) consentRedirectURL(platform core.Platform) string {
	return a.cfg.PublicURL + "/accounts/callback/" + string(platform)
}

// FindConsentWorkspaceSlug returns the slug of the workspace in which the person began a consent in this browser
// session, or "" if there is no such consent.
func (a *App) FindConsentWorkspaceSlug(ctx context.Context, c core.Caller, state string,
) (slugOrEmpty string, err error) {
	if _, err := a.authorizeSession(c); err != nil {
		return "", err
	}
	slug, err := a.cfg.Store.PendingConsentWorkspaceSlug(ctx, newPendingConsent(state, c))
	if errors.Is(err, store.ErrNotFound) {
		return "", nil
	}
	return slug, err
}

// FinishConnectOrReconnect handles the redirect from a network's consent page. If exactly one profile is usable, it
// connects that profile; if there are several, it returns them for the person to choose from. If an account was to be
// reconnected, Connected.Reconnected is set even if there is an error.
func (a *App) FinishConnectOrReconnect(ctx context.Context, c core.Caller, platform string, query url.Values,
) (Connected, error) {
	t, err := a.authorizeManager(c)
	if err != nil {
		return Connected{}, err
	}
	n, err := a.getConfiguredConnector("platform", platform)
	if err != nil {
		return Connected{}, err
	}
	want := newPendingConsent(query.Get("state"), c)
	want.Platform = core.Platform(platform)
	row, err := t.ConsumeConsentAwaitingCallback(ctx, want, a.cfg.Now())
	if err != nil {
		return Connected{}, convertConsentLookupError(err)
	}
	profiles, err := a.exchangeCodeForProfiles(ctx, c, n, row, query)
	if err != nil {
		return Connected{Reconnected: newReconnectedOrNil(row)}, err
	}
	if row.Account != nil {
		return a.reconnectAndRetryPost(ctx, t, c, n, row, profiles)
	}
	usable, unusable, err := separateUsableProfilesOrRefuse(n, profiles)
	if err != nil {
		return Connected{}, err
	}
	if len(usable) == 1 {
		done, err := a.connectProfilesAndCopyPictures(ctx, t, c, row, usable)
		if err != nil {
			return Connected{}, err
		}
		done.Unusable, err = a.newProfileChoices(ctx, t, row.Platform, unusable)
		return done, err
	}
	return a.saveProfileChoices(ctx, t, c, row, profiles)
}

// convertConsentLookupError returns conflict if err means that there is no pending consent, for whatever reason. It
// wraps any other error.
func convertConsentLookupError(err error) error {
	if !errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("find the pending consent: %w", err)
	}
	return core.Fail(core.CodeConflict, "This connection attempt has ended or expired, or was started in another browser.").
		WithHint(hintConnectAgain)
}

// exchangeCodeForProfiles exchanges the code of a network's redirect for profiles with their tokens. No transaction is
// open while it calls the network.
func (a *App) exchangeCodeForProfiles(ctx context.Context, c core.Caller, n network.Network, row store.PendingConsent,
	query url.Values,
) ([]network.Profile, error) {
	name := n.Describe().Name
	code := query.Get("code")
	if code == "" {
		return nil, core.Fail(core.CodeConflict, "Access to %s was not granted.", name).
			WithHint("Connect the account again and grant all permissions.")
	}
	grant := network.AuthResponse{Code: code, RedirectURI: a.consentRedirectURL(row.Platform)}
	if len(row.Verifier) > 0 {
		verifier, err := a.cfg.Ring.Open(purposeVerifier, pendingConsentEncryptionContext("verifier", row, c), row.Verifier)
		if err != nil {
			return nil, fmt.Errorf("decrypt the PKCE verifier: %w", err)
		}
		grant.Verifier = string(verifier)
	}
	profiles, err := n.ExchangeCode(ctx, grant)
	if err != nil {
		return nil, convertConnectError(n.Describe(), err)
	}
	return profiles, nil
}
