package store

import (
	"context"

	"belfry/internal/core"
)

const folderColumns = `id, name, parent_id AS parent, created_at, updated_at FROM folders WHERE workspace_id = @ws`

// Folders lists the workspace's folders by name.
func (t Tenant) Folders(ctx context.Context) ([]core.Folder, error) {
	return queryMany[core.Folder](t.query(ctx, `SELECT `+folderColumns+` ORDER BY name_key, id`, nil))
}

// Folder returns a folder.
func (t Tenant) Folder(ctx context.Context, id core.FolderID) (core.Folder, error) {
	return queryOne[core.Folder](t.query(ctx, `SELECT `+folderColumns+` AND id = @id`, args{"id": id}))
}

// LockFolders blocks other changes to the workspace's folder tree until the transaction ends, so that two moves cannot
// create a cycle.
func (t Tenant) LockFolders(ctx context.Context) error { return t.LockWorkspace(ctx) }

// FolderAndAncestorIDs lists the ids of the given folder and of the folders above it, up to the root. For the zero id,
// which is the root, it lists none.
func (t Tenant) FolderAndAncestorIDs(ctx context.Context, id core.FolderID) ([]core.FolderID, error) {
	if id.IsZero() {
		return nil, nil
	}
	ids, err := queryValues[core.FolderID](t.query(ctx, `
		WITH RECURSIVE up AS (
			SELECT id, parent_id, 1 AS level FROM folders WHERE workspace_id = @ws AND id = @id
			UNION ALL
			SELECT f.id, f.parent_id, up.level + 1 FROM folders f JOIN up ON f.workspace_id = @ws AND f.id = up.parent_id
		)
		SELECT id FROM up ORDER BY level`, args{"id": id}))
	if err == nil && len(ids) == 0 {
		return nil, ErrNotFound
	}
	return ids, err
}

// CountFolderSubtreeLevels returns the number of levels of a folder with its subfolders: 1 if it has none. The levels
// above the folder do not count.
func (t Tenant) CountFolderSubtreeLevels(ctx context.Context, id core.FolderID) (int, error) {
	return queryValue[int](t.query(ctx, `
		WITH RECURSIVE down AS (
			SELECT id, 1 AS level FROM folders WHERE workspace_id = @ws AND id = @id
			UNION ALL
			SELECT f.id, down.level + 1 FROM folders f JOIN down ON f.workspace_id = @ws AND f.parent_id = down.id
		)
		SELECT coalesce(max(level), 1) FROM down`, args{"id": id}))
}

// AddFolder stores a new folder. nameKey is its name in the form in which names are compared. The error is conflict if
// another folder in the same parent has the same nameKey.
func (t Tenant) AddFolder(ctx context.Context, f core.Folder, nameKey string) error {
	return t.exec(ctx, `
		INSERT INTO folders (id, workspace_id, parent_id, name, name_key, created_at, updated_at)
		VALUES (@id, @ws, @parent, @name, @key, @now, @now)`,
		args{"id": f.ID, "parent": f.Parent, "name": f.Name, "key": nameKey, "now": f.CreatedAt})
}

// UpdateFolder stores a folder's name and parent. nameKey and the conflict are as for AddFolder.
func (t Tenant) UpdateFolder(ctx context.Context, f core.Folder, nameKey string) error {
	return t.execOne(ctx, `
		UPDATE folders SET parent_id = @parent, name = @name, name_key = @key, updated_at = @now
			WHERE workspace_id = @ws AND id = @id`,
		args{"id": f.ID, "parent": f.Parent, "name": f.Name, "key": nameKey, "now": f.UpdatedAt})
}

// DeleteFolderIfEmpty locks a folder, so that no files and folders can be added to it, and deletes it if there are none
// in it. It must be called within Tx.
func (t Tenant) DeleteFolderIfEmpty(ctx context.Context, id core.FolderID) (deleted bool, err error) {
	if _, err := queryValue[core.FolderID](t.query(ctx, `SELECT id FROM folders WHERE workspace_id = @ws AND id = @id FOR UPDATE`, args{"id": id})); err != nil {
		return false, err
	}
	return t.execChanged(ctx, `
		DELETE FROM folders WHERE workspace_id = @ws AND id = @id
			AND NOT EXISTS (SELECT FROM folders WHERE workspace_id = @ws AND parent_id = @id)
			AND NOT EXISTS (SELECT FROM media WHERE workspace_id = @ws AND folder_id = @id)`, args{"id": id})
}
