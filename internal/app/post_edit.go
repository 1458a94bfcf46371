package app

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/store"
)

// EditPost changes a draft's content, reschedules a post, or queues a draft (Spec §4, PATCH /posts/{id}). It changes
// the content, then the time, and then checks the post. If anything fails, it changes nothing.
//
// With InPlace, it also changes the content of a queued post, which keeps its slot and, unless the request has a new
// one, its time. If the post is already being published, it goes out unchanged, and the error says so.
func (a *App) EditPost(ctx context.Context, c core.Caller, in contract.EditPost) (contract.Post, error) {
	p, _, err := a.EditPostWithUndo(ctx, c, in)
	return p, err
}

// EditPostWithUndo is like EditPost, but also returns the post's earlier schedule for RestorePostSchedules.
func (a *App) EditPostWithUndo(ctx context.Context, c core.Caller, in contract.EditPost,
) (p contract.Post, before PostSchedule, err error) {
	settings, inputErr := a.checkEditAndParseSettings(in)
	return a.changeAndAuditPostWithUndo(ctx, c, in.ID, inputErr, func(t store.Tenant, p *core.Post) error {
		if err := checkRevisionIfEditable(*p, in); err != nil {
			return err
		}
		ws, plan, err := a.loadWorkspaceAndPlan(ctx, t)
		if err != nil {
			return err
		}
		if err := a.checkAndSetEditedContent(ctx, t, p, in, settings); err != nil {
			return err
		}
		p.UpdatedAt = a.cfg.Now().UTC()
		switch p.Status {
		case core.PostDraft:
			err = a.setTimeAndSaveOrQueueDraft(ctx, t, p, in, ws, plan)
		case core.PostQueued:
			err = a.saveEditOrCancelQueuedPost(ctx, t, p, in, ws)
		default:
			if in.When == nil && in.Status == "" && !changesContent(in) {
				return nil
			}
			return errUnchangeable(*p)
		}
		if err != nil || in.MediaIDs == nil {
			return err
		}
		return savePostFilesUnlessPurged(ctx, t, *p)
	})
}

// ErrPostChanged is the cause of the conflict when the post was changed after the person opened it.
var ErrPostChanged = errors.New("the post was changed after this revision was read")

// checkRevisionIfEditable returns conflict if the post no longer has the revision on which the edit is based. It
// ignores posts that cannot be edited in this way, because the error about their state is more helpful.
func checkRevisionIfEditable(p core.Post, in contract.EditPost) error {
	editable := p.Status == core.PostDraft || p.Status == core.PostQueued && (in.InPlace || !changesContent(in))
	if !editable {
		return nil
	}
	return checkPostRevisionIfShown(p, in.Revision)
}

// checkPostRevisionIfShown returns conflict if a page showed a revision of the post other than the current one, and nil
// if no page has shown the post.
func checkPostRevisionIfShown(p core.Post, shownOrEmpty string) error {
	if shownOrEmpty == "" || shownOrEmpty == p.Revision() {
		return nil
	}
	happened := "The post was changed on " + p.Zone.FormatTime(p.UpdatedAt) + ","
	switch {
	case p.Status == core.PostLive:
		happened = "The post went live"
	case !p.ReplacedBy.IsZero():
		happened = "A copy of the post went live"
	}
	return core.Fail(core.CodeConflict, "%s after you opened this page.", happened).
		WithHint("Check the current post, then try again if you still want to.").WithCause(ErrPostChanged)
}

// errUnchangeable returns the conflict for a change to a post that is live or has failed.
func errUnchangeable(p core.Post) error {
	word := "is live"
	if p.Status == core.PostFailed {
		word = "has failed"
	}
	e := core.Fail(core.CodeConflict, "A post that %s cannot be changed.", word)
	if p.HasUnknownOutcome() { // see refuseCopyIfOutcomeUnknown
		return e.WithHint("Belfry does not know whether the post was published. Open it in the dashboard and say whether it was.")
	}
	return e.WithHint("Duplicate the post, then edit the duplicate.")
}

// errEditedTooLate returns the conflict for a change to the content that was saved after publishing had begun.
func errEditedTooLate(p core.Post) error {
	happened := map[core.PostStatus]string{
		core.PostQueued: "Belfry began to publish the post", core.PostLive: "The post was published",
		core.PostFailed: "The post failed",
	}
	e := core.Fail(core.CodeConflict, "%s before you saved. Your changes are not in the post.", happened[p.Status])
	if p.HasUnknownOutcome() { // see refuseCopyIfOutcomeUnknown
		e.Message = "Belfry sent the post before you saved, but does not know whether it was published. " +
			"Your changes are not in the post."
		return e.WithHint("Copy your text, then open the post and say whether it was published.")
	}
	return e.WithHint("To use your changes, copy your text, duplicate the post, and paste the text into the duplicate.")
}

// checkEditAndParseSettings checks the form of an edit and returns its parsed settings. It checks neither the ids
// (decisions.md, Shape of the API) nor the zone of `when`.
func (a *App) checkEditAndParseSettings(in contract.EditPost) (settings map[core.Platform]json.RawMessage, err error) {
	if in.Status != "" && in.Status != string(core.PostQueued) {
		return nil, core.Invalid("status", "`status` cannot be set to %q.", in.Status).WithHint("Use \"queued\".")
	}
	if err := core.CheckContent("", valueOr(in.Text, ""), in.Title.V, valueOr(in.Tags, nil)); err != nil {
		return nil, err
	}
	if _, err := parseWhen(in.When, core.Zone{}); err != nil {
		return nil, err
	}
	return a.parseSettings("settings", valueOr(in.Settings, nil))
}

// lockPublicationAndRefuseSearchedContent locks the post's ledger row, and returns conflict if the post can be changed,
// but not its content, because the network will be searched for that content. lockMovablePublication checks whether a
// queued post can be changed at all.
func lockPublicationAndRefuseSearchedContent(ctx context.Context, t store.Tenant, p core.Post) error {
	pub, err := t.LockPublication(ctx, p.ID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err != nil:
		return err
	case pub.AllowsPostChanges() && !pub.AllowsContentChanges():
		return core.Fail(core.CodeConflict,
			"The content cannot be changed, because Belfry searches the network for this content before it sends the post "+
				"again.").
			WithHint("Check the account on the network. To publish something else, duplicate the post and edit the duplicate.")
	}
	return nil
}

// changesContent reports whether an edit changes the content of a post.
func changesContent(in contract.EditPost) bool {
	return in.Text != nil || in.Title.Set || in.Tags != nil || in.MediaIDs != nil || in.Settings != nil
}

// checkAndSetEditedContent reads the edit's files and sets the edit's content on p, without storing p. It returns
// conflict if the content of the post can no longer be changed.
func (a *App) checkAndSetEditedContent(ctx context.Context, t store.Tenant, p *core.Post, in contract.EditPost,
	settings map[core.Platform]json.RawMessage,
) error {
	files, err := loadFiles(ctx, t, valueOr(in.MediaIDs, nil))
	if err != nil || !changesContent(in) {
		return err
	}
	switch {
	case p.Status == core.PostDraft, p.Status == core.PostQueued && in.InPlace:
	case p.Status == core.PostQueued:
		return core.Fail(core.CodeConflict, "Through the API, content can be changed only while the post is a draft.").
			WithHint("Cancel or duplicate the post first. To reschedule it, change only its time.")
	case in.InPlace:
		return errEditedTooLate(*p)
	default:
		return errUnchangeable(*p)
	}
	if err := lockPublicationAndRefuseSearchedContent(ctx, t, *p); err != nil {
		return err
	}
	p.Text, p.Tags = valueOr(in.Text, p.Text), valueOr(in.Tags, p.Tags)
	if in.Title.Set {
		p.Title = in.Title.V
	}
	if in.MediaIDs != nil {
		p.MediaIDs = mediaIDs(files)
	}
	if in.Settings == nil {
		return nil
	}
	return a.replaceSettings(p, settings)
}

// replaceSettings replaces all settings of a post. Settings that are not in the request are removed (Spec §4).
func (a *App) replaceSettings(p *core.Post, settings map[core.Platform]json.RawMessage) error {
	if own, ok := settings[p.Platform]; ok {
		p.Settings = own
		return nil
	}
	if len(settings) > 0 { // settings of other networks do not concern this post
		return nil
	}
	n, err := a.getNetworkRules("settings", string(p.Platform))
	if err != nil {
		return err
	}
	p.Settings, err = n.NormalizeSettings(nil)
	return err
}

// setTimeAndSaveOrQueueDraft sets a draft's time, and queues the draft if the request asks for it.
func (a *App) setTimeAndSaveOrQueueDraft(ctx context.Context, t store.Tenant, p *core.Post, in contract.EditPost,
	ws core.Workspace, plan core.Plan,
) error {
	var timeIssues []core.Issue
	if in.When != nil {
		when, err := parseWhen(in.When, ws.Zone)
		if err != nil {
			return err
		}
		var at time.Time
		at, timeIssues, _ = when.Resolve(a.cfg.Now())
		p.PublishAt, p.Zone = at.UTC().Truncate(time.Microsecond), zoneAfterEdit(when, p.Zone)
	}
	if in.Status != "" {
		if len(timeIssues) == 0 {
			timeIssues = core.CheckRequiredTime(p.PublishAt, a.cfg.Now())
		}
		return a.queueDraftPost(ctx, t, *p, &postRequest{
			workspace: ws, subscription: plan, when: core.When{Kind: core.WhenAt},
		},
			timeIssues)
	}
	if len(timeIssues) > 0 {
		return refuseIfPostHasIssues(*p, timeIssues)
	}
	return t.UpdatePostExceptMedia(ctx, *p)
}

// loadPostTarget returns the account, content and network of a post, as the checks of POST /posts need them.
func (a *App) loadPostTarget(ctx context.Context, t store.Tenant, p core.Post) (postTarget, error) {
	// A disconnected account is an issue, like a revoked one.
	account, _, err := t.AccountWithTokenIncludingDisconnected(ctx, p.Account)
	if err != nil {
		return postTarget{}, err
	}
	n, err := a.getConnector("settings", string(p.Platform))
	if err != nil {
		return postTarget{}, err
	}
	files, err := t.MediaInOrderIncludingDeleted(ctx, p.MediaIDs)
	if err != nil {
		return postTarget{}, err
	}
	facts, err := t.AccountFacts(ctx, []core.AccountID{p.Account})
	if err != nil {
		return postTarget{}, err
	}
	return postTarget{network: n, draft: network.Draft{
		Text: p.Text, Title: p.Title, Tags: p.Tags, Media: files, Settings: p.Settings, Account: account,
		Facts: facts[p.Account].OnlyValidFor(p.PublishAt, a.cfg.Now()),
	}}, nil
}

// queueDraftPost checks a draft as POST /posts does, takes a slot, and queues the draft. It returns conflict if another
// copy of the same failed post is published instead.
func (a *App) queueDraftPost(ctx context.Context, t store.Tenant, p core.Post, r *postRequest,
	timeIssues []core.Issue,
) error {
	d, err := a.loadPostTarget(ctx, t, p)
	if err != nil {
		return err
	}
	period := r.workspace.Zone.QuotaPeriod(a.cfg.Now())
	if r.used, err = t.UsedSlots(ctx, period); err != nil {
		return err
	}
	row := a.buildPlanRowWithTargetIssues(d, true)
	row.PublishAt = p.PublishAt
	row.Issues = slices.Concat(row.Issues, timeIssues, r.quotaIssues(1))
	r.targets, r.rows = []postTarget{d}, []core.PlanRow{row}
	if err := refuseIfPlanHasIssues(r); err != nil {
		return err
	}
	if err := a.checkAndStopOtherCopies(ctx, t, p); err != nil {
		return err
	}
	change, err := p.MakeChange(core.MoveQueue, p.UpdatedAt, "")
	if err != nil {
		return err
	}
	return t.SavePostChange(ctx, change, func(t store.Tenant) error {
		if err := reserveSlot(ctx, t, p.ID, period, r.subscription); err != nil {
			return err
		}
		if err := t.LockConnectedAccountsShared(ctx, r.accountIDs()); err != nil {
			return err
		}
		pub, err := t.LockPublication(ctx, p.ID)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		pub.Post, pub.Platform = p.ID, p.Platform
		return a.putPublicationForStatusAndEndClaim(ctx, t, change.Post, d.publicationWithFlowAndLeadTime(pub).Unqueue())
	})
}

// chooseDelivery returns how the post gets to its network. It is prepared at most core.LongestAhead.
func (d postTarget) chooseDelivery() network.Delivery {
	delivery := d.network.DeliveryFor(d.draft)
	delivery.Ahead = min(delivery.Ahead, core.LongestAhead)
	return delivery
}

// publicationWithFlowAndLeadTime returns the ledger row of a target's post with the flow and lead time of its delivery.
func (d postTarget) publicationWithFlowAndLeadTime(pub store.Publication) store.Publication {
	delivery := d.chooseDelivery()
	pub.Flow, pub.Ahead = delivery.Flow, delivery.Ahead
	return pub
}

// saveEditOrCancelQueuedPost changes the time of a queued post, its content, or both. With `when: draft`, it cancels
// the post.
func (a *App) saveEditOrCancelQueuedPost(ctx context.Context, t store.Tenant, p *core.Post, in contract.EditPost,
	ws core.Workspace,
) error {
	if in.Status != "" && !in.InPlace {
		return core.MoveQueue.ConflictError().WithHint("This post is already queued.")
	}
	if in.When == nil && !changesContent(in) {
		return nil
	}
	edited := core.Event{Kind: core.EventQueued, At: p.UpdatedAt, Message: "The content was changed."}
	change := core.Change{Post: *p, Event: edited}
	if in.When != nil {
		when, err := parseWhen(in.When, ws.Zone)
		if err != nil {
			return err
		}
		if when.Kind == core.WhenDraft {
			return a.unqueuePostWithinDraftQuota(ctx, t, *p)
		}
		at, issues, _ := when.Resolve(a.cfg.Now())
		p.PublishAt, p.Zone = at.UTC().Truncate(time.Microsecond), zoneAfterEdit(when, p.Zone)
		if len(issues) > 0 {
			return refuseIfPostHasIssues(*p, issues)
		}
		change.Post, change.Event.Kind = *p, core.EventRescheduled
		change.Event.Message = "To " + p.Zone.FormatTime(p.PublishAt) + "."
	}
	pub, err := lockMovablePublication(ctx, t, p.ID)
	if core.CodeOf(err) == core.CodeConflict && changesContent(in) {
		return errEditedTooLate(*p)
	}
	if err == nil && changesContent(in) {
		pub, err = a.checkContentAndSetDelivery(ctx, t, *p, pub)
	}
	if err != nil {
		return err
	}
	return a.savePostChangeAndEndClaim(ctx, t, change, pub)
}

// checkContentAndSetDelivery checks the new content of a queued post as POST /posts does, and returns the post's ledger
// row with the delivery of that content. The post keeps its slot.
func (a *App) checkContentAndSetDelivery(ctx context.Context, t store.Tenant, p core.Post,
	pub store.Publication,
) (store.Publication, error) {
	d, err := a.loadPostTarget(ctx, t, p)
	if err != nil {
		return pub, err
	}
	if row := a.buildPlanRowWithTargetIssues(d, true); !row.OK() {
		return pub, refuseIfPostHasIssues(p, row.Issues)
	}
	return d.publicationWithFlowAndLeadTime(pub), nil
}

// zoneAfterEdit returns a post's zone after its time was edited: the zone of the new time. "now" and "draft" keep the
// zone.
func zoneAfterEdit(when core.When, before core.Zone) core.Zone {
	if when.Kind == core.WhenAt || when.Kind == core.WhenInstant {
		return when.Zone
	}
	return before
}
