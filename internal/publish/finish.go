package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/queue"
	"belfry/internal/store"
)

// enqueueFinalSteps enqueues the steps that follow once the post is live, such as setting a thumbnail.
func (c *claim) enqueueFinalSteps(ctx context.Context, t store.Tenant) error {
	finisher, ok := c.net.(network.Finisher)
	if !ok {
		return nil
	}
	for _, step := range finisher.ListFinalSteps(c.item.DraftWithoutAccount()) {
		job := queue.FinalStep{Workspace: c.post.Workspace, Post: c.post.ID, Step: step}
		if err := t.Enqueue(ctx, job, time.Time{}); err != nil {
			return err
		}
	}
	return nil
}

// RunFinalStepOrAddNote performs a step that follows once a post is live. It returns the pause before the next attempt,
// or 0 if there must be none. If the network refuses the step, or the step has failed for too long, a note on the
// post's last event says so. In any case, the post stays live.
func (e *Engine) RunFinalStepOrAddNote(
	ctx context.Context, ws core.WorkspaceID, id core.PostID, step string,
) (retryIn time.Duration, err error) {
	t := e.tenant(ws)
	post, err := t.Post(ctx, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && (post.Status != core.PostLive || post.ExternalID == "") {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	events, err := t.PostEvents(ctx, id)
	if err != nil {
		return 0, err
	}
	files, err := t.MediaIncludingDeleted(ctx, post.MediaIDs)
	if err != nil {
		return 0, err
	}
	slices.SortFunc(files, func(a, b store.Media) int {
		return slices.Index(post.MediaIDs, a.ID) - slices.Index(post.MediaIDs, b.ID)
	})
	account, sealed, err := t.AccountWithTokenIncludingDisconnected(ctx, post.Account)
	if err != nil {
		return 0, err
	}
	c := &claim{engine: e, tenant: t, post: post, account: account, sealedToken: sealed, files: files}
	if err := c.setUpConnectorAndItem(); err != nil {
		return 0, err
	}
	finisher, ok := c.net.(network.Finisher)
	if !ok {
		return 0, nil
	}
	c.tryRenewLapsedToken(ctx)
	calling, cancel := context.WithTimeout(ctx, e.cfg.Schedule.CallTimeout())
	defer cancel()
	for i, file := range c.files {
		if c.conversions[i] == nil || file.Issue() != nil {
			continue // the connector reports the issue
		}
		// The connector reports the error if the step sends the file.
		if err := c.checkOrConvertFileAndSetSize(calling, i); err != nil {
			c.log.Warn("could not read one of the post's files", "media", file.ID, "error", err)
		}
	}
	err = finisher.RunFinalStep(calling, c.item, post.ExternalID, step)
	failed, ok := errors.AsType[*network.Error](err)
	if ok && failed.Kind == network.Lapsed && c.renewToken(ctx) == nil {
		err = finisher.RunFinalStep(calling, c.item, post.ExternalID, step)
		failed, ok = errors.AsType[*network.Error](err)
	}
	if !ok {
		return 0, err
	}
	c.log.Info("a final step of a live post failed", "step", step, "kind", failed.Kind, "code", failed.Code)
	age := c.databaseNow().Sub(events[len(events)-1].At)
	if failed.Kind == network.Rejected || age >= core.FollowUpLifetime {
		note := fmt.Sprintf("%s did not %s: %s", c.desc.Name, step, failed.Message)
		return 0, t.AddPostNoteOnceIfLive(ctx, id, note)
	}
	return core.FollowUpRetryDelay(age, failed.RetryAfter), nil
}
