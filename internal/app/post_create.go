package app

import (
	"context"
	"net/url"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/queue"
	"belfry/internal/store"
)

// CreatePosts makes one post per account, all or none (Spec §4, POST /posts). Refusals, in this order:
// invalid_request, not_found, confirm_required, quota_exceeded, plan_has_issues.
func (a *App) CreatePosts(ctx context.Context, c core.Caller, in contract.CreatePosts) (contract.Posts, error) {
	t, err := a.enter(c, core.Write)
	if err != nil {
		return contract.Posts{}, err
	}
	r, err := a.understand(ctx, t, in.PlanPosts)
	if err != nil {
		return contract.Posts{}, err
	}
	if !in.Confirm {
		return contract.Posts{}, core.Fail(core.CodeConfirmRequired, "Nothing was created: the request does not say confirm.").
			WithHint("Look at the plan, then send the request again with \"confirm\": true.")
	}
	if err := a.judge(ctx, t, r); err != nil {
		return contract.Posts{}, err
	}
	if err := refusal(r); err != nil {
		return contract.Posts{}, err
	}
	out := contract.Posts{Posts: []contract.Post{}}
	now := a.cfg.Now().UTC().Truncate(time.Microsecond)
	err = t.Tx(ctx, func(t store.Tenant) error {
		if err := r.hold(ctx, t); err != nil {
			return err
		}
		for _, d := range r.drafts {
			post, err := a.create(ctx, t, c, r, d, now)
			if err != nil {
				return err
			}
			out.Posts = append(out.Posts, a.postOf(post))
		}
		if err := saveReplay(ctx, t, out); err != nil {
			return err
		}
		// Late, since creations of one workspace wait here for each other's commit; the accounts after it, as
		// whoever disconnects one locks them.
		if err := a.takeSlots(ctx, t, r.workspace.Zone.Month(now), r.plan, r.requested()); err != nil {
			return err
		}
		return t.HoldAccounts(ctx, r.accounts())
	})
	if err != nil {
		return contract.Posts{}, err
	}
	return out, nil
}

// hold keeps the request's files from being removed, which the posts will do once they are there.
func (r *request) hold(ctx context.Context, t store.Tenant) error {
	issues, err := holdFiles(ctx, t, r.files())
	if err != nil || len(issues) == 0 {
		return err
	}
	for i := range r.rows {
		r.rows[i].Issues = append(r.rows[i].Issues, issues...)
	}
	return refusal(r)
}

func (a *App) create(ctx context.Context, t store.Tenant, c core.Caller, r *request, d draft, now time.Time) (core.Post, error) {
	post := core.Post{
		ID: core.NewID[core.PostKind](), Workspace: r.workspace.ID, Account: d.Account.ID, Platform: d.Account.Platform,
		AccountName: d.Account.DisplayName, Text: d.Text, Title: d.Title, Tags: d.Tags, MediaIDs: idsOf(d.Media), Settings: d.Settings,
		Zone: r.when.Zone, Status: core.PostDraft, Via: c.Via(), CreatedAt: now, UpdatedAt: now,
	}
	if r.queues() {
		post.Status, post.PublishAt = core.PostQueued, r.at.UTC().Truncate(time.Microsecond)
	}
	if err := t.InsertPost(ctx, post, c.User()); err != nil {
		return post, err
	}
	if err := t.AddEvent(ctx, post.ID, core.Event{Kind: core.EventCreated, At: now}); err != nil {
		return post, err
	}
	if !r.queues() {
		return post, nil
	}
	return post, a.enqueue(ctx, t, post, r.workspace.Zone.Month(now), d.network.Flow(d.Draft))
}

// takeSlots takes n of a month's slots or answers 402. The posts' slots are held in that very month.
func (a *App) takeSlots(ctx context.Context, t store.Tenant, period string, plan core.Plan, n int64) error {
	if n == 0 {
		return nil
	}
	used, ok, err := t.TakeSlots(ctx, period, n, plan.Posts)
	if err != nil {
		return err
	}
	if !ok {
		return core.OverQuota("posts a month", used, *plan.Posts)
	}
	return nil
}

// enqueue gives a queued post its slot, its ledger row, its event and its job, in the caller's transaction.
func (a *App) enqueue(ctx context.Context, t store.Tenant, post core.Post, period string, flow core.Flow) error {
	if err := t.HoldSlot(ctx, post.ID, period); err != nil {
		return err
	}
	if err := t.AddEvent(ctx, post.ID, core.Event{Kind: core.EventQueued, At: post.UpdatedAt}); err != nil {
		return err
	}
	wake := a.wake(post.PublishAt)
	if err := t.OpenPublication(ctx, post, flow, wake); err != nil {
		return err
	}
	return t.Enqueue(ctx, queue.Publish{Workspace: post.Workspace, Post: post.ID}, wake.Due)
}

// The queue starts jobs that are due soon up to five seconds late; the sweep is quicker for those.
const soon = 10 * time.Second

// wake tells when a post is due, and whether its own job can be relied upon to run then.
func (a *App) wake(due time.Time) store.Wake {
	ahead := due.Sub(a.cfg.Now())
	if ahead <= 0 {
		return store.Wake{OwnJob: true}
	}
	return store.Wake{Due: due, OwnJob: ahead >= soon}
}

func (a *App) postOf(p core.Post) contract.Post {
	out := contract.PostOf(p, a.cfg.Networks.Name(p.Platform))
	out.ExternalURL = a.browse(p.ExternalURL)
	return out
}

// browse is where a person's browser finds an address that a network gave; nil when it is none that a
// browser may be sent to: what a network answers could be anything.
func (a *App) browse(address string) *string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return nil
	}
	found := a.cfg.Client.Browse(address)
	return &found
}
