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

// EnqueueFollowUps enqueues what follows once a post is live: its final steps, such as setting a thumbnail, and
// fetching its link. It does nothing if the post does not exist.
func (e *Engine) EnqueueFollowUps(ctx context.Context, t store.Tenant, id core.PostID) error {
	post, err := t.Post(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	files, err := loadFilesIncludingDeleted(ctx, t, post)
	if err != nil {
		return err
	}
	return e.enqueueFollowUpsIfIDKnown(ctx, t, post, files)
}

// enqueueFollowUpsIfIDKnown is EnqueueFollowUps for a post and its files. Without the network's id of the post, it does
// nothing, because nothing can follow.
func (e *Engine) enqueueFollowUpsIfIDKnown(ctx context.Context, t store.Tenant, post core.Post, files []store.Media,
) error {
	if post.ExternalID == "" {
		return nil
	}
	draft := network.Draft{Text: post.Text, Title: post.Title, Tags: post.Tags, Settings: post.Settings}
	for _, m := range files {
		draft.Media = append(draft.Media, m.Media)
	}
	net, _ := e.cfg.Networks.FindConnector(post.Platform)
	if finisher, ok := net.(network.Finisher); ok {
		for _, step := range finisher.ListFinalSteps(draft) {
			job := queue.FinalStep{Workspace: post.Workspace, Post: post.ID, Step: step}
			if err := t.Enqueue(ctx, job, time.Time{}); err != nil {
				return err
			}
		}
	}
	if post.ExternalURL != "" {
		return nil
	}
	return t.Enqueue(ctx, queue.Link{Workspace: post.Workspace, Post: post.ID}, time.Time{})
}

// loadFilesIncludingDeleted returns a post's files, including deleted ones, in their order.
func loadFilesIncludingDeleted(ctx context.Context, t store.Tenant, post core.Post) ([]store.Media, error) {
	files, err := t.MediaIncludingDeleted(ctx, post.MediaIDs)
	slices.SortFunc(files, func(a, b store.Media) int {
		return slices.Index(post.MediaIDs, a.ID) - slices.Index(post.MediaIDs, b.ID)
	})
	return files, err
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
	files, err := loadFilesIncludingDeleted(ctx, t, post)
	if err != nil {
		return 0, err
	}
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
		note := fmt.Sprintf("%s did not %s: %s", c.desc.Name, finisher.FinalStepInWords(step), failed.Message)
		return 0, t.AddPostNoteOnceIfLive(ctx, id, note)
	}
	return core.FollowUpRetryDelay(age, failed.RetryAfter), nil
}
