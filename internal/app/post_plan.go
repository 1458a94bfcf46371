package app

import (
	"context"
	"slices"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/store"
)

// sameTextWithin is for how long before and after it a network is likely to take the same text for spam.
const sameTextWithin = 24 * time.Hour

// PlanPosts says what a create request would do and what stands against it, account by account. It
// changes nothing (Spec §4, POST /posts/plan).
func (a *App) PlanPosts(ctx context.Context, c core.Caller, in contract.PlanPosts) (contract.Plan, error) {
	t, err := a.enter(c, core.Read)
	if err != nil {
		return contract.Plan{}, err
	}
	r, err := a.understand(ctx, t, in)
	if err != nil {
		return contract.Plan{}, err
	}
	if err := a.judge(ctx, t, r); err != nil {
		return contract.Plan{}, err
	}
	return a.planOf(r), nil
}

// judge fills in the rows of a request: the networks' checks, the account, the time and the quota.
func (a *App) judge(ctx context.Context, t store.Tenant, r *request) error {
	now := a.cfg.Now()
	at, timeIssues, timeWarnings := r.when.Resolve(now)
	r.at = at
	same, err := repeated(ctx, t, r)
	if err != nil {
		return err
	}
	if r.used, err = t.MonthUsed(ctx, r.workspace.Zone.Month(now)); err != nil {
		return err
	}
	for i, d := range r.drafts {
		row := a.rowOf(d, r.queues())
		row.PublishAt = at
		row.Issues = append(row.Issues, timeIssues...)
		row.Warnings = append(row.Warnings, timeWarnings...)
		if text, ok := sameText[same[d.Account.ID]]; ok {
			row.Warnings = append(row.Warnings, text.With(d.Account.DisplayName))
		}
		if r.queues() {
			row.Issues = append(row.Issues, r.overQuota(i+1)...)
		}
		r.rows = append(r.rows, row)
	}
	return nil
}

// overQuota is the issue of the request's n-th post, if the month has no slot left for it.
func (r *request) overQuota(n int) []core.Issue {
	if limit := r.plan.Posts; limit != nil && r.used+int64(n) > *limit {
		return []core.Issue{core.IssueQuotaExceeded.With(r.used, *limit)}
	}
	return nil
}

// rowOf asks the network and looks at the account. A draft may wait for its account to be reconnected.
func (a *App) rowOf(d draft, queues bool) core.PlanRow {
	row := core.PlanRow{Account: d.Account.ID, Platform: d.Account.Platform}
	row.Issues, row.Warnings = d.network.Check(d.Draft)
	row.Issues = append(row.Issues, fileIssues(d.Media)...)
	if !queues {
		return row
	}
	if issue := d.Account.Issue(); issue != nil {
		row.Issues = append(row.Issues, *issue)
	}
	if !d.network.Configured() {
		row.Issues = append(row.Issues, core.IssueNetworkUnavailable.With(d.network.Describe().Name))
	}
	return row
}

// sameText words the warning by where the post stands that has the same text.
var sameText = map[core.PostStatus]core.IssueText{core.PostLive: core.WarnSameTextRecently, core.PostQueued: core.WarnSameTextQueued}

// repeated tells which accounts have the text they are given also at a time near that of the request; of a draft none.
func repeated(ctx context.Context, t store.Tenant, r *request) (map[core.AccountID]core.PostStatus, error) {
	if !r.queues() {
		return map[core.AccountID]core.PostStatus{}, nil
	}
	texts := make([]string, len(r.drafts))
	for i, d := range r.drafts {
		texts[i] = d.Text
	}
	return t.RepeatedTexts(ctx, r.accounts(), texts, r.at.Add(-sameTextWithin), r.at.Add(sameTextWithin))
}

func (a *App) planOf(r *request) contract.Plan {
	out := contract.Plan{
		OK: true, Status: string(core.PostDraft), Rows: []contract.PlanRow{},
		Quota: contract.Quota{Used: r.used, Limit: r.plan.Posts, Requested: r.requested()},
	}
	if r.queues() {
		out.Status = string(core.PostQueued)
	}
	for _, row := range r.rows {
		out.OK = out.OK && row.OK()
		out.Rows = append(out.Rows, contract.RowOf(row))
	}
	out.Table = a.table(r)
	return out
}

// refusal is the error of a request whose plan is not ok, nil when it is: the month's quota first (402), then a
// file whose bytes were removed, then the other issues (409). The plan's rows come with it.
func refusal(r *request) error {
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
		return core.OverQuota("posts a month", r.used, *r.plan.Posts)
	case issues[core.IssueMediaPurged.Code]:
		e = core.Fail(core.CodeMediaPurged, "The bytes of a file were removed, so nothing was done.").
			WithHint("Look at rows for the file's name, and upload it again.")
	default:
		e = core.Fail(core.CodePlanHasIssues, "The plan has issues, so nothing was done.").
			WithHint("Look at rows, mend what they name, and ask POST /posts/plan until it is ok.")
	}
	e.Rows = r.rows
	return e
}

// refusedPost is the error of a post against which something stands.
func refusedPost(p *core.Post, issues []core.Issue) error {
	return refusal(&request{rows: []core.PlanRow{{Account: p.Account, Platform: p.Platform, PublishAt: p.PublishAt, Issues: slices.Clone(issues)}}})
}
