// Client is what somebody writes who has generated a client from the API's description: one journey
// through all that a program does, in the generated words only. The test of the built program generates
// the package belfry beside it, builds it and runs it.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"net/http"
	"os"
	"time"

	"client/belfry"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := journey(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func journey(ctx context.Context) error {
	c, err := belfry.NewClientWithResponses(os.Getenv("URL")+"/v1", belfry.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+os.Getenv("KEY"))
		return nil
	}))
	if err != nil {
		return err
	}
	j := walk{c, os.Getenv("ACCOUNT")}
	for _, step := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"look around", j.look}, {"bring a file", j.upload}, {"plan, create, cancel", j.schedule}, {"publish", j.publish},
		{"list", j.list}, {"read errors", j.refusals},
	} {
		if err := step.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		fmt.Println(step.name)
	}
	return nil
}

type walk struct {
	c       *belfry.ClientWithResponses
	account string
}

func (j walk) look(ctx context.Context) error {
	who, err := j.c.WhoamiWithResponse(ctx)
	if err != nil || who.JSON200 == nil {
		return fmt.Errorf("whoami: %w", unexpected(err, who.Status(), who.Body))
	}
	if who.JSON200.Credential.Kind != "api_key" || who.Headers200.XRequestId == "" {
		return fmt.Errorf("whoami returns the credential %+v and the headers %+v", who.JSON200.Credential, who.Headers200)
	}
	limits, err := j.c.GetLimitsWithResponse(ctx)
	if err != nil || limits.JSON200 == nil {
		return fmt.Errorf("limits: %w", unexpected(err, limits.Status(), limits.Body))
	}
	if threads := limits.JSON200.Limits.Threads; threads == nil || threads.Text.Max == 0 ||
		len(threads.ContentTypes) == 0 {
		return fmt.Errorf("limits of Threads: %+v", threads)
	}
	return nil
}

func (j walk) upload(ctx context.Context) error {
	folder, err := j.c.CreateFolderWithResponse(ctx, belfry.CreateFolder{Name: "Created by a generated client"})
	if err != nil || folder.JSON201 == nil {
		return fmt.Errorf("folder: %w", unexpected(err, folder.Status(), folder.Body))
	}
	var picture bytes.Buffer
	if err := jpeg.Encode(&picture, image.NewGray(image.Rect(0, 0, 400, 500)), nil); err != nil {
		return err
	}
	reserved, err := j.c.CreateUploadWithResponse(ctx, &belfry.CreateUploadParams{}, belfry.CreateUpload{
		Filename: "rye.jpg", Mime: "image/jpeg", Size: int64(picture.Len()), FolderId: &folder.JSON201.Id,
	})
	if err != nil || reserved.JSON201 == nil {
		return fmt.Errorf("reserve: %w", unexpected(err, reserved.Status(), reserved.Body))
	}
	put, err := http.NewRequestWithContext(ctx, http.MethodPut, reserved.JSON201.UploadUrl, &picture)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(put)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the upload returned the status %s", answer.Status)
	}
	return until(ctx, func() (bool, error) {
		m, err := j.c.GetMediaWithResponse(ctx, reserved.JSON201.MediaId)
		if err != nil || m.JSON200 == nil || m.JSON200.Status == belfry.MediaStatusFailed {
			return false, fmt.Errorf("file: %w", unexpected(err, m.Status(), m.Body))
		}
		return m.JSON200.Status == belfry.MediaStatusReady && *m.JSON200.Width == 400 &&
			*m.JSON200.FolderId == folder.JSON201.Id, nil
	})
}

func (j walk) targets() belfry.Targets { return belfry.Targets{AccountIds: &[]string{j.account}} }

func (j walk) schedule(ctx context.Context) error {
	at := time.Now().UTC().AddDate(0, 0, 2).Format("2006-01-02T15:04")
	var planned belfry.PlanPosts_When
	var when belfry.CreatePosts_When
	if err := errors.Join(
		planned.FromPlanPostsWhen1(belfry.PlanPostsWhen1{PublishAt: at, Timezone: new("UTC")}),
		when.FromCreatePostsWhen1(belfry.CreatePostsWhen1{PublishAt: at, Timezone: new("UTC")}),
	); err != nil {
		return err
	}
	plan, err := j.c.PlanPostsWithResponse(ctx, belfry.PlanPosts{Targets: j.targets(), Text: new("From a generated client"), When: &planned})
	if err != nil || plan.JSON200 == nil || !plan.JSON200.Ok || len(plan.JSON200.Rows) != 1 {
		return fmt.Errorf("plan: %w", unexpected(err, plan.Status(), plan.Body))
	}
	body := belfry.CreatePosts{Targets: j.targets(), Text: new("From a generated client"), When: &when, Confirm: new(true)}
	once := &belfry.CreatePostsParams{IdempotencyKey: new("generated-client-1")}
	first, err := j.c.CreatePostsWithResponse(ctx, once, body)
	if err != nil || first.JSON201 == nil || first.JSON201.Posts[0].Status != belfry.PostStatusQueued {
		return fmt.Errorf("create: %w", unexpected(err, first.Status(), first.Body))
	}
	again, err := j.c.CreatePostsWithResponse(ctx, once, body)
	if err != nil || again.JSON201 == nil || again.JSON201.Posts[0].Id != first.JSON201.Posts[0].Id {
		return fmt.Errorf("create once more: %w", unexpected(err, again.Status(), again.Body))
	}
	cancelled, err := j.c.CancelPostWithResponse(ctx, first.JSON201.Posts[0].Id)
	if err != nil || cancelled.JSON200 == nil || cancelled.JSON200.Status != belfry.PostStatusDraft ||
		cancelled.JSON200.PublishAt != nil {
		return fmt.Errorf("cancel: %w", unexpected(err, cancelled.Status(), cancelled.Body))
	}
	return nil
}

func (j walk) publish(ctx context.Context) error {
	var now belfry.CreatePosts_When
	if err := now.FromCreatePostsWhen0(belfry.CreatePostsWhen0Now); err != nil {
		return err
	}
	made, err := j.c.CreatePostsWithResponse(ctx, &belfry.CreatePostsParams{}, belfry.CreatePosts{
		Targets: j.targets(), Text: new("Published by a generated client"), When: &now, Confirm: new(true),
	})
	if err != nil || made.JSON201 == nil {
		return fmt.Errorf("create: %w", unexpected(err, made.Status(), made.Body))
	}
	return until(ctx, func() (bool, error) {
		p, err := j.c.GetPostWithResponse(ctx, made.JSON201.Posts[0].Id)
		if err != nil || p.JSON200 == nil || p.JSON200.Status == belfry.PostStatusFailed {
			return false, fmt.Errorf("post: %w", unexpected(err, p.Status(), p.Body))
		}
		return p.JSON200.Status == belfry.PostStatusLive && p.JSON200.ExternalUrl != nil, nil
	})
}

// list reads every post, two at a time.
func (j walk) list(ctx context.Context) error {
	seen := map[string]bool{}
	for params := (belfry.ListPostsParams{Limit: new(int64(2))}); ; {
		page, err := j.c.ListPostsWithResponse(ctx, &params)
		if err != nil || page.JSON200 == nil {
			return fmt.Errorf("page: %w", unexpected(err, page.Status(), page.Body))
		}
		for _, p := range page.JSON200.Posts {
			if seen[p.Id] {
				return fmt.Errorf("the post %s is listed twice", p.Id)
			}
			seen[p.Id] = true
		}
		if params.Cursor = page.JSON200.NextCursor; params.Cursor == nil {
			break
		}
	}
	if len(seen) < 5 {
		return fmt.Errorf("the list has %d posts", len(seen))
	}
	return nil
}

func (j walk) refusals(ctx context.Context) error {
	none, err := j.c.GetPostWithResponse(ctx, "post_none")
	if err != nil || none.JSON404 == nil || none.JSON404.Code != belfry.ErrorCodeNotFound {
		return fmt.Errorf("get a post that does not exist: %w", unexpected(err, none.Status(), none.Body))
	}
	unconfirmed,
		err := j.c.CreatePostsWithResponse(ctx, &belfry.CreatePostsParams{},
		belfry.CreatePosts{Targets: j.targets(), Text: new("Not sure")})
	if err != nil || unconfirmed.JSON409 == nil || unconfirmed.JSON409.Code != belfry.ErrorCodeConfirmRequired ||
		unconfirmed.JSON409.Hint == nil {
		return fmt.Errorf("create a post without confirm: %w", unexpected(err, unconfirmed.Status(), unconfirmed.Body))
	}
	return nil
}

func unexpected(err error, status string, body []byte) error {
	if err != nil {
		return err
	}
	return fmt.Errorf("the response is %s: %s", status, body)
}

// until asks again and again, for as long as ctx allows.
func until(ctx context.Context, holds func() (bool, error)) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		if ok, err := holds(); ok || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
