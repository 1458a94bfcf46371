package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/store"
)

// postRequest is a parsed request to create or plan posts, with everything that it refers to.
type postRequest struct {
	workspace    core.Workspace
	subscription core.Plan
	when         core.When
	at           time.Time // zero for a draft
	targets      []postTarget
	rows         []core.PlanRow // the plan, one row for each target
	used         int64          // slots used this month
	editing      core.PostID    // the post that is being edited; zero for a new post
	drafts       int64          // number of drafts in the workspace
}

// postTarget is the content for one account's post, and the account's network.
type postTarget struct {
	draft   network.Draft
	network network.Network
}

// queuesPosts reports whether the request queues posts. Otherwise, it creates drafts.
func (r *postRequest) queuesPosts() bool { return r.when.Kind != core.WhenDraft }

// slotCount returns how many slots of the month the request uses.
func (r *postRequest) slotCount() int64 {
	if !r.queuesPosts() {
		return 0
	}
	return int64(len(r.targets))
}

func (r *postRequest) accountIDs() []core.AccountID {
	return convertAll(r.targets, func(t postTarget) core.AccountID { return t.draft.Account.ID })
}

// parsePostRequest parses a request and reads what it refers to. It returns invalid_request for the first malformed
// field or, if there is none, not_found for the first unknown id. It changes nothing.
func (a *App) parsePostRequest(ctx context.Context, t store.Tenant, in contract.PlanPosts) (*postRequest, error) {
	if _, err := parseWhen(in.When, core.Zone{}); err != nil { // the workspace's zone is not known yet
		return nil, err
	}
	if err := checkContentTexts(in); err != nil {
		return nil, err
	}
	settings, err := a.parseSettings("perPlatform", in.PerPlatform)
	if err != nil {
		return nil, err
	}
	if err := a.checkOverrideNetworks(in.Overrides); err != nil {
		return nil, err
	}
	accountIDs, group, err := parseTargets(in.Targets)
	if err != nil {
		return nil, err
	}
	mediaIDs, malformed := parseIDs[core.MediaKind]("mediaIds", in.MediaIDs)
	sources, err := t.ReadPostSources(ctx, accountIDs, group, mediaIDs)
	if err != nil {
		return nil, core.WithNotFoundPath("targets.groupId", err)
	}
	accounts, err := selectAccounts(sources, in.Targets, accountIDs)
	if err != nil {
		return nil, err
	}
	if malformed != nil {
		return nil, malformed
	}
	files, err := pickFilesInOrder(sources.Media, mediaIDs)
	if err != nil {
		return nil, err
	}
	r := &postRequest{workspace: sources.Workspace, subscription: a.cfg.Plans[sources.Workspace.Plan]}
	if in.Editing != "" {
		if r.editing, err = core.ParseID[core.PostKind](in.Editing); err != nil {
			return nil, err
		}
	}
	if r.when, err = parseWhen(in.When, sources.Workspace.Zone); err != nil {
		return nil, err
	}
	for _, account := range accounts {
		target, err := a.newPostTarget(account, sources.Facts[account.ID], in, files, settings)
		if err != nil {
			return nil, err
		}
		r.targets = append(r.targets, target)
	}
	return r, nil
}

// parseWhen parses the time of a request. nil means a draft. zone applies to a time without a zone.
func parseWhen(requestedOrNil *contract.When, zone core.Zone) (core.When, error) {
	switch {
	case requestedOrNil == nil:
		return core.ParseWhen("draft", "", "", zone)
	case !requestedOrNil.Instant.IsZero():
		of, err := core.ParseZone(requestedOrNil.Timezone)
		when := core.When{Kind: core.WhenInstant, At: requestedOrNil.Instant, Zone: of}
		return when, core.PrefixPaths("when.timezone", err)
	}
	when, err := core.ParseWhen(requestedOrNil.Word, requestedOrNil.PublishAt, requestedOrNil.Timezone, zone)
	if requestedOrNil.Delayed {
		when.Hold = core.UndoDelay
	}
	return when, err
}

// checkContentTexts checks the length and the characters of the text, the title and the tags, and of their overrides.
func checkContentTexts(in contract.PlanPosts) error {
	if err := core.CheckContent("", in.Text, in.Title, in.Tags); err != nil {
		return err
	}
	for _, platform := range sortedKeys(in.Overrides) {
		o := in.Overrides[platform]
		text, title, tags := valueOr(o.Text, ""), valueOr(o.Title, ""), valueOr(o.Tags, nil)
		if err := core.CheckContent("overrides."+platform+".", text, title, tags); err != nil {
			return err
		}
	}
	return nil
}

// sortedKeys returns the keys in alphabetical order, so that the same mistake is always reported first.
func sortedKeys[T any](named map[string]T) []string { return slices.Sorted(maps.Keys(named)) }

// parseSettings strictly parses the settings of every network in the request, including networks without a target. The
// error joins all mistakes.
func (a *App) parseSettings(fieldPath string, settings map[string]json.RawMessage,
) (map[core.Platform]json.RawMessage, error) {
	out := map[core.Platform]json.RawMessage{}
	var mistakes []error
	for _, name := range sortedKeys(settings) {
		n, err := a.getNetworkRules(fieldPath, name)
		if err == nil {
			out[core.Platform(name)], err = n.NormalizeSettings(settings[name])
			err = core.PrefixPaths(fieldPath+"."+name, err)
		}
		mistakes = append(mistakes, err)
	}
	return out, errors.Join(mistakes...)
}

// checkOverrideNetworks returns invalid_request if there is an override for a network that Belfry cannot publish to.
func (a *App) checkOverrideNetworks(overrides map[string]contract.Override) error {
	for _, name := range sortedKeys(overrides) {
		if _, err := a.getConnector("overrides."+name, name); err != nil {
			return err
		}
	}
	return nil
}

// getNetworkRules returns the rules of a network, even if Belfry cannot publish to that network. It returns
// invalid_request if there is no such network. parentPath is the path of the object whose keys are networks.
func (a *App) getNetworkRules(parentPath, name string) (network.Rules, error) {
	if r, ok := a.cfg.Networks.FindRules(core.Platform(name)); ok {
		return r, nil
	}
	return nil, a.errUnknownNetwork(parentPath+"."+name, name)
}

// errUnknownNetwork returns invalid_request for an unknown network. The hint contains the most similar name, or all
// names.
func (a *App) errUnknownNetwork(fieldPath, name string) error {
	var names []string
	for _, r := range a.cfg.Networks.Rules() {
		names = append(names, string(r.Describe().ID))
	}
	e := core.Invalid(fieldPath, "%q is not the name of a network.", name)
	if nearest := core.NearestName(name, names); nearest != "" {
		return e.WithHint("Did you mean %s?", nearest)
	}
	return e.WithHint("Use one of these names: %s.", strings.Join(names, ", "))
}

// parseTargets parses the ids of a request's accounts and group, and returns invalid_request if it has neither. The
// request may have both.
func parseTargets(in contract.Targets) (accounts []core.AccountID, groupOrZero core.GroupID, err error) {
	if len(in.AccountIDs) == 0 && in.GroupID == nil {
		return nil, groupOrZero, core.NotSelected("targets", "an account or a group")
	}
	if accounts, err = parseIDs[core.AccountKind]("targets.accountIds", in.AccountIDs); err != nil || in.GroupID == nil {
		return accounts, groupOrZero, err
	}
	groupOrZero, err = core.ParseID[core.GroupKind](*in.GroupID)
	return accounts, groupOrZero, core.WithNotFoundPath("targets.groupId", err)
}

// selectAccounts returns the accounts of a request without duplicates: first those with listedIDs, then those of the
// group. It returns invalid_request if there are none, and not_found if one of them does not exist.
func selectAccounts(sources store.PostSources, in contract.Targets, listedIDs []core.AccountID,
) ([]core.Account, error) {
	ids := uniqueIDs(append(slices.Clone(listedIDs), sources.GroupMembers...))
	if len(ids) == 0 {
		return nil, core.Invalid("targets.groupId", "The group is empty.").WithHint("Add accounts to the group first.")
	}
	return pickAccountsInOrder(sources.Accounts, ids, "targets.accountIds", in.AccountIDs)
}

func uniqueIDs(ids []core.AccountID) []core.AccountID {
	var unique []core.AccountID
	for _, id := range ids {
		if !slices.Contains(unique, id) {
			unique = append(unique, id)
		}
	}
	return unique
}

// parseIDs parses the ids in the list at fieldPath of a request. A malformed id is not_found.
func parseIDs[K core.Kind](fieldPath string, texts []string) ([]core.ID[K], error) {
	ids := make([]core.ID[K], len(texts))
	for i, text := range texts {
		var err error
		if ids[i], err = core.ParseID[K](text); err != nil {
			return nil, core.WithNotFoundPath(indexedPath(fieldPath, i), err)
		}
	}
	return ids, nil
}

// pickAccountsInOrder returns the accounts with these ids, in the order of the ids. For a missing account, it returns
// not_found with the index of the id in requestedIDs, the list at listPath of the request.
func pickAccountsInOrder(found map[core.AccountID]core.Account, ids []core.AccountID, listPath string,
	requestedIDs []string,
) ([]core.Account, error) {
	accounts := make([]core.Account, len(ids))
	for i, id := range ids {
		account, ok := found[id]
		if !ok {
			if place := slices.Index(requestedIDs, id.String()); place >= 0 {
				return nil, core.NotFoundAt(indexedPath(listPath, place))
			}
			return nil, core.NotFound()
		}
		accounts[i] = account
	}
	return accounts, nil
}

func indexedPath(fieldPath string, i int) string { return fmt.Sprintf("%s[%d]", fieldPath, i) }

// newPostTarget returns the target for an account: the general content with the overrides and settings for its
// network.
func (a *App) newPostTarget(account core.Account, facts core.Facts, in contract.PlanPosts, files []core.Media,
	settings map[core.Platform]json.RawMessage,
) (postTarget, error) {
	n, ok := a.cfg.Networks.FindConnector(account.Platform)
	if !ok {
		return postTarget{}, fmt.Errorf("account %s is on %q, which this server does not support", account.ID, account.Platform)
	}
	d := network.Draft{Text: in.Text, Title: in.Title, Tags: in.Tags, Media: files, Account: account, Facts: facts}
	if o, ok := in.Overrides[string(account.Platform)]; ok {
		d.Text, d.Title, d.Tags = valueOr(o.Text, d.Text), valueOr(o.Title, d.Title), valueOr(o.Tags, d.Tags)
	}
	if d.Tags == nil {
		d.Tags = []string{}
	}
	var err error
	if d.Settings, ok = settings[account.Platform]; !ok {
		d.Settings, err = n.NormalizeSettings(nil)
	}
	return postTarget{draft: d, network: n}, err
}

// valueOr returns *p, or fallback if p is nil.
func valueOr[T any](p *T, fallback T) T {
	if p == nil {
		return fallback
	}
	return *p
}
