package app

import (
	"bytes"
	"context"
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

// auditPostChange writes a change to a post's schedule or content to the audit log.
func auditPostChange(ctx context.Context, t store.Tenant, c core.Caller, before, after core.Post) error {
	was, is := newAuditedPost(before), newAuditedPost(after)
	is.Changed = joinChangedNames(map[string]bool{
		"text": before.Text != after.Text, "title": before.Title != after.Title,
		"tags": !slices.Equal(before.Tags, after.Tags), "files": !slices.Equal(before.MediaIDs, after.MediaIDs),
		"settings": !bytes.Equal(before.Settings, after.Settings),
	})
	if was == is {
		return nil
	}
	return t.AddAuditEntry(ctx, core.AuditEntry{
		Action: core.AuditPostChanged, Actor: c, Subject: after.ID.String(), Before: was, After: is,
	})
}

// auditPostDeletion writes the deletion of a post to the audit log.
func auditPostDeletion(ctx context.Context, t store.Tenant, c core.Caller, p core.Post) error {
	was := newAuditedPost(p)
	was.Account, was.Platform = p.AccountName, p.Platform
	return t.AddAuditEntry(ctx, core.AuditEntry{
		Action: core.AuditPostDeleted, Actor: c, Subject: p.ID.String(), Before: was,
	})
}

// auditedFiles is what the audit log records of an action on several files.
type auditedFiles struct {
	Files   int      `json:"files"`
	Changed string   `json:"changed,omitempty"`
	IDs     []string `json:"ids"`
}

// auditFileChange writes a change to a file to the audit log.
func auditFileChange(ctx context.Context, t store.Tenant, c core.Caller, before, after store.Media) error {
	changed := joinChangedNames(map[string]bool{
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

// auditBulkFileChange writes one audit entry for the same change to several files.
func auditBulkFileChange(ctx context.Context, t store.Tenant, c core.Caller, ids []core.MediaID,
	e store.MediaEdit,
) error {
	if len(ids) == 0 {
		return nil
	}
	return t.AddAuditEntry(ctx, core.AuditEntry{Action: core.AuditFileChanged, Actor: c, After: auditedFiles{
		Files: len(ids), IDs: convertAll(ids, core.MediaID.String),
		Changed: joinChangedNames(map[string]bool{
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
		entry.After = auditedFiles{Files: len(files), IDs: ids}
	}
	return t.AddAuditEntry(ctx, entry)
}

// auditFolderChange writes a change to a folder to the audit log.
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

// auditedGroup is what the audit log records of a group. It does not include the description and the color, only
// whether they have changed.
type auditedGroup struct {
	Name     string   `json:"name,omitempty"`
	Accounts []string `json:"accounts,omitempty"` // ids
	Changed  string   `json:"changed,omitempty"`
}

func newAuditedGroup(g store.Group) auditedGroup {
	ids := convertAll(g.Accounts, core.AccountID.String)
	slices.Sort(ids) // the order of accounts is not part of the group's content
	return auditedGroup{Name: g.Name, Accounts: ids}
}

// auditGroupChange writes a change to a group to the audit log.
func auditGroupChange(ctx context.Context, t store.Tenant, c core.Caller, before, after store.Group) error {
	was, is := newAuditedGroup(before), newAuditedGroup(after)
	sameAccounts := slices.Equal(was.Accounts, is.Accounts)
	is.Changed = joinChangedNames(map[string]bool{
		"accounts": !sameAccounts, "color": before.Color != after.Color,
		"description": before.Description != after.Description,
	})
	if is.Changed == "" && is.Name == was.Name {
		return nil
	}
	if sameAccounts {
		was.Accounts, is.Accounts = nil, nil
	}
	if is.Name == was.Name {
		is.Name = ""
	}
	return t.AddAuditEntry(ctx, core.AuditEntry{
		Action: core.AuditGroupChanged, Actor: c, Subject: after.ID.String(), Before: was, After: is,
	})
}

// joinChangedNames joins the names whose value is true, in alphabetical order.
func joinChangedNames(changed map[string]bool) string {
	var names []string
	for name, is := range changed {
		if is {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
