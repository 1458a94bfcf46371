package app

import (
	"context"
	"errors"
	"slices"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/store"
)

// MaxBulk is the maximum number of posts for one action: as many as the longest page of a list has.
const MaxBulk = maxPageSize

// CheckPostBatchSize returns invalid_request unless there are 1 to MaxBulk ids.
func CheckPostBatchSize(ids []string) error {
	switch {
	case len(ids) == 0:
		return core.NotSelected("post", "a post")
	case len(ids) > MaxBulk:
		return core.Invalid("post", "Too many posts are selected.").WithHint("Select at most %d posts at once.", MaxBulk)
	}
	return nil
}

// maxTogether is the maximum number of posts for an action, or its undo, on the posts that one request created. Such a
// request creates one post for each account, so there can be more than MaxBulk.
const maxTogether = 10 * MaxBulk

// BulkAction is one action on several posts.
type BulkAction struct {
	Act core.Act // one of BulkActs
	IDs []string
	// Revisions are the revisions of the posts that the person has seen, by id. A post with another revision is refused.
	// Without a revision, the action applies to the post whatever its revision.
	Revisions map[string]string
	// Shift is how far core.ActReschedule moves the posts.
	Shift core.Shift
	// First is the time for which core.ActQueue schedules the first draft, and Every how much later it schedules each
	// further one. The zero Every schedules all of them for the same time.
	First contract.When
	Every core.Shift
}

// BulkActs returns the actions that can be applied to several posts at once.
func BulkActs() []core.Act {
	return []core.Act{core.ActQueue, core.ActReschedule, core.ActRetry, core.ActCancel, core.ActDuplicate, core.ActDelete}
}

// BulkResult is the result of an action on several posts. Each post is changed or refused independently, except that
// core.ActQueue changes all posts or none.
type BulkResult struct {
	Done    int
	Refused []BulkRefusal
	// Undo contains the earlier schedules of posts, which RestorePostSchedules can restore.
	Undo []PostSchedule
	// Times are the new times of posts that were scheduled or moved, and Made the ids of copies.
	Times []time.Time
	Made  []string
	// Changed are the ids of the posts to which the action was applied.
	Changed []string
}

// BulkRefusal is a post to which an action was not applied, and the reason.
type BulkRefusal struct {
	ID    string
	Post  contract.Post // the zero Post if it has been deleted
	Cause *core.Error
}

// bulkChange is what an action has done to one post.
type bulkChange struct {
	before PostSchedule // the post's earlier schedule for an undo; zero if the action cannot be undone
	at     time.Time    // the post's new time; zero if the action sets none
	made   string       // the id of the post's copy; "" if there is none
}

// ApplyBulkAction applies an action to each of several posts, with the same checks as for a single post. If an error
// interrupts the action, it also returns the result so far.
func (a *App) ApplyBulkAction(ctx context.Context, c core.Caller, in BulkAction) (BulkResult, error) {
	t, err := a.authorize(c, core.Write)
	if err != nil {
		return BulkResult{}, err
	}
	if !slices.Contains(BulkActs(), in.Act) {
		return BulkResult{}, core.Invalid("act", "The action %q cannot be applied to several posts at once.", in.Act)
	}
	if err := CheckPostBatchSize(in.IDs); err != nil {
		return BulkResult{}, err
	}
	switch in.Act {
	case core.ActReschedule:
		if err := in.Shift.Check(); err != nil {
			return BulkResult{}, err
		}
	case core.ActQueue:
		return a.scheduleAllDraftsOrNone(ctx, t, c, in)
	}
	ws, err := t.Workspace(ctx)
	if err != nil {
		return BulkResult{}, err
	}
	copyTime := a.newCopyCreationTimes()
	return a.applyToEachPost(ctx, t, in.IDs, func(p core.Post) (bulkChange, error) {
		if err := checkPostRevisionIfShown(p, in.Revisions[p.ID.String()]); err != nil {
			return bulkChange{}, err
		}
		return a.applyActionExceptQueue(ctx, c, in, p, ws.Zone, copyTime)
	})
}

// newCopyCreationTimes returns a function that returns the creation time of a copy for that of the original. Posts of
// one request have the same creation time, and so have their copies.
func (a *App) newCopyCreationTimes() (copyTime func(original time.Time) time.Time) {
	next, copied := a.cfg.Now(), map[time.Time]time.Time{}
	return func(original time.Time) time.Time {
		at, known := copied[original]
		if !known {
			at, next = next, next.Add(time.Microsecond)
			copied[original] = at
		}
		return at
	}
}

// applyActionExceptQueue applies the action, which is not core.ActQueue, to one post. copyTime returns the creation
// time of a copy, see newCopyCreationTimes.
func (a *App) applyActionExceptQueue(ctx context.Context, c core.Caller, action BulkAction, p core.Post,
	workspaceZone core.Zone, copyTime func(original time.Time) time.Time,
) (done bulkChange, err error) {
	id := p.ID.String()
	switch action.Act {
	case core.ActReschedule:
		return a.shiftPostTimeIfUnchanged(ctx, c, p, action.Shift, workspaceZone)
	case core.ActRetry:
		_, err = a.RetryPostFromDashboard(ctx, c, id, p.Revision())
	case core.ActCancel:
		if p.Status != core.PostQueued { // cancelling a failed post would stop its retries instead
			return done, core.Fail(core.CodeConflict, "Only a queued post can be moved to drafts.")
		}
		_, done.before, err = a.CancelPostWithUndo(ctx, c, id, p.Revision())
	case core.ActDuplicate:
		var made contract.Post
		made, err = a.duplicatePostAsDraft(ctx, c, id, copyTime(p.CreatedAt), newDashboardCopyCheck(p.Revision()))
		done.made = made.ID
	case core.ActDelete:
		err = a.deletePost(ctx, c, id, p.Revision(), false)
	}
	return done, err
}

// shiftPostTimeIfUnchanged moves a post's time, unless somebody else has changed the post since it was read. A shift by
// days keeps the time of day in the workspace's zone.
func (a *App) shiftPostTimeIfUnchanged(ctx context.Context, c core.Caller, p core.Post, by core.Shift,
	workspaceZone core.Zone,
) (done bulkChange, err error) {
	if p.PublishAt.IsZero() {
		return done, core.Fail(core.CodeConflict, "The draft has no time yet.").
			WithHint("To give it a time, select it in Drafts and choose Schedule.")
	}
	at, issues := by.Apply(p.PublishAt, workspaceZone, a.cfg.Now())
	if len(issues) > 0 {
		return done, refuseIfPostHasIssues(p, issues)
	}
	_, done.before, err = a.EditPostWithUndo(ctx, c, contract.EditPost{
		ID: p.ID.String(), Revision: p.Revision(), When: &contract.When{Instant: at, Timezone: p.Zone.Name()},
	})
	done.at = at
	return done, err
}

// applyToEachPost calls apply for each of several posts. An error that concerns only one post is recorded as a refusal.
// Any other error ends the loop, and is returned with the result so far.
func (a *App) applyToEachPost(ctx context.Context, t store.Tenant, ids []string,
	apply func(core.Post) (bulkChange, error),
) (r BulkResult, err error) {
	if len(ids) == 0 {
		return r, CheckPostBatchSize(ids)
	}
	r.refuseMalformedIDs(ids)
	parsed := uniqueValidPostIDs(ids)
	posts, err := t.PostsByID(ctx, parsed)
	if err != nil {
		return r, err
	}
	for _, id := range parsed {
		p, ok := posts[id]
		if !ok {
			r.Refused = append(r.Refused, BulkRefusal{ID: id.String(), Cause: errPostDeleted()})
			continue
		}
		done, err := apply(p)
		if cause, refused := asBulkRefusal(err); refused {
			r.Refused = append(r.Refused, BulkRefusal{id.String(), a.postOfWithoutUnusedTitle(p), cause})
			continue
		}
		if err != nil {
			return r, err
		}
		r.recordChange(p.ID, done)
	}
	return r, nil
}

// uniqueValidPostIDs returns each id once. It leaves out malformed ones.
func uniqueValidPostIDs(ids []string) (parsed []core.PostID) {
	for _, id := range ids {
		if p, err := core.ParseID[core.PostKind](id); err == nil && !slices.Contains(parsed, p) {
			parsed = append(parsed, p)
		}
	}
	return parsed
}

// refuseMalformedIDs records a refusal for each malformed id, as for the id of a post that does not exist.
func (r *BulkResult) refuseMalformedIDs(ids []string) {
	for _, id := range ids {
		if _, err := core.ParseID[core.PostKind](id); err != nil {
			r.Refused = append(r.Refused, BulkRefusal{ID: id, Cause: errPostDeleted()})
		}
	}
}

// recordChange records that an action was applied to a post.
func (r *BulkResult) recordChange(id core.PostID, done bulkChange) {
	r.Done++
	r.Changed = append(r.Changed, id.String())
	if done.before.checkRestorable() == nil {
		r.Undo = append(r.Undo, done.before)
	}
	if !done.at.IsZero() {
		r.Times = append(r.Times, done.at)
	}
	if done.made != "" {
		r.Made = append(r.Made, done.made)
	}
}

func errPostDeleted() *core.Error {
	return core.Fail(core.CodeConflict, "The post was deleted in the meantime.")
}

// asBulkRefusal reports whether an error concerns only the post to which an action was applied, and returns the reason
// to show for that post.
func asBulkRefusal(err error) (cause *core.Error, refused bool) {
	var e *core.Error
	switch {
	case !errors.As(err, &e), e.Code == core.CodeInternal, e.Code == core.CodeUnavailable,
		e.Code == core.CodeInsufficientScope:
		return nil, false
	case e.Code == core.CodeNotFound:
		return errPostDeleted(), true
	}
	return e, true
}

// PostSchedule records whether and when a post was to be published before an action.
type PostSchedule struct {
	ID     string
	Status core.PostStatus // draft or queued
	At     time.Time       // zero for a draft without a time
	Zone   core.Zone       // core.Post.Zone
	// Revision is the post's revision after the action. A post with another revision has been changed since, and is
	// not restored.
	Revision string
}

// checkRestorable returns invalid_request for a schedule that no action can have returned.
func (s PostSchedule) checkRestorable() error {
	hasTime := s.At.Year() >= 2000 && s.At.Year() < 10000 // the possible years of a post's time
	isDraft := s.Status == core.PostDraft && (s.At.IsZero() || hasTime)
	isQueued := s.Status == core.PostQueued && hasTime
	if !isDraft && !isQueued || s.Revision == "" {
		return core.Invalid("before", "The schedule of the post %q cannot be restored.", s.ID).
			WithHint("Open the post and set its time there.")
	}
	return nil
}

// RestorePostSchedules undoes actions: it restores the earlier status and time of posts. A post that is queued again is
// checked again. It refuses a post that was changed after the action.
func (a *App) RestorePostSchedules(ctx context.Context, c core.Caller, before []PostSchedule) (BulkResult, error) {
	t, err := a.authorize(c, core.Write)
	if err != nil {
		return BulkResult{}, err
	}
	if len(before) > maxTogether {
		return BulkResult{}, core.Invalid("before", "The schedules of at most %d posts can be restored at once.", maxTogether)
	}
	was := map[string]PostSchedule{}
	var ids []string
	for _, s := range before {
		if err := s.checkRestorable(); err != nil {
			return BulkResult{}, err
		}
		if _, twice := was[s.ID]; twice {
			return BulkResult{}, core.Invalid("before", "The post %q is listed twice.", s.ID)
		}
		was[s.ID] = s
		ids = append(ids, s.ID)
	}
	return a.applyToEachPost(ctx, t, ids, func(p core.Post) (bulkChange, error) {
		err := a.restorePostSchedule(ctx, c, was[p.ID.String()])
		if errors.Is(err, ErrPostChanged) {
			err = core.Fail(core.CodeConflict, "The post was changed in the meantime, so its time and status stay as they are.").WithCause(err)
		}
		return bulkChange{}, err
	})
}

// restorePostSchedule restores the schedule of one post. It returns an error with the cause ErrPostChanged if the post
// has another revision.
func (a *App) restorePostSchedule(ctx context.Context, c core.Caller, was PostSchedule) error {
	if was.Status == core.PostQueued {
		_, err := a.EditPost(ctx, c, contract.EditPost{
			ID: was.ID, Revision: was.Revision, Status: string(core.PostQueued), InPlace: true,
			When: &contract.When{Instant: was.At, Timezone: was.Zone.Name()},
		})
		return err
	}
	_, err := a.changeAndAuditPost(ctx, c, was.ID, func(t store.Tenant, p *core.Post) error {
		if err := checkRevisionIfEditable(*p, contract.EditPost{Revision: was.Revision, InPlace: true}); err != nil {
			return err
		}
		if p.Status == core.PostQueued {
			if err := a.unqueuePostWithinDraftQuota(ctx, t, *p); err != nil {
				return err
			}
			p.Status = core.PostDraft
		}
		if p.Status != core.PostDraft {
			return errUnchangeable(*p)
		}
		now := a.cfg.Now().UTC()
		// A draft can have a time that has passed, if it was set while the time was still in the future.
		hasPassed := was.At.Before(now) && was.At.After(p.CreatedAt.Add(-time.Minute))
		if !was.At.IsZero() && !hasPassed {
			if issues := core.CheckRequiredTime(was.At, now); len(issues) > 0 {
				return refuseIfPostHasIssues(*p, issues)
			}
		}
		p.PublishAt, p.Zone, p.UpdatedAt = was.At, was.Zone, now
		return t.UpdatePostExceptMedia(ctx, *p)
	})
	return err
}

// GetSchedulesToUndoCreation returns the schedules with which RestorePostSchedules turns posts that were just queued
// into drafts. It leaves out posts that are being published, or have changed since.
func (a *App) GetSchedulesToUndoCreation(ctx context.Context, c core.Caller, created []contract.Post,
) ([]PostSchedule, error) {
	t, err := a.authorize(c, core.Write)
	if err != nil {
		return nil, err
	}
	ids, err := parseIDs[core.PostKind]("ids", convertAll(created, func(p contract.Post) string { return p.ID }))
	if err != nil {
		return nil, err
	}
	found, err := t.PostsByID(ctx, ids)
	var before []PostSchedule
	for i, id := range ids {
		if p, ok := found[id]; ok && p.Status == core.PostQueued && !p.Busy && isUnchangedSince(p, created[i]) {
			before = append(before, PostSchedule{
				ID: created[i].ID, Status: core.PostDraft, Zone: p.Zone, Revision: p.Revision(),
			})
		}
	}
	return before, err
}

// isUnchangedSince reports whether a post has not changed since a response showed it. Times in responses have a
// precision of milliseconds.
func isUnchangedSince(p core.Post, shown contract.Post) bool {
	return shown.PublishAt != nil && isSameMilli(p.PublishAt, shown.PublishAt.Time) &&
		isSameMilli(p.UpdatedAt, shown.UpdatedAt.Time)
}

func isSameMilli(a, b time.Time) bool { return a.UnixMilli() == b.UnixMilli() }

// SendPostAfterUndoDelay queues a draft, or reschedules a queued post, to be published after UndoDelay. It returns the
// post's earlier schedule for RestorePostSchedules. revisionOrEmpty is the revision that the person has seen, or "" to
// send the post whatever its revision.
func (a *App) SendPostAfterUndoDelay(ctx context.Context, c core.Caller, id, revisionOrEmpty string,
) (before PostSchedule, err error) {
	_, before, err = a.EditPostWithUndo(ctx, c, contract.EditPost{
		ID: id, Revision: revisionOrEmpty, When: &contract.When{Word: "now", Delayed: true},
		Status: string(core.PostQueued), InPlace: true,
	})
	return before, err
}
