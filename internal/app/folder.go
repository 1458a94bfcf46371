package app

import (
	"context"
	"time"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/store"
)

// ListFolders lists the folders by name.
func (a *App) ListFolders(ctx context.Context, c core.Caller) (contract.Folders, error) {
	t, err := a.authorize(c, core.Read)
	if err != nil {
		return contract.Folders{}, err
	}
	list, err := t.Folders(ctx)
	return contract.Folders{Folders: convertAll(list, contract.FolderOf)}, err
}

// GetFolder returns a folder.
func (a *App) GetFolder(ctx context.Context, c core.Caller, id string) (contract.Folder, error) {
	t, folderID, err := authorizeAndParseID[core.FolderKind](a, c, core.Read, id)
	if err != nil {
		return contract.Folder{}, err
	}
	f, err := t.Folder(ctx, folderID)
	return contract.FolderOf(f), err
}

// CreateFolder creates a folder at the top level or in another folder (Spec §4, Folders).
func (a *App) CreateFolder(ctx context.Context, c core.Caller, in contract.CreateFolder) (contract.Folder, error) {
	t, err := a.authorize(c, core.Write)
	if err != nil {
		return contract.Folder{}, err
	}
	now := a.cfg.Now().UTC().Truncate(time.Microsecond)
	f := core.Folder{ID: core.NewID[core.FolderKind](), Name: in.Name, CreatedAt: now, UpdatedAt: now}
	if err := checkFolderName(f.Name); err != nil {
		return contract.Folder{}, err
	}
	if f.Parent, err = parseFolderIDOrCurrent("parentId", in.ParentID, f.Parent); err != nil {
		return contract.Folder{}, err
	}
	err = t.Tx(ctx, func(t store.Tenant) error {
		if err := t.LockFolders(ctx); err != nil {
			return err
		}
		if err := checkFolderParentAndDepth(ctx, t, f, 1); err != nil {
			return err
		}
		return t.AddFolder(ctx, f, folderNameKey(f.Name))
	})
	return contract.FolderOf(f), err
}

// EditFolder renames a folder, moves it with its contents, or both.
func (a *App) EditFolder(ctx context.Context, c core.Caller, in contract.EditFolder) (contract.Folder, error) {
	var malformed error
	if in.Name != nil {
		malformed = checkFolderName(*in.Name)
	}
	t, folderID, err := authorizeWriteAndParseID[core.FolderKind](a, c, in.ID, malformed)
	if err != nil {
		return contract.Folder{}, err
	}
	var f core.Folder
	err = t.Tx(ctx, func(t store.Tenant) error {
		if err := t.LockFolders(ctx); err != nil {
			return err
		}
		if f, err = t.Folder(ctx, folderID); err != nil {
			return err
		}
		if err := checkRevisionIfShown("folder", in.Revision, contract.FolderOf(f).Revision()); err != nil {
			return err
		}
		before := f
		f.Name, f.UpdatedAt = valueOr(in.Name, f.Name), a.cfg.Now().UTC().Truncate(time.Microsecond)
		if f.Parent, err = parseFolderIDOrCurrent("parentId", in.ParentID, f.Parent); err != nil {
			return err
		}
		height, err := t.CountFolderSubtreeLevels(ctx, folderID)
		if err != nil {
			return err
		}
		if err := checkFolderParentAndDepth(ctx, t, f, height); err != nil {
			return err
		}
		if err := t.UpdateFolder(ctx, f, folderNameKey(f.Name)); err != nil {
			return err
		}
		return auditFolderChange(ctx, t, c, before, f)
	})
	return contract.FolderOf(f), err
}

// DeleteEmptyFolder deletes a folder. It returns conflict if the folder is not empty.
func (a *App) DeleteEmptyFolder(ctx context.Context, c core.Caller, id string) error {
	t, folderID, err := authorizeAndParseID[core.FolderKind](a, c, core.Write, id)
	if err != nil {
		return err
	}
	return t.Tx(ctx, func(t store.Tenant) error {
		if err := t.LockFolders(ctx); err != nil {
			return err
		}
		f, err := t.Folder(ctx, folderID)
		if err != nil {
			return err
		}
		deleted, err := t.DeleteFolderIfEmpty(ctx, folderID)
		if err != nil {
			return err
		}
		if !deleted {
			return core.Fail(core.CodeConflict, "The folder is not empty.").WithHint("Move or delete its contents first, including files whose content was deleted.")
		}
		return t.AddAuditEntry(ctx, core.AuditEntry{
			Action: core.AuditFolderDeleted, Actor: c, Subject: id, Before: map[string]string{"name": f.Name},
		})
	})
}

// checkFolderParentAndDepth returns an error unless the folder's parent exists, is neither the folder itself nor inside
// it, and leaves the folder within the maximum depth. subtreeHeight is how many levels the folder has, including
// itself.
func checkFolderParentAndDepth(ctx context.Context, t store.Tenant, f core.Folder, subtreeHeight int) error {
	above, err := t.FolderAndAncestorIDs(ctx, f.Parent)
	if err != nil {
		return core.WithNotFoundPath("parentId", err)
	}
	return core.CheckFolderPlace(f.ID, above, subtreeHeight)
}

// parseFolderIDOrCurrent parses the id of a folder in a request. If the request has none, it returns the current one.
// The zero id is the top level.
func parseFolderIDOrCurrent(fieldPath string, given contract.Opt[string],
	current core.FolderID,
) (core.FolderID, error) {
	switch {
	case !given.Set:
		return current, nil
	case given.Null:
		return core.FolderID{}, nil
	}
	id, err := core.ParseID[core.FolderKind](given.V)
	return id, core.WithNotFoundPath(fieldPath, err)
}

func checkFolderName(name string) error { return checkName("name", "The folder's name", name) }

// folderNameKey returns the form in which folder names are compared, which ignores case and Unicode composition.
func folderNameKey(name string) string {
	return norm.NFC.String(cases.Fold().String(norm.NFD.String(name)))
}
