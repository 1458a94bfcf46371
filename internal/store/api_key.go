package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"belfry/internal/core"
)

// KeyHolder is what authentication needs to know about an API key: for whom it acts, and with which rights.
type KeyHolder struct {
	Member
	Key        core.KeyID
	Name       string
	Scope      core.Scope
	LastUsedAt time.Time // zero if never
}

// ScanRow reads the columns of keyHolder.
func (h *KeyHolder) ScanRow(rows pgx.Rows) error {
	return rows.Scan(idScanner(&h.Workspace), (*string)(&h.Plan), idScanner(&h.User), (*string)(&h.Role),
		idScanner(&h.Key), &h.Name, (*string)(&h.Scope), timeScanner(&h.LastUsedAt))
}

const keyHolder = `
		SELECT k.workspace_id AS workspace, w.plan, k.user_id AS "user", m.role, k.id AS key, k.name, k.scope,
			k.last_used_at
		FROM api_keys k
		JOIN members m ON m.workspace_id = k.workspace_id AND m.user_id = k.user_id
		JOIN workspaces w ON w.id = k.workspace_id
		WHERE k.hash = @hash`

// RecordKeyUse stores that a key was used now, unless a use after unlessUsedSince is already stored.
func (s *Store) RecordKeyUse(ctx context.Context, id core.KeyID, now, unlessUsedSince time.Time) error {
	return s.exec(ctx, `
		UPDATE api_keys SET last_used_at = @now WHERE id = @id AND (last_used_at IS NULL OR last_used_at < @since)`,
		args{"id": id, "now": now, "since": unlessUsedSince})
}

// Keys lists the workspace's keys, newest first.
func (t Tenant) Keys(ctx context.Context) ([]core.Key, error) {
	return queryMany[core.Key](t.query(ctx, `
		SELECT id, name, scope, hint, user_id AS created_by, created_at, last_used_at
		FROM api_keys WHERE workspace_id = @ws ORDER BY created_at DESC, id DESC`, nil))
}

// AddKey stores a key's hash and details. It returns ErrNotFound if the creator is not a member.
func (t Tenant) AddKey(ctx context.Context, k core.Key, keyHash []byte) error {
	return t.exec(ctx, `
		INSERT INTO api_keys (id, workspace_id, user_id, name, scope, hash, hint, created_at)
		VALUES (@id, @ws, @user, @name, @scope, @hash, @hint, @at)`, args{
		"id": k.ID, "user": k.CreatedBy, "name": k.Name, "scope": k.Scope, "hash": keyHash, "hint": k.Hint, "at": k.CreatedAt,
	})
}

// DeleteKey revokes a key. It returns ErrNotFound if there is no such key.
func (t Tenant) DeleteKey(ctx context.Context, id core.KeyID) error {
	return t.execOne(ctx, `DELETE FROM api_keys WHERE workspace_id = @ws AND id = @id`, args{"id": id})
}
