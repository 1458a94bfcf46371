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

// request is a create or plan request, understood: whose accounts, what content, at which time.
type request struct {
	workspace core.Workspace
	plan      core.Plan
	when      core.When
	at        time.Time // zero for a draft
	drafts    []draft
	rows      []core.PlanRow
	used      int64
}

// draft is the post that one account would get.
type draft struct {
	network.Draft
	network network.Network
}

// queues tells whether the request puts posts on the queue.
func (r *request) queues() bool { return r.when.Kind != core.WhenDraft }

// requested is what the request costs against the month.
func (r *request) requested() int64 {
	if !r.queues() {
		return 0
	}
	return int64(len(r.drafts))
}

// accounts lists whose posts the request makes.
func (r *request) accounts() []core.AccountID {
	ids := make([]core.AccountID, len(r.drafts))
	for i, d := range r.drafts {
		ids[i] = d.Account.ID
	}
	return ids
}

// files lists those that the request names: every one of its posts gets them.
func (r *request) files() []core.MediaID { return idsOf(r.drafts[0].Media) }

// understand reads a request: first its form (400), then its ids (404). It changes nothing.
func (a *App) understand(ctx context.Context, t store.Tenant, in contract.PlanPosts) (*request, error) {
	workspace, plan, err := a.plan(ctx, t)
	if err != nil {
		return nil, err
	}
	r := &request{workspace: workspace, plan: plan}
	if r.when, err = parseWhen(in.When, workspace.Zone); err != nil {
		return nil, err
	}
	if err := checkTexts(in); err != nil {
		return nil, err
	}
	settings, err := a.settings("perPlatform", in.PerPlatform)
	if err != nil {
		return nil, err
	}
	if err := a.checkOverrides(in.Overrides); err != nil {
		return nil, err
	}
	accounts, err := a.targets(ctx, t, in.Targets)
	if err != nil {
		return nil, err
	}
	files, err := a.files(ctx, t, in.MediaIDs)
	if err != nil {
		return nil, err
	}
	for _, account := range accounts {
		d, err := a.draft(account, in, files, settings)
		if err != nil {
			return nil, err
		}
		r.drafts = append(r.drafts, d)
	}
	return r, nil
}

func parseWhen(w *contract.When, zone core.Zone) (core.When, error) {
	if w == nil {
		return core.ParseWhen("draft", "", "", zone)
	}
	return core.ParseWhen(w.Word, w.PublishAt, w.Timezone, zone)
}

func checkTexts(in contract.PlanPosts) error {
	if err := core.CheckContent("", in.Text, in.Title, in.Tags); err != nil {
		return err
	}
	for _, platform := range inOrder(in.Overrides) {
		o := in.Overrides[platform]
		if err := core.CheckContent("overrides."+platform+".", value(o.Text), value(o.Title), value(o.Tags)); err != nil {
			return err
		}
	}
	return nil
}

func value[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

// inOrder lists the networks that an object of a request names, so that of several mistakes in it the same is
// answered each time.
func inOrder[T any](named map[string]T) []string { return slices.Sorted(maps.Keys(named)) }

// settings decodes every block strictly, also those of networks that the request does not target. Its error joins all
// mistakes.
func (a *App) settings(path string, blocks map[string]json.RawMessage) (map[core.Platform]json.RawMessage, error) {
	out := map[core.Platform]json.RawMessage{}
	var mistakes []error
	for _, name := range inOrder(blocks) {
		n, err := a.known(path, name)
		if err == nil {
			out[core.Platform(name)], err = n.Settings(blocks[name])
			err = core.Under(path+"."+name, err)
		}
		mistakes = append(mistakes, err)
	}
	return out, errors.Join(mistakes...)
}

func (a *App) checkOverrides(overrides map[string]contract.Override) error {
	for _, name := range inOrder(overrides) {
		if _, err := a.connector("overrides."+name, name); err != nil {
			return err
		}
	}
	return nil
}

// known finds a network whose settings are understood, also one that cannot be published to.
func (a *App) known(path, name string) (network.Rules, error) {
	if r, ok := a.cfg.Networks.RulesOf(core.Platform(name)); ok {
		return r, nil
	}
	return nil, a.unknownNetwork(path+"."+name, name)
}

func (a *App) unknownNetwork(path, name string) error {
	var names []string
	for _, r := range a.cfg.Networks.Rules() {
		names = append(names, string(r.Describe().ID))
	}
	e := core.Invalid(path, "%q is not a network that is known here.", name)
	if nearest := core.Nearest(name, names); nearest != "" {
		return e.WithHint("Did you mean %s?", nearest)
	}
	return e.WithHint("What stands there is the name of a network, and its fields below that: %s.", strings.Join(names, ", "))
}

// targets finds the accounts of a request: those named and those of the group, each once.
func (a *App) targets(ctx context.Context, t store.Tenant, in contract.Targets) ([]core.Account, error) {
	if len(in.AccountIDs) == 0 && in.GroupID == nil {
		return nil, core.Invalid("targets", "The request names no account.").WithHint("Give targets.accountIds or targets.groupId.")
	}
	given := named{"targets.accountIds", in.AccountIDs}
	ids, err := given.accounts()
	if err != nil {
		return nil, err
	}
	if in.GroupID != nil {
		group, err := core.ParseID[core.GroupKind](*in.GroupID)
		if err != nil {
			return nil, core.At("targets.groupId", err)
		}
		members, err := t.GroupAccounts(ctx, group)
		if err != nil {
			return nil, core.At("targets.groupId", err)
		}
		ids = append(ids, members...)
	}
	if len(ids) == 0 {
		return nil, core.Invalid("targets.groupId", "The group is empty.").WithHint("Put accounts into the group first.")
	}
	var unique []core.AccountID
	for _, id := range ids {
		if !slices.Contains(unique, id) {
			unique = append(unique, id)
		}
	}
	return a.accounts(ctx, t, unique, given)
}

// named are the ids that stand at a path of a request.
type named struct {
	path string
	ids  []string
}

func (n named) accounts() ([]core.AccountID, error) {
	ids := make([]core.AccountID, len(n.ids))
	for i, s := range n.ids {
		var err error
		if ids[i], err = core.ParseID[core.AccountKind](s); err != nil {
			return nil, core.At(entry(n.path, i), err)
		}
	}
	return ids, nil
}

// missing is the error of an id that is not here.
func (n named) missing(id string) error {
	if i := slices.Index(n.ids, id); i >= 0 {
		return core.NotFoundAt(entry(n.path, i))
	}
	return core.NotFound()
}

func entry(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }

// accounts reads accounts in the order asked for; one that is missing is not_found.
func (a *App) accounts(ctx context.Context, t store.Tenant, ids []core.AccountID, given named) ([]core.Account, error) {
	found, err := t.AccountsByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	out := make([]core.Account, len(ids))
	for i, id := range ids {
		account, ok := found[id]
		if !ok {
			return nil, given.missing(id.String())
		}
		out[i] = account
	}
	return out, nil
}

// draft is what one account gets: the base content, or that of its network's override.
func (a *App) draft(account core.Account, in contract.PlanPosts, files []core.Media, settings map[core.Platform]json.RawMessage) (draft, error) {
	n, ok := a.cfg.Networks.Get(account.Platform)
	if !ok {
		return draft{}, fmt.Errorf("account %s is on %q, a network this server does not know", account.ID, account.Platform)
	}
	d := draft{network: n, Draft: network.Draft{Text: in.Text, Title: in.Title, Tags: in.Tags, Media: files, Account: account}}
	if o, ok := in.Overrides[string(account.Platform)]; ok {
		d.Text, d.Title, d.Tags = or(o.Text, d.Text), or(o.Title, d.Title), or(o.Tags, d.Tags)
	}
	if d.Tags == nil {
		d.Tags = []string{}
	}
	var err error
	if d.Settings, ok = settings[account.Platform]; !ok {
		d.Settings, err = n.Settings(nil)
	}
	return d, err
}

func or[T any](p *T, fallback T) T {
	if p == nil {
		return fallback
	}
	return *p
}
