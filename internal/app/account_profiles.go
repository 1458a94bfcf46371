package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/secret"
	"belfry/internal/store"
)

// hintConnectAgain is the hint of errors after which the person must repeat the connection attempt.
const hintConnectAgain = "Connect the account again."

// convertConnectError converts the error of a network that did not complete a consent. The result contains the
// network's message, if there is one.
func convertConnectError(d network.Description, err error) error {
	var e *network.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("connect to %s: %w", d.Name, err)
	}
	if e.Status == 0 && e.Kind == network.Rejected { // the connector's own message
		return core.Fail(core.CodeConflict, "%s", e.Message).WithHint("%s", cmp.Or(e.Hint, hintConnectAgain)).WithCause(err)
	}
	switch e.Kind {
	case network.Rejected, network.Expired, network.Revoked:
		hint := hintConnectAgain
		if e.Actor == network.ActorOperator {
			hint = e.Hint
		}
		return core.Fail(core.CodeConflict, "%s refused to connect the account: %s", d.Name, e.Message).
			WithHint("%s", hint).WithCause(err)
	}
	away := core.Fail(core.CodeUnavailable, "The request to %s failed.", d.Name).
		WithHint("Wait a moment, then connect the account again.").WithCause(err)
	away.RetryAfter = max(int(e.RetryAfter.Seconds()), 1)
	return away
}

// separateUsableProfilesOrRefuse separates the profiles that can be connected from those that cannot. It returns
// conflict with the reason if none can.
func separateUsableProfilesOrRefuse(n network.Network, profiles []network.Profile,
) (usable, unusable []network.Profile, err error) {
	for _, p := range profiles {
		if p.Unusable == "" {
			usable = append(usable, p)
		} else {
			unusable = append(unusable, p)
		}
	}
	if len(usable) > 0 {
		return usable, unusable, nil
	}
	d := n.Describe()
	why := d.Needs
	if len(unusable) > 0 {
		why = unusable[len(unusable)-1].Unusable
	}
	return nil, nil, core.Fail(core.CodeConflict, "Belfry did not get access to a %s that it can publish to.", d.Profile).
		WithHint("%s", why)
}

// connectProfilesAndCopyPictures stores accounts for the profiles of a consent, all or none, and then copies their
// pictures, for which it waits up to picturePatience.
func (a *App) connectProfilesAndCopyPictures(ctx context.Context, t store.Tenant, c core.Caller,
	consent store.PendingConsent, profiles []network.Profile,
) (Connected, error) {
	var list []core.Account
	var added int
	err := t.Tx(ctx, func(t store.Tenant) (err error) {
		list, added, err = a.connectProfilesInTx(ctx, t, c, consent, profiles)
		return err
	})
	if err != nil {
		return Connected{}, err
	}
	accounts, err := a.copyPicturesAndReload(ctx, t, list)
	return Connected{Platform: consent.Platform, Accounts: accounts, NewAccounts: added}, err
}

// copyPicturesAndReload copies the pictures of accounts that have just been connected, and returns the accounts with
// their pictures.
func (a *App) copyPicturesAndReload(ctx context.Context, t store.Tenant, accounts []core.Account,
) ([]contract.Account, error) {
	a.tryDownloadAvatarsAndSaveProfiles(ctx, t, accounts)
	ids := make([]core.AccountID, len(accounts))
	for i, account := range accounts {
		ids[i] = account.ID
	}
	now, err := t.ConnectedAccountsByID(ctx, ids)
	for i, account := range accounts {
		if found, ok := now[account.ID]; ok {
			accounts[i] = found
		}
	}
	return convertAll(accounts, a.accountOf), err
}

// connectProfilesInTx stores an account for each profile, writes the audit log and schedules checks of the accounts.
// It returns quota_exceeded if the plan does not allow that many accounts. A profile that is or was connected keeps
// its account; added is how many were not connected before. It must run in a transaction, in which it locks the
// workspace.
func (a *App) connectProfilesInTx(ctx context.Context, t store.Tenant, c core.Caller, consent store.PendingConsent,
	profiles []network.Profile,
) (list []core.Account, added int, err error) {
	platform := consent.Platform
	if err := t.LockWorkspace(ctx); err != nil {
		return nil, 0, err
	}
	if err := lockGrantsAndCheckNotRevoked(ctx, t, consent, profiles); err != nil {
		return nil, 0, err
	}
	_, plan, err := a.loadWorkspaceAndPlan(ctx, t)
	if err != nil {
		return nil, 0, err
	}
	used, err := t.CountConnectedAccounts(ctx)
	if err != nil {
		return nil, 0, err
	}
	for _, p := range profiles {
		account, isNew, err := a.saveAccountAndWakePosts(ctx, t, platform, p)
		if err != nil {
			return nil, 0, fmt.Errorf("connect %s: %w", platform, err)
		}
		if isNew && plan.Accounts != nil && used >= *plan.Accounts {
			return nil, 0, errTooManyAccounts(used, *plan.Accounts)
		}
		if isNew {
			used++
			added++
		}
		connected := core.AuditEntry{
			Action: core.AuditAccountConnected, Actor: c, Subject: account.ID.String(),
			After: map[string]string{"platform": string(platform), "name": account.DisplayName},
		}
		if err := t.AddAuditEntry(ctx, connected); err != nil {
			return nil, 0, err
		}
		list = append(list, account)
	}
	return list, added, a.enqueueStaleFactsChecks(ctx, t, list, 0)
}

// saveAccountAndWakePosts stores the account of a profile, and wakes the account's posts that wait for a new token.
// newlyConnected reports that the account was not connected before.
func (a *App) saveAccountAndWakePosts(ctx context.Context, t store.Tenant, platform core.Platform,
	p network.Profile,
) (account core.Account, newlyConnected bool, err error) {
	id, connected, err := t.AccountIDByExternalID(ctx, platform, p.ExternalID)
	if errors.Is(err, store.ErrNotFound) {
		id, err = core.NewID[core.AccountKind](), nil
	}
	if err != nil {
		return account, false, err
	}
	token, err := a.sealToken(id, t.WorkspaceID(), p.Token)
	if err != nil {
		return account, false, err
	}
	account = core.Account{
		ID: id, Platform: platform, ExternalID: p.ExternalID, Username: p.Username, DisplayName: p.DisplayName,
		AvatarURL: p.AvatarURL, Login: p.Login,
		ConnectedVia: a.cfg.NetworksURL, CreatedAt: a.cfg.Now(),
	}
	// Publications are locked before accounts, in the order that a worker uses when the network refuses its token.
	if err := t.WakePostsAwaitingToken(ctx, id); err != nil {
		return account, false, err
	}
	if err := t.SaveConnectedAccount(ctx, account, token); err != nil {
		return account, false, err
	}
	account, err = t.ConnectedAccount(ctx, id)
	return account, !connected, err
}

// saveProfileChoices stores a consent's profiles, encrypted, for ConnectChosenProfiles, and returns them as choices.
func (a *App) saveProfileChoices(ctx context.Context, t store.Tenant, c core.Caller, consent store.PendingConsent,
	profiles []network.Profile,
) (Connected, error) {
	plain, err := json.Marshal(profiles)
	if err != nil {
		return Connected{}, fmt.Errorf("encode the profiles to choose from: %w", err)
	}
	choice := Connected{Choice: secret.RandomText(stateBytes), Platform: consent.Platform}
	row := newPendingConsent(choice.Choice, c)
	row.Platform, row.Verifier, row.BegunAt = choice.Platform, []byte{}, consent.BegunAt
	row.Profiles = a.cfg.Ring.Seal(purposeProfiles, pendingConsentEncryptionContext("profiles", row, c), plain)
	if err := t.AddPendingConsent(ctx, row, a.cfg.Now().Add(connectFor)); err != nil {
		return Connected{}, fmt.Errorf("store the profiles to choose from: %w", err)
	}
	choice.Profiles, err = a.newProfileChoices(ctx, t, choice.Platform, profiles)
	return choice, err
}

// newProfileChoices returns the profiles as choices. It reads from the database which of them are connected.
func (a *App) newProfileChoices(ctx context.Context, t store.Tenant, platform core.Platform,
	profiles []network.Profile,
) ([]ProfileChoice, error) {
	out := make([]ProfileChoice, len(profiles))
	for i, p := range profiles {
		_, connected, err := t.AccountIDByExternalID(ctx, platform, p.ExternalID)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		out[i] = ProfileChoice{
			ExternalID: p.ExternalID, Username: p.Username, DisplayName: p.DisplayName, Unusable: p.Unusable,
			Connected: connected,
		}
	}
	return out, nil
}

// ConnectChosenProfiles connects the profiles that the person has chosen from those that FinishConnectOrReconnect
// returned, all or none. After an error, the person can choose again.
func (a *App) ConnectChosenProfiles(ctx context.Context, c core.Caller, choiceToken string, externalIDs []string,
) (Connected, error) {
	t, err := a.authorizeManager(c)
	if err != nil {
		return Connected{}, err
	}
	var platform core.Platform
	var list []core.Account
	var added int
	err = t.Tx(ctx, func(t store.Tenant) error {
		row, err := t.ConsumeConsentAwaitingChoice(ctx, newPendingConsent(choiceToken, c), a.cfg.Now())
		if err != nil {
			return convertConsentLookupError(err)
		}
		profiles, err := a.decryptAndCheckChosenProfiles(c, row, externalIDs)
		if err != nil {
			return err
		}
		platform = row.Platform
		list, added, err = a.connectProfilesInTx(ctx, t, c, row, profiles)
		return err
	})
	if err != nil {
		return Connected{}, err
	}
	accounts, err := a.copyPicturesAndReload(ctx, t, list)
	return Connected{Platform: platform, Accounts: accounts, NewAccounts: added}, err
}

// decryptAndCheckChosenProfiles decrypts the profiles of a consent and returns those with the given ids. It returns
// invalid_request if there are no ids, or if one of them belongs to no profile that can be connected.
func (a *App) decryptAndCheckChosenProfiles(c core.Caller, row store.PendingConsent, externalIDs []string,
) (chosen []network.Profile, err error) {
	plain, err := a.cfg.Ring.Open(purposeProfiles, pendingConsentEncryptionContext("profiles", row, c), row.Profiles)
	if err != nil {
		return nil, fmt.Errorf("decrypt the profiles to choose from: %w", err)
	}
	var all []network.Profile
	if err := json.Unmarshal(plain, &all); err != nil {
		return nil, fmt.Errorf("decode the profiles to choose from: %w", err)
	}
	n, err := a.getConnector("platform", string(row.Platform))
	if err != nil {
		return nil, err
	}
	noun := n.Describe().Profile
	for _, id := range externalIDs {
		i := slices.IndexFunc(all, func(p network.Profile) bool { return p.ExternalID == id && p.Unusable == "" })
		if i < 0 {
			return nil, core.Invalid("profile", "One of the selected %ss cannot be connected.", noun).
				WithHint("Select only %ss that this page lists.", noun)
		}
		if !slices.ContainsFunc(chosen, func(p network.Profile) bool { return p.ExternalID == id }) {
			chosen = append(chosen, all[i])
		}
	}
	if len(chosen) == 0 {
		return nil, core.NotSelected("profile", "a "+noun)
	}
	return chosen, nil
}
