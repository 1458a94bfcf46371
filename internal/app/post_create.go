package app

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/store"
)

// createAttempts is how many times CreatePosts tries to store posts whose plan changes in the meantime.
const createAttempts = 3

// CreatePosts creates one post for each account, all or none (Spec §4, POST /posts). It checks for errors in this
// order: invalid_request, not_found, confirm_required, quota_exceeded, plan_has_issues.
func (a *App) CreatePosts(ctx context.Context, c core.Caller, in contract.CreatePosts) (contract.Posts, error) {
	t, err := a.authorize(c, core.Write)
	if err != nil {
		return contract.Posts{}, err
	}
	var changed error
	for range createAttempts {
		r, err := a.parsePostRequest(ctx, t, in.PlanPosts)
		if err != nil {
			return contract.Posts{}, err
		}
		if !in.Confirm {
			return contract.Posts{},
				core.Fail(core.CodeConfirmRequired, "Nothing was created, because `confirm` is not true.").
					WithHint("Check the plan, then send the request again with \"confirm\": true.")
		}
		// The quota is checked when the slots are taken, and warnings do not prevent a creation, so neither is read
		// in advance.
		if a.resolveTimeAndAddPlanRows(r); changed != nil || r.hasIssues() {
			if err := a.addQuotaAndRepeatedTextIssues(ctx, t, r); err != nil {
				return contract.Posts{}, err
			}
			if err := refuseIfPlanHasIssues(r); err != nil {
				return contract.Posts{}, err
			}
		}
		posts, err := a.storePostsAndReserveSlots(ctx, t, c, r)
		if !errors.Is(err, store.ErrPlanChanged) {
			return posts, err
		}
		changed = err
	}
	return contract.Posts{}, fmt.Errorf("create posts: the plan keeps changing: %w", changed)
}

// storePostsAndReserveSlots stores the posts of a checked request with their slots and returns them. It returns
// store.ErrPlanChanged if the plan is no longer valid.
func (a *App) storePostsAndReserveSlots(ctx context.Context, t store.Tenant, c core.Caller, r *postRequest,
) (contract.Posts, error) {
	now := a.cfg.Now().UTC().Truncate(time.Microsecond)
	made := store.NewPosts{By: c.AttributedUser(), Drafts: r.subscription.Drafts}
	if r.queuesPosts() {
		made.Queued = &store.NewQueued{
			Period: r.workspace.Zone.QuotaPeriod(now), Limit: r.subscription.Posts, Due: a.futureOrZero(r.at),
		}
	}
	out := contract.Posts{Posts: make([]contract.Post, len(r.targets))}
	for i, target := range r.targets {
		post := r.newPost(target, c.Via(), now)
		made.Posts, out.Posts[i] = append(made.Posts, post), a.postOf(post)
		if r.queuesPosts() {
			delivery := target.chooseDelivery()
			made.Queued.Flows = append(made.Queued.Flows, delivery.Flow)
			made.Queued.Ahead = append(made.Queued.Ahead, delivery.Ahead)
		}
	}
	var err error
	if made.Answer, err = newStoredAnswerOrNil(ctx, out); err != nil {
		return contract.Posts{}, err
	}
	if err := markReplaySavedOrConvertError(ctx, t, t.CreatePosts(ctx, made)); err != nil {
		return contract.Posts{}, err
	}
	return out, nil
}

// newPost returns the post for a target. It does not store the post.
func (r *postRequest) newPost(target postTarget, via core.Via, now time.Time) core.Post {
	d := target.draft
	post := core.Post{
		ID: core.NewID[core.PostKind](), Workspace: r.workspace.ID, Account: d.Account.ID, Platform: d.Account.Platform,
		AccountName: d.Account.DisplayName, Text: d.Text, Title: d.Title, Tags: d.Tags, MediaIDs: mediaIDs(d.Media),
		Settings: d.Settings,
		Zone:     r.when.Zone, Status: core.PostDraft, Via: via, CreatedAt: now, UpdatedAt: now,
	}
	if r.queuesPosts() {
		post.Status, post.PublishAt = core.PostQueued, r.at.UTC().Truncate(time.Microsecond)
	}
	return post
}

// reserveSlot uses one of the month's slots for a post, or returns quota_exceeded if none is left.
func reserveSlot(ctx context.Context, t store.Tenant, post core.PostID, period string, plan core.Plan) error {
	used, ok, err := t.ReserveSlot(ctx, post, period, plan.Posts)
	if err == nil && !ok {
		return core.NewPostQuotaExceededError(used, *plan.Posts)
	}
	return err
}

// checkDraftQuotaAfterAdding returns quota_exceeded if the workspace has more drafts than its plan allows. It is called
// in the transaction that has added a draft.
func (a *App) checkDraftQuotaAfterAdding(ctx context.Context, t store.Tenant) error {
	_, plan, err := a.loadWorkspaceAndPlan(ctx, t)
	if err != nil || plan.Drafts == nil {
		return err
	}
	used, err := t.CountDrafts(ctx)
	if err != nil {
		return err
	}
	return plan.CheckDraftQuota(used-1, 1)
}

// futureOrZero returns at unchanged if it is in the future, and the zero time otherwise. The store replaces the zero
// time with the database's current time, so that this machine's clock does not matter.
func (a *App) futureOrZero(at time.Time) time.Time {
	if at.After(a.cfg.Now()) {
		return at
	}
	return time.Time{}
}

// postOf converts a post to its record.
func (a *App) postOf(p core.Post) contract.Post {
	out := contract.PostOf(p, a.cfg.Networks.DisplayName(p.Platform))
	out.ExternalURL = a.browserURLOrNil(p.ExternalURL)
	return out
}

// browserURLOrNil returns the address at which a browser opens a link that a network returned, or nil if the link is
// not a web address. A network could return anything.
func (a *App) browserURLOrNil(networkURL string) *string {
	u, err := url.Parse(networkURL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return nil
	}
	return new(a.cfg.Client.BrowserURL(networkURL))
}
