package store

import (
	"context"
	"time"

	"belfry/internal/core"
)

const workspaceColumns = `id, slug, name, plan, currency, tz AS zone`

// Workspace returns the workspace itself.
func (t Tenant) Workspace(ctx context.Context) (core.Workspace, error) {
	return queryOne[core.Workspace](t.query(ctx, `SELECT `+workspaceColumns+` FROM workspaces WHERE id = @ws`, nil))
}

// UpdateWorkspace changes the fields that are not nil. The error is conflict if another workspace has or had the slug.
func (t Tenant) UpdateWorkspace(ctx context.Context, name, slug, tz *string) (core.Workspace, error) {
	return queryOne[core.Workspace](t.query(ctx, `
		UPDATE workspaces SET name = coalesce(@name, name), slug = coalesce(@slug, slug), tz = coalesce(@tz, tz)
		WHERE id = @ws RETURNING `+workspaceColumns, args{"name": name, "slug": slug, "tz": tz}))
}

// CurrentAndFormerSlugs returns the slug that the workspace has, and then those that it had, in alphabetical order.
func (t Tenant) CurrentAndFormerSlugs(ctx context.Context) ([]string, error) {
	return queryValues[string](t.query(ctx, `
		SELECT f.slug FROM former_slugs f JOIN workspaces w ON w.id = f.workspace_id
		WHERE f.workspace_id = @ws ORDER BY f.slug <> w.slug, f.slug`, nil))
}

// LockWorkspace makes other transactions that call it wait until this one ends. Transactions that count the workspace's
// accounts, members or creations call it. Rows that refer to the workspace can still be added.
func (t Tenant) LockWorkspace(ctx context.Context) error {
	_, err := queryValue[core.WorkspaceID](t.query(ctx, `SELECT id FROM workspaces WHERE id = @ws FOR NO KEY UPDATE`, nil))
	return err
}

// PlanUsage returns how much of its plan the workspace has used. quotaPeriod is the month whose posts count.
func (t Tenant) PlanUsage(ctx context.Context, quotaPeriod string, now time.Time) (core.Usage, error) {
	return queryOne[core.Usage](t.query(ctx, `
		SELECT @period AS period,
			coalesce((SELECT used FROM usage_month WHERE workspace_id = @ws AND period = @period), 0) AS posts,
			coalesce((SELECT used FROM usage_storage WHERE workspace_id = @ws), 0) AS storage_bytes,
			(SELECT count(*) FROM accounts WHERE workspace_id = @ws AND disconnected_at IS NULL) AS accounts,
			(SELECT count(*) FROM members WHERE workspace_id = @ws) +
				(SELECT count(*) FROM invitations WHERE workspace_id = @ws AND expires_at > @now) AS members`,
		args{"period": quotaPeriod, "now": now}))
}

// FirstSteps returns which of the workspace's first steps are done.
func (t Tenant) FirstSteps(ctx context.Context) (core.FirstSteps, error) {
	return queryOne[core.FirstSteps](t.query(ctx, `
		SELECT EXISTS (SELECT FROM accounts WHERE workspace_id = @ws AND disconnected_at IS NULL) AS account,
			EXISTS (SELECT FROM media WHERE workspace_id = @ws AND deleted_at IS NULL) AS file,
			EXISTS (SELECT FROM posts WHERE workspace_id = @ws AND status IN ('queued', 'live', 'failed')) AS post`, nil))
}

// HasAnyWorkspace reports whether there is a workspace.
func (s *Store) HasAnyWorkspace(ctx context.Context) (bool, error) {
	return queryValue[bool](s.query(ctx, `SELECT EXISTS (SELECT FROM workspaces)`, nil))
}

// setUpTurn is the advisory lock for creating the first workspace.
const setUpTurn = int64(0x736574_7570) // "setup"

// LockSetUp makes other set-ups wait until the transaction ends.
func (s *Store) LockSetUp(ctx context.Context) error {
	return s.exec(ctx, `SELECT pg_advisory_xact_lock(@turn)`, args{"turn": setUpTurn})
}

// AddWorkspace stores a workspace. If another one has or had the slug, it stores nothing and returns false.
func (s *Store) AddWorkspace(ctx context.Context, w core.Workspace, now time.Time) (added bool, err error) {
	return s.execChanged(ctx, `
		INSERT INTO workspaces (id, slug, name, plan, currency, tz, created_at)
		SELECT @id::uuid, @slug, @name, @plan, @currency, @tz, @now::timestamptz
		WHERE NOT EXISTS (SELECT FROM former_slugs WHERE slug = @slug) ON CONFLICT (slug) DO NOTHING`, args{
		"id": w.ID, "slug": w.Slug, "name": w.Name, "plan": w.Plan, "currency": w.Currency, "tz": w.Zone.Name(), "now": now,
	})
}

// WorkspaceBySlugOrID returns a workspace by its slug or the printed form of its id.
func (s *Store) WorkspaceBySlugOrID(ctx context.Context, slugOrID string) (core.Workspace, error) {
	byID, _ := core.ParseID[core.WorkspaceKind](slugOrID) // unset for a slug
	return queryOne[core.Workspace](s.query(ctx, `
		SELECT `+workspaceColumns+` FROM workspaces WHERE id = @id OR slug = @slug ORDER BY id = @id DESC NULLS LAST LIMIT 1`,
		args{"id": byID, "slug": slugOrID}))
}

// AllWorkspaces lists all workspaces, oldest first.
func (s *Store) AllWorkspaces(ctx context.Context) ([]core.Workspace, error) {
	return queryMany[core.Workspace](s.query(ctx, `SELECT `+workspaceColumns+` FROM workspaces ORDER BY created_at, id`, nil))
}

// SetWorkspacePlan changes a workspace's plan.
func (s *Store) SetWorkspacePlan(ctx context.Context, id core.WorkspaceID, plan core.PlanName) error {
	return s.execOne(ctx, `UPDATE workspaces SET plan = @plan WHERE id = @id`, args{"id": id, "plan": plan})
}
