package app

import (
	"context"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/queue"
	"belfry/internal/store"
)

// Bounds of a file's texts, in bytes.
const (
	maxMediaTitle       = 2_000
	maxMediaDescription = 10_000
)

// GetMedia reads a file's record.
func (a *App) GetMedia(ctx context.Context, c core.Caller, id string) (contract.Media, error) {
	t, mediaID, err := enterFor[core.MediaKind](a, c, core.Read, id)
	if err != nil {
		return contract.Media{}, err
	}
	m, err := t.Media(ctx, mediaID)
	if err != nil {
		return contract.Media{}, err
	}
	return a.mediaOf(t, m), nil
}

// EditMedia changes what is said of a file, where it lies and whether it is pinned (Spec §4, Media).
func (a *App) EditMedia(ctx context.Context, c core.Caller, id string, in contract.EditMedia) (contract.Media, error) {
	t, mediaID, err := enterEdit[core.MediaKind](a, c, id, checkMediaTexts(in))
	if err != nil {
		return contract.Media{}, err
	}
	var m store.Media
	err = t.Tx(ctx, func(t store.Tenant) error {
		if m, err = t.LockMedia(ctx, mediaID); err != nil {
			return err
		}
		if m.Folder, err = folderAt("folderId", in.FolderID, m.Folder); err != nil {
			return err
		}
		if in.Title.Set {
			m.Title = in.Title.V
		}
		if in.Description.Set {
			m.Description = in.Description.V
		}
		m.Tags, m.Pinned = or(in.Tags, m.Tags), or(in.Pinned, m.Pinned)
		return core.At("folderId", t.UpdateMedia(ctx, m))
	})
	if err != nil {
		return contract.Media{}, err
	}
	return a.mediaOf(t, m), nil
}

func checkMediaTexts(in contract.EditMedia) error {
	if err := core.CheckContent("", "", "", value(in.Tags)); err != nil {
		return err
	}
	if err := core.CheckText("title", in.Title.V, maxMediaTitle); err != nil {
		return err
	}
	return core.CheckText("description", in.Description.V, maxMediaDescription)
}

// DeleteMedia removes a file and gives its bytes back, unless a draft or queued post uses it. Posts that
// went out with it keep its id.
func (a *App) DeleteMedia(ctx context.Context, c core.Caller, id string) error {
	t, mediaID, err := enterFor[core.MediaKind](a, c, core.Write, id)
	if err != nil {
		return err
	}
	return t.Tx(ctx, func(t store.Tenant) error {
		m, err := t.LockMedia(ctx, mediaID)
		if err != nil {
			return err
		}
		used, err := t.MediaInUse(ctx, mediaID)
		if err != nil {
			return err
		}
		if used {
			return core.Fail(core.CodeConflict, "A draft or a queued post uses the file.").
				WithHint("Take it out of those posts first, or delete them.")
		}
		if err := t.DeleteMedia(ctx, m, a.cfg.Now()); err != nil {
			return err
		}
		return discard(ctx, t, m.Blob, m.Thumbnail)
	})
}

// unlessGone runs f in a transaction that holds a file; one that was deleted meanwhile is left alone.
func unlessGone(ctx context.Context, t store.Tenant, id core.MediaID, f func(store.Tenant, store.Media) error) error {
	return t.Tx(ctx, func(t store.Tenant) error {
		m, err := t.LockMedia(ctx, id)
		if core.CodeOf(err) == core.CodeNotFound {
			return nil
		}
		if err != nil {
			return err
		}
		return f(t, m)
	})
}

// discard has bytes deleted once the transaction has committed.
func discard(ctx context.Context, t store.Tenant, keys ...string) error {
	var job queue.Discard
	for _, key := range keys {
		if key != "" {
			job.Keys = append(job.Keys, key)
		}
	}
	if len(job.Keys) == 0 {
		return nil
	}
	return t.Enqueue(ctx, job, time.Time{})
}

// Discard deletes bytes that nothing names any more.
func (a *App) Discard(ctx context.Context, keys []string) error {
	for _, key := range keys {
		if err := a.cfg.Blobs.Delete(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

// mediaOf writes a file's record.
func (a *App) mediaOf(t store.Tenant, m store.Media) contract.Media {
	out := contract.Media{
		ID: m.ID.String(), Kind: string(m.Kind), OriginalName: m.Name, Mime: m.Mime, Size: m.Bytes, Status: string(m.Status),
		FailReason: optional(m.FailReason), Width: optional(m.Width), Height: optional(m.Height), DurationMs: optional(m.DurationMs),
		Title: optional(m.Title), Description: optional(m.Description), Tags: m.Tags, Pinned: m.Pinned,
		PublishedAt: contract.At(m.PublishedAt), PurgedAt: contract.At(m.PurgedAt), CreatedAt: contract.Time{Time: m.CreatedAt},
	}
	if !m.Folder.IsZero() {
		out.FolderID = new(m.Folder.String())
	}
	if m.Thumbnail != "" {
		out.ThumbnailURL = new(a.mediaURL(t.WorkspaceID(), m, true))
	}
	return out
}

// optional is nil for the zero value, which stands for what is not known.
func optional[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}
