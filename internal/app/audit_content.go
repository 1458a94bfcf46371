package app

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"belfry/internal/core"
	"belfry/internal/store"
)

// auditedPost is what the audit log records of a post. It does not include the content, only which parts have changed.
type auditedPost struct {
	Status    core.PostStatus `json:"status"`
	PublishAt time.Time       `json:"publishAt,omitzero"`
	Changed   string          `json:"changed,omitempty"`
	// Account and Platform are set only for a deleted post.
	Account  string        `json:"account,omitempty"`
	Platform core.Platform `json:"platform,omitempty"`
}

func newAuditedPost(p core.Post) auditedPost {
	return auditedPost{Status: p.Status, PublishAt: p.PublishAt.UTC()}
}

// auditPostChange writes a change of a post's schedule or content to the audit log, unless it is part of a bulk
// action.
func auditPostChange(ctx context.Context, t store.Tenant, c core.Caller, before, after core.Post) error {
	was, is := newAuditedPost(before), newAuditedPost(after)
	is.Changed = listChanges(map[string]bool{
		"text": before.Text != after.Text, "title": before.Title != after.Title,
		"tags": !slices.Equal(before.Tags, after.Tags), "files": !slices.Equal(before.MediaIDs, after.MediaIDs),
		"settings": !bytes.Equal(before.Settings, after.Settings),
	})
	if was == is || isInBulkAction(ctx) {
		return nil
	}
	return t.AddAuditEntry(ctx, core.AuditEntry{
		Action: core.AuditPostChanged, Actor: c, Subject: after.ID.String(), Before: was, After: is,
	})
}

// auditPostDeletion writes the deletion of a post to the audit log, unless it is part of a bulk action.
func auditPostDeletion(ctx context.Context, t store.Tenant, c core.Caller, p core.Post) error {
	if isInBulkAction(ctx) {
		return nil
	}
	was := newAuditedPost(p)
	was.Account, was.Platform = p.AccountName, p.Platform
	return t.AddAuditEntry(ctx, core.AuditEntry{
		Action: core.AuditPostDeleted, Actor: c, Subject: p.ID.String(), Before: was,
	})
}

type bulkKey struct{}

// contextWithBulk returns a context for changing one of several posts in an action that writes one audit entry for all
// of them.
func contextWithBulk(ctx context.Context) context.Context {
	return context.WithValue(ctx, bulkKey{}, true)
}

func isInBulkAction(ctx context.Context) bool { return ctx.Value(bulkKey{}) != nil }

// auditedBulk is what the audit log records of an action on several posts or files.
type auditedBulk struct {
	Act     core.Act `json:"act,omitempty"`
	Posts   int      `json:"posts,omitempty"`
	Files   int      `json:"files,omitempty"`
	Changed string   `json:"changed,omitempty"`
	IDs     []string `json:"ids"`
}

// actUndo is the name of RestorePostSchedules in the audit log.
const actUndo core.Act = "undo"

// applyWithOneAuditEntry is applyToEachPost, but writes a single audit entry for several posts. Each post has its own
// transaction, so the entry is written last.
func (a *App) applyWithOneAuditEntry(ctx context.Context, t store.Tenant, c core.Caller, act core.Act, ids []string,
	apply func(context.Context, core.Post) (PostSchedule, error),
) (BulkResult, error) {
	var done []string
	single := ctx
	if len(ids) > 1 {
		single = contextWithBulk(ctx)
	}
	r, err := a.applyToEachPost(ctx, t, ids, func(p core.Post) (PostSchedule, error) {
		before, err := apply(single, p)
		if err == nil {
			done = append(done, p.ID.String())
		}
		return before, err
	})
	if len(ids) == 1 || len(done) == 0 || act == core.ActDuplicate {
		return r, err
	}
	entry := core.AuditEntry{
		Action: core.AuditPostChanged, Actor: c, After: auditedBulk{Act: act, Posts: len(done), IDs: done},
	}
	if act == core.ActDelete {
		entry.Action, entry.After = core.AuditPostDeleted, auditedBulk{Posts: len(done), IDs: done}
	}
	return r, errors.Join(err, t.AddAuditEntry(context.WithoutCancel(ctx), entry))
}

// auditFileChange writes a change of a file to the audit log.
func auditFileChange(ctx context.Context, t store.Tenant, c core.Caller, before, after store.Media) error {
	changed := listChanges(map[string]bool{
		"title": before.Title != after.Title, "description": before.Description != after.Description,
		"tags": !slices.Equal(before.Tags, after.Tags), "folder": before.Folder != after.Folder,
		"pin": before.Pinned != after.Pinned,
	})
	if changed == "" {
		return nil
	}
	return t.AddAuditEntry(ctx, core.AuditEntry{
		Action: core.AuditFileChanged, Actor: c, Subject: after.ID.String(),
		After: map[string]string{"name": after.Name, "changed": changed},
	})
}

// auditBulkFileChange writes one audit entry for the same change of several files.
func auditBulkFileChange(ctx context.Context, t store.Tenant, c core.Caller, ids []core.MediaID,
	e store.MediaEdit,
) error {
	if len(ids) == 0 {
		return nil
	}
	return t.AddAuditEntry(ctx, core.AuditEntry{Action: core.AuditFileChanged, Actor: c, After: auditedBulk{
		Files: len(ids), IDs: convertAll(ids, core.MediaID.String),
		Changed: listChanges(map[string]bool{
			"folder": e.Move, "tags": e.AddTag != "" || e.RemoveTag != "", "pin": e.Pinned != nil,
		}),
	}})
}

// auditFileDeletion writes the deletion of files to the audit log.
func auditFileDeletion(ctx context.Context, t store.Tenant, c core.Caller, files []store.Media) error {
	entry := core.AuditEntry{Action: core.AuditFileDeleted, Actor: c}
	switch len(files) {
	case 0:
		return nil
	case 1:
		entry.Subject, entry.Before = files[0].ID.String(), map[string]string{"name": files[0].Name}
	default:
		ids := convertAll(files, func(m store.Media) string { return m.ID.String() })
		entry.After = auditedBulk{Files: len(files), IDs: ids}
	}
	return t.AddAuditEntry(ctx, entry)
}

// auditFolderChange writes a change of a folder to the audit log.
func auditFolderChange(ctx context.Context, t store.Tenant, c core.Caller, before, after core.Folder) error {
	changed := map[string]string{}
	if before.Name != after.Name {
		changed["name"] = after.Name
	}
	if before.Parent != after.Parent {
		changed["changed"] = "parent folder"
	}
	if len(changed) == 0 {
		return nil
	}
	return t.AddAuditEntry(ctx, core.AuditEntry{
		Action: core.AuditFolderChanged, Actor: c, Subject: after.ID.String(),
		Before: map[string]string{"name": before.Name}, After: changed,
	})
}

// listChanges returns the names whose value is true, in alphabetical order.
func listChanges(changed map[string]bool) string {
	var names []string
	for name, is := range changed {
		if is {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
