package app

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"belfry/internal/core"
	"belfry/internal/store"
)

// errDraftsRefused rolls back the transaction of scheduleAllDraftsOrNone.
var errDraftsRefused = errors.New("some drafts cannot be scheduled")

// scheduleAllDraftsOrNone queues several drafts, the first for in.First and each further one in.Every later, in the
// order of their ids. It queues all of them, or none if any is refused.
func (a *App) scheduleAllDraftsOrNone(ctx context.Context, t store.Tenant, c core.Caller,
	in BulkAction,
) (BulkResult, error) {
	var r BulkResult
	if err := in.Every.CheckSpacing(); err != nil {
		return r, err
	}
	err := t.Tx(ctx, func(t store.Tenant) error {
		ws, plan, err := a.loadWorkspaceAndPlan(ctx, t)
		if err != nil {
			return err
		}
		when, err := parseWhen(&in.First, ws.Zone)
		if err != nil {
			return err
		}
		if when.Kind != core.WhenAt && when.Kind != core.WhenInstant {
			return core.NotEntered("first", "a date and time")
		}
		r.refuseMalformedIDs(in.IDs)
		ids := uniqueValidPostIDs(in.IDs)
		if err := lockCopiesAndExistingPosts(ctx, t, ids); err != nil {
			return err
		}
		now := a.cfg.Now()
		first, issues, _ := when.Resolve(now)
		for i, id := range ids {
			at, atIssues := first, issues
			if shift := in.Every.MultipliedBy(i); shift != (core.Shift{}) && len(issues) == 0 {
				at, atIssues = shift.Apply(first, when.Zone, now)
			}
			request := &postRequest{workspace: ws, subscription: plan, when: when, at: at}
			revision := in.Revisions[id.String()]
			if err := a.scheduleDraftAndRecordResult(ctx, t, c, id, revision, request, atIssues, &r); err != nil {
				return err
			}
		}
		if len(r.Refused) > 0 {
			return errDraftsRefused
		}
		return nil
	})
	if errors.Is(err, errDraftsRefused) {
		return BulkResult{Refused: r.Refused}, nil
	}
	if err != nil {
		return BulkResult{}, err
	}
	return r, nil
}

// lockCopiesAndExistingPosts locks the posts with their copies, as store.Tenant.LockCopies does, and then the posts
// that exist, in the order of their ids, so that two requests cannot deadlock.
func lockCopiesAndExistingPosts(ctx context.Context, t store.Tenant, ids []core.PostID) error {
	if err := t.LockCopies(ctx, ids); err != nil {
		return err
	}
	ids = slices.SortedFunc(slices.Values(ids), func(a, b core.PostID) int { return cmp.Compare(a.String(), b.String()) })
	for _, id := range ids {
		_, err := t.LockPost(ctx, id)
		if _, refused := asBulkRefusal(err); err != nil && !refused {
			return err
		}
	}
	return nil
}

// scheduleDraftAndRecordResult queues a draft for the time of the request, and records in result what was done, or why
// it was refused.
func (a *App) scheduleDraftAndRecordResult(ctx context.Context, t store.Tenant, c core.Caller, id core.PostID,
	revisionOrEmpty string, request *postRequest, timeIssues []core.Issue, result *BulkResult,
) error {
	var before core.Post
	after, err := a.changeAndAuditPostInTenant(ctx, t, c, id, func(t store.Tenant, p *core.Post) error {
		before = *p
		if p.Status != core.PostDraft {
			return core.Fail(core.CodeConflict, "Only a draft can be scheduled.").WithHint("Select only drafts.")
		}
		if err := checkPostRevisionIfShown(*p, revisionOrEmpty); err != nil {
			return err
		}
		p.PublishAt, p.Zone = request.at.UTC().Truncate(time.Microsecond), zoneAfterEdit(request.when, p.Zone)
		p.UpdatedAt = a.cfg.Now().UTC()
		return a.queueDraftPost(ctx, t, *p, request, timeIssues)
	})
	if cause, refused := asBulkRefusal(err); refused {
		refusal := BulkRefusal{ID: id.String(), Cause: cause}
		if !before.ID.IsZero() {
			refusal.Post = a.postOfWithoutUnusedTitle(before)
		}
		result.Refused = append(result.Refused, refusal)
		return nil
	}
	if err == nil {
		result.recordChange(id, bulkChange{at: after.PublishAt, before: PostSchedule{
			ID: id.String(), Status: core.PostDraft, At: before.PublishAt, Zone: before.Zone, Revision: after.Revision(),
		}})
	}
	return err
}
