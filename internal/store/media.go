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
	Charged     int64         // bytes that count in the workspace's storage
	Blob        string        // where the bytes are; "" when there are none
	Thumbnail   string
	Source      []byte    // sealed address to fetch the file from; nil for an upload
	ExpiresAt   time.Time // until when a reservation may be used
	Tries       int
	CreatedAt   time.Time
	PublishedAt time.Time
}

// mediaFields are the columns of a file. A deleted file looks purged.
const mediaFields = `
	m.id, m.status, m.fail_reason, m.original_name AS name, m.title, m.description, m.tags, m.pinned,
	m.folder_id AS folder, m.kind, m.mime, m.size AS bytes, m.width, m.height, m.duration_ms, m.fps, m.video_codec,
	m.audio_codec, m.audio_rate, m.audio_channels, m.bit_rate, m.frames, m.charged, m.blob, m.thumbnail,
	m.source, m.expires_at, m.tries, m.created_at, m.published_at, coalesce(m.purged_at, m.deleted_at) AS purged_at`

// mediaColumns excludes deleted files.
const mediaColumns = mediaFields + `
	FROM media m WHERE m.workspace_id = @ws AND m.deleted_at IS NULL`

// Media returns a file.
func (t Tenant) Media(ctx context.Context, id core.MediaID) (Media, error) {
	return queryOne[Media](t.query(ctx, `SELECT`+mediaColumns+` AND m.id = @id`, args{"id": id}))
}

// LockMedia returns a file, and prevents changing it and using it in a post until the transaction ends. The file must
// be locked before its storage is counted.
func (t Tenant) LockMedia(ctx context.Context, id core.MediaID) (Media, error) {
	return queryOne[Media](t.query(ctx, `SELECT`+mediaColumns+` AND m.id = @id FOR NO KEY UPDATE`, args{"id": id}))
}

// AddMedia stores a new file whose bytes have been charged, and which the sweep handles at the given time. It returns
// not_found for a folder of another workspace.
func (t Tenant) AddMedia(ctx context.Context, m Media, next time.Time) error {
	return t.exec(ctx, `
		INSERT INTO media (id, workspace_id, folder_id, status, original_name, kind, mime, size, charged, source,
			expires_at, next_at, created_at)
		VALUES (@id, @ws, @folder, 'uploading', @name, @kind, @mime, @size, @charged, @source, @expires, @next, @now)`,
		args{
			"id": m.ID, "folder": m.Folder, "name": m.Name, "kind": m.Kind, "mime": m.Mime,
			"size": m.Bytes, "charged": m.Charged,
			"source": m.Source, "expires": m.ExpiresAt, "next": next, "now": m.CreatedAt,
		})
}

// UpdateMedia stores what a person can change about a file. It returns not_found for a folder of another workspace.
func (t Tenant) UpdateMedia(ctx context.Context, m Media) error {
	return t.exec(ctx, `
		UPDATE media SET title = @title, description = @description, tags = @tags, folder_id = @folder, pinned = @pinned
		WHERE workspace_id = @ws AND id = @id`,
		args{
			"id": m.ID, "title": m.Title, "description": m.Description, "tags": m.Tags, "folder": m.Folder,
			"pinned": m.Pinned,
		})
}

// MediaFilter filters a list. Zero fields have no effect.
type MediaFilter struct {
	Folder   core.FolderID
	Root     bool // only files in no folder
	Kind     core.FileKind
	Statuses []core.MediaStatus
	Contains string // in name, title or description
	Tag      string
	After    *core.Cursor[core.MediaKind] // the place after which the page starts
	Limit    int
}

// ListMedia lists files, newest first.
func (t Tenant) ListMedia(ctx context.Context, f MediaFilter) ([]Media, error) {
	sql, a := `SELECT`+mediaColumns, args{"limit": f.Limit}
	where := func(condition, name string, v any) {
		sql += ` AND ` + condition
		a[name] = v
	}
	if !f.Folder.IsZero() {
		where(`m.folder_id = @folder`, "folder", f.Folder)
	}
	if f.Root {
		sql += ` AND m.folder_id IS NULL`
	}
	if f.Kind != "" {
		where(`m.kind = @kind`, "kind", f.Kind)
	}
	if len(f.Statuses) > 0 {
		where(`m.status = ANY(@statuses)`, "statuses", f.Statuses)
	}
	if f.Contains != "" {
		where(`(m.original_name ILIKE @q OR m.title ILIKE @q OR m.description ILIKE @q)`, "q", likePattern(f.Contains))
	}
	if f.Tag != "" {
		where(`@tag = ANY(m.tags)`, "tag", f.Tag)
	}
	if f.After != nil {
		where(`(m.created_at, m.id) < (@at, @after)`, "at", f.After.At)
		a["after"] = f.After.ID
	}
	return queryMany[Media](t.query(ctx, sql+` ORDER BY m.created_at DESC, m.id DESC LIMIT @limit`, a))
}
