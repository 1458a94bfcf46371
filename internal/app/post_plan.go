package app

import (
	"context"
	"slices"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/store"
)

// sameTextWithin is the period, before and after a post, in which a network is likely to treat the same text as spam.
const sameTextWithin = 24 * time.Hour

// PlanPosts returns what a request to create posts would do for each account, with its issues. It changes nothing
// (Spec §4, POST /posts/plan).
func (a *App) PlanPosts(ctx context.Context, c core.Caller, in contract.PlanPosts) (contract.Plan, error) {
	t, err := a.authorize(c, core.Read)
	if err != nil {
		return contract.Plan{}, err
	}
	r, err := a.parsePostRequest(ctx, t, in)
	if err != nil {
		return contract.Plan{}, err
	}
	a.resolveTimeAndAddPlanRows(r)
	if err := a.addQuotaAndRepeatedTextIssues(ctx, t, r); err != nil {
		return contract.Plan{}, err
	}
	return a.planOf(r), nil
}

// resolveTimeAndAddPlanRows sets the request's time, and adds a row to the plan for each target. It makes all checks
// that do not depend on the workspace's other posts: those of the networks, the accounts and the time.
func (a *App) resolveTimeAndAddPlanRows(r *postRequest) {
	at, issues, warnings := r.when.Resolve(a.cfg.Now())
	r.at = at
	for _, target := range r.targets {
		target.draft.Facts = target.draft.Facts.OnlyValidFor(at, a.cfg.Now())
		row := a.buildPlanRowWithTargetIssues(target, r.queuesPosts())
		row.PublishAt = at
		row.Issues, row.Warnings = append(row.Issues, issues...), append(row.Warnings, warnings...)
		r.rows = append(r.rows, row)
	}
}

// addQuotaAndRepeatedTextIssues reads the used quota and adds to the plan's rows the issues and warnings that depend on
// the workspace's other posts: the quota and repeated texts.
func (a *App) addQuotaAndRepeatedTextIssues(ctx context.Context, t store.Tenant, r *postRequest) (err error) {
	if r.used, err = t.UsedSlots(ctx, r.workspace.Zone.QuotaPeriod(a.cfg.Now())); err != nil {
		return err
	}
	if r.drafts, err = t.CountDrafts(ctx); err != nil {
		return err
	}
	if err := subtractEditedPostFromUsage(ctx, t, r); err != nil {
		return err
	}
	same, err := findRepeatedTexts(ctx, t, r)
	if err != nil {
		return err
	}
	for i, target := range r.targets {
		row, account := &r.rows[i], target.draft.Account
		if text, ok := sameText[same[account.ID]]; ok {
			text.AppendTo(&row.Issues, &row.Warnings, "", account.DisplayName)
		}
		row.Issues = append(row.Issues, r.quotaIssues(i+1)...)
		if !row.OK() { // it would say what is sent, but nothing is
			row.Warnings = slices.DeleteFunc(row.Warnings, func(w core.Issue) bool {
				return w.Code == core.WarnImagesConverted.Code
			})
		}
	}
	return nil
}

// subtractEditedPostFromUsage subtracts the post that is being edited, if any, from the numbers of used slots or
// drafts.
func subtractEditedPostFromUsage(ctx context.Context, t store.Tenant, r *postRequest) error {
	if r.editing.IsZero() {
		return nil
	}
	post, err := t.Post(ctx, r.editing)
	switch {
	case err != nil:
		return err
	case post.Status == core.PostQueued && r.used > 0:
		r.used--
	case post.Status == core.PostDraft && r.drafts > 0:
		r.drafts--
	}
	return nil
}

// quotaIssues returns the quota issue of the request's nth post, or none if the plan allows the post.
func (r *postRequest) quotaIssues(nth int) []core.Issue {
	switch posts := r.subscription.Posts; {
	case r.queuesPosts() && posts != nil && r.used+int64(nth) > *posts:
		return []core.Issue{core.IssueQuotaExceeded.WithoutNetwork(r.used, *posts)}
	case !r.queuesPosts() && r.subscription.CheckDraftQuota(r.drafts, int64(nth)) != nil:
		return []core.Issue{core.IssueTooManyDrafts.WithoutNetwork(r.drafts, *r.subscription.Drafts)}
	}
	return nil
}

// hasIssues reports whether any row of the plan has an issue.
func (r *postRequest) hasIssues() bool {
	return slices.ContainsFunc(r.rows, func(row core.PlanRow) bool { return !row.OK() })
}

// buildPlanRowWithTargetIssues returns the plan's row for a target, with the issues and warnings of its network, files
// and account, but without those of the time, the quota and repeated texts. Issues that only prevent queueing are left
// out unless forQueueing is set: a draft may have an account that must be reconnected.
func (a *App) buildPlanRowWithTargetIssues(target postTarget, forQueueing bool) core.PlanRow {
	d := target.draft
	row := core.PlanRow{Account: d.Account.ID, Platform: d.Account.Platform}
	row.Issues, row.Warnings = target.network.CheckDraft(d)
	row.Issues = append(row.Issues, fileIssues(d.Media)...)
	if !forQueueing {
		return row
	}
	name := target.network.Describe().Name
	if !target.network.IsConfigured() { // so nobody can reconnect the account either
		row.Issues = append(row.Issues, core.IssueNetworkUnavailable.OnNetwork(name))
	} else if issue := d.Account.Issue(); issue != nil {
		row.Issues = append(row.Issues, *issue)
	}
	if target.network.DeliveryFor(d).Files == network.Pulled && !a.cfg.ServesPublicFiles() {
		row.Issues = append(row.Issues, core.IssueMediaUnreachable.OnNetwork(name))
	}
	return row
}

// sameText maps the status of a post with the same text to the warning about it.
var sameText = map[core.PostStatus]core.IssueText{
	core.PostLive:   core.WarnSameTextRecently,
	core.PostQueued: core.WarnSameTextQueued,
}

// findRepeatedTexts finds the accounts that have another post with the same text within sameTextWithin, and returns the
// status of that post for each account. It finds none for drafts.
func findRepeatedTexts(ctx context.Context, t store.Tenant,
	r *postRequest,
) (statusByAccount map[core.AccountID]core.PostStatus, err error) {
	if !r.queuesPosts() {
		return map[core.AccountID]core.PostStatus{}, nil
	}
	texts := convertAll(r.targets, func(t postTarget) string { return t.draft.Text })
	return t.AccountsWithSameText(ctx, r.editing, r.accountIDs(), texts, r.at.Add(-sameTextWithin),
		r.at.Add(sameTextWithin))
}

// planOf converts a plan to its record.
func (a *App) planOf(r *postRequest) contract.Plan {
	out := contract.Plan{
		OK: true, Status: string(core.PostDraft), Rows: []contract.PlanRow{},
		Quota: contract.Quota{Used: r.used, Limit: r.subscription.Posts, Requested: r.slotCount()},
	}
	if r.queuesPosts() {
		out.Status = string(core.PostQueued)
	}
	for _, row := range r.rows {
		out.OK = out.OK && row.OK()
		out.Rows = append(out.Rows, contract.PlanRowOf(row))
	}
	out.Table = a.formatPlanTable(r)
	return out
}

// refuseIfPlanHasIssues returns the error for a plan with issues, or nil: quota_exceeded if there is a quota issue,
// otherwise media_purged if the bytes of a file were deleted, otherwise plan_has_issues. The last two errors contain
// the rows of the plan.
func refuseIfPlanHasIssues(r *postRequest) error {
	issues := map[core.IssueCode]bool{}
	for _, row := range r.rows {
		for _, issue := range row.Issues {
			issues[issue.Code] = true
		}
	}
	var e *core.Error
	switch {
	case len(issues) == 0:
		return nil
	case issues[core.IssueQuotaExceeded.Code]:
		if !r.queuesPosts() {
			return r.subscription.CheckDraftQuota(r.drafts, int64(len(r.rows)))
		}
		return core.NewPostQuotaExceededError(r.used, *r.subscription.Posts)
	case issues[core.IssueMediaPurged.Code]:
		e = core.Fail(core.CodeMediaPurged, "The content of a file has been deleted, so nothing was changed.").
			WithHint("Upload the file again, and use its new ID. The `rows` field contains the file's name.")
	default:
		e = core.Fail(core.CodePlanHasIssues, "The plan has issues, so nothing was changed.").
			WithHint("Fix the issues listed in `rows`. POST /posts/plan shows whether any are left.")
	}
	e.Rows = r.rows
	return e
}

// refuseIfPostHasIssues returns the error of refuseIfPlanHasIssues for one post with issues.
func refuseIfPostHasIssues(p core.Post, issues []core.Issue) error {
	return refuseIfPlanHasIssues(&postRequest{rows: []core.PlanRow{{
		Account: p.Account, Platform: p.Platform, PublishAt: p.PublishAt,
		Issues: slices.Clone(issues),
	}}})
}
