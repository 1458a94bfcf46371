package store

import (
	"context"
	"time"

	"belfry/internal/core"
)

// Media is a file with everything that is stored about it.
type Media struct {
	core.Media
	FailReason  string
	Title       string
	Description string
	Tags        []string
	Pinned      bool
	Folder      core.FolderID // zero at the root
	Charged     int64         // bytes that count toward the workspace's storage
	Blob        string        // the storage key of the bytes; "" if there are none
	Thumbnail   string
	Source      []byte    // the encrypted address to download the file from; nil for an upload
	ExpiresAt   time.Time // when a reservation expires
	Tries       int
	CreatedAt   time.Time
	PublishedAt time.Time
}

// mediaFields are the columns of a file. A deleted file looks purged.
const mediaFields = `
	m.id, m.status, m.fail_reason, m.original_name AS name, m.title, m.description, m.tags, m.pinned,
	m.folder_id AS folder, m.kind, m.mime, m.size AS bytes, m.width, m.height, m.duration_ms, m.fps, m.video_codec,
	m.audio_codec, m.audio_rate, m.audio_channels, m.bit_rate, m.frames, m.convertible, m.charged, m.blob, m.thumbnail,
	m.source, m.expires_at, m.tries, m.created_at, m.published_at, coalesce(m.purged_at, m.deleted_at) AS purged_at`

// mediaSource excludes deleted files.
const mediaSource = `
	FROM media m WHERE m.workspace_id = @ws AND m.deleted_at IS NULL`

const mediaColumns = mediaFields + mediaSource

// Media returns a file.
func (t Tenant) Media(ctx context.Context, id core.MediaID) (Media, error) {
	return queryOne[Media](t.query(ctx, `SELECT`+mediaColumns+` AND m.id = @id`, args{"id": id}))
}

// LockMedia returns a file, and prevents changing it and using it in a post until the transaction ends. Files must be
// locked before storage is reserved.
func (t Tenant) LockMedia(ctx context.Context, id core.MediaID) (Media, error) {
	return queryOne[Media](t.query(ctx, `SELECT`+mediaColumns+` AND m.id = @id FOR NO KEY UPDATE`, args{"id": id}))
}

// LockManyMedia is LockMedia for several files. It omits missing ones.
func (t Tenant) LockManyMedia(ctx context.Context, ids []core.MediaID) ([]Media, error) {
	return queryMany[Media](t.query(ctx, `SELECT`+mediaColumns+` AND m.id = ANY(@ids) ORDER BY m.id FOR NO KEY UPDATE`,
		args{"ids": ids}))
}

// AddMediaWithReservedStorage stores a new file whose storage is already reserved. The file becomes due
// (ListAndPostponeDueMedia) at workDueAt. AddMediaWithReservedStorage returns ErrNotFound for a folder of another
// workspace.
func (t Tenant) AddMediaWithReservedStorage(ctx context.Context, m Media, workDueAt time.Time) error {
	return t.exec(ctx, `
		INSERT INTO media (id, workspace_id, folder_id, status, original_name, kind, mime, size, charged, source,
			expires_at, next_at, created_at)
		VALUES (@id, @ws, @folder, 'uploading', @name, @kind, @mime, @size, @charged, @source, @expires, @next, @now)`,
		args{
			"id": m.ID, "folder": m.Folder, "name": m.Name, "kind": m.Kind, "mime": m.Mime,
			"size": m.Bytes, "charged": m.Charged,
			"source": m.Source, "expires": m.ExpiresAt, "next": workDueAt, "now": m.CreatedAt,
		})
}

// UpdateMediaDetails stores what a person can change about a file. It returns ErrNotFound for a folder of another
// workspace.
func (t Tenant) UpdateMediaDetails(ctx context.Context, m Media) error {
	return t.execOne(ctx, `
		UPDATE media SET title = @title, description = @description, tags = @tags, folder_id = @folder, pinned = @pinned
		WHERE workspace_id = @ws AND id = @id`,
		args{
			"id": m.ID, "title": m.Title, "description": m.Description, "tags": m.Tags, "folder": m.Folder,
			"pinned": m.Pinned,
		})
}

// MediaEdit is a change to many files. Zero fields change nothing.
type MediaEdit struct {
	Move      bool // to Folder, which is zero for the root
	Folder    core.FolderID
	AddTag    string // to files with fewer than MostTags
	MostTags  int
	RemoveTag string
	Pinned    *bool
}

// EditManyMedia changes those of the given files that exist, and returns their ids. It returns ErrNotFound for a folder
// of another workspace.
func (t Tenant) EditManyMedia(ctx context.Context, ids []core.MediaID, e MediaEdit,
) (found []core.MediaID, err error) {
	return queryValues[core.MediaID](t.query(ctx, `
		WITH held AS (
			SELECT id FROM media WHERE workspace_id = @ws AND id = ANY(@ids) AND deleted_at IS NULL
			ORDER BY id FOR NO KEY UPDATE
		)
		UPDATE media m SET
			folder_id = CASE WHEN @move THEN @folder ELSE m.folder_id END,
			tags = array_remove(CASE
				WHEN @add = '' OR @add = ANY(m.tags) OR cardinality(m.tags) >= @most THEN m.tags
				ELSE m.tags || @add::text END, @remove),
			pinned = coalesce(@pinned, m.pinned)
		FROM held WHERE m.workspace_id = @ws AND m.id = held.id
		RETURNING m.id`, args{
		"ids": ids, "move": e.Move, "folder": e.Folder, "add": e.AddTag, "most": e.MostTags, "remove": e.RemoveTag,
		"pinned": e.Pinned,
	}))
}

// MediaSort is the order of a list of files.
type MediaSort string

// Orders of files. With the zero order, the newest files come first.
const (
	SortNewest  MediaSort = ""
	SortOldest  MediaSort = "oldest"
	SortName    MediaSort = "name"
	SortLargest MediaSort = "largest"
)

// mediaOrders contains the SQL of each order: the column that it compares, the value of @at in this column, and whether
// higher values come first. Files with the same value are compared by id.
var mediaOrders = map[MediaSort]struct {
	column, at string
	descending bool
}{
	SortNewest:  {`m.created_at`, `@at`, true},
	SortOldest:  {`m.created_at`, `@at`, false},
	SortName:    {`lower(m.original_name)`, `lower(@at)`, false},
	SortLargest: {`m.size`, `@at`, true},
}

// sortKey returns the value by which a list in the given order compares files.
func (m Media) sortKey(by MediaSort) any {
	switch by {
	case SortName:
		return m.Name
	case SortLargest:
		return m.Bytes
	default:
		return m.CreatedAt
	}
}

// MediaFilter selects and orders a list of files. Zero fields have no effect.
type MediaFilter struct {
	Folder   core.FolderID
	Root     bool // only files in no folder
	Kind     core.FileKind
	Statuses []core.MediaStatus
	Contains string   // in name, title, description or tags
	Tags     []string // of each file
	Kept     bool     // only files whose bytes have not been deleted
	Purged   bool     // only files whose bytes have been deleted; not together with Kept
	Unused   bool     // only files that no post uses
	Sort     MediaSort
	Reversed bool   // Sort in the opposite direction
	After    *Media // the last file of the previous page; only its id and sort key are used
	Limit    int
}

// orderSQL returns the order of the list, and the condition for the files after f.After.
func (f MediaFilter) orderSQL() (orderBy, isAfter string) {
	order := mediaOrders[f.Sort]
	direction, beyond := ``, `>`
	if order.descending != f.Reversed {
		direction, beyond = ` DESC`, `<`
	}
	return ` ORDER BY ` + order.column + direction + `, m.id` + direction,
		`(` + order.column + `, m.id) ` + beyond + ` (` + order.at + `, @after)`
}

// mediaConditionsExceptContains returns the SQL conditions of a filter, each after AND, without the condition on
// Contains. It also returns their arguments and the limit.
func mediaConditionsExceptContains(f MediaFilter) (andConditions string, a args) {
	a = args{"limit": f.Limit}
	add := func(condition, name string, v any) {
		andConditions += ` AND ` + condition
		a[name] = v
	}
	if !f.Folder.IsZero() {
		add(`m.folder_id = @folder`, "folder", f.Folder)
	}
	if f.Root {
		andConditions += ` AND m.folder_id IS NULL`
	}
	if f.Kind != "" {
		add(`m.kind = @kind`, "kind", f.Kind)
	}
	if len(f.Statuses) > 0 {
		add(`m.status = ANY(@statuses)`, "statuses", f.Statuses)
	}
	if len(f.Tags) > 0 {
		add(`m.tags @> @tags::text[]`, "tags", f.Tags)
	}
	if f.Kept || f.Purged {
		kept := 0
		if f.Kept {
			kept = 1
		}
		// PostgreSQL would turn a comparison with false into a condition that cannot use the index.
		add(`(m.purged_at IS NULL)::integer = @kept`, "kept", kept)
	}
	if f.Unused {
		andConditions += ` AND NOT EXISTS (
			SELECT FROM post_media pm WHERE pm.workspace_id = m.workspace_id AND pm.media_id = m.id)`
	}
	if f.After != nil {
		_, isAfter := f.orderSQL()
		add(isAfter, "at", f.After.sortKey(f.Sort))
		a["after"] = f.After.ID
	}
	return andConditions, a
}

// ListMedia lists the files that a filter selects.
func (t Tenant) ListMedia(ctx context.Context, f MediaFilter) ([]Media, error) {
	where, a := mediaConditionsExceptContains(f)
	orderBy, _ := f.orderSQL()
	if f.Contains != "" {
		return t.searchMedia(ctx, f, where, orderBy, a)
	}
	return queryMany[Media](t.queryReplanned(ctx, `SELECT`+mediaColumns+where+orderBy+` LIMIT @limit`, a))
}
