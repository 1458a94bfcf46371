package store

import (
	"context"
	"time"

	"belfry/internal/core"
)

// Member is a person in a workspace.
type Member struct {
	Workspace core.WorkspaceID
	Plan      core.PlanName
	User      core.UserID
	Role      core.Role
}

// SessionMember is a member, with everything that the member's sessions need.
type SessionMember struct {
	Member
	Slug         string
	PasswordHash string
	Shortcuts    bool // single keys are shortcuts
	FirstSteps   bool // the workspace's first steps are shown
}

const personColumns = `m.workspace_id AS workspace, w.slug, w.plan, m.user_id AS "user", m.role, u.password_hash,
			u.shortcuts, m.first_steps
		FROM members m JOIN workspaces w ON w.id = m.workspace_id JOIN users u ON u.id = m.user_id`

// SessionMember returns a person's membership in a workspace.
func (s *Store) SessionMember(ctx context.Context, user core.UserID, ws core.WorkspaceID) (SessionMember, error) {
	return queryOne[SessionMember](s.query(ctx, `
		SELECT `+personColumns+` WHERE m.user_id = @user AND m.workspace_id = @workspace`,
		args{"user": user, "workspace": ws}))
}

// SessionMemberBySlugOrLast returns a person's membership in the workspace with the slug. If the person is not a member
// there, it returns their membership in lastWorkspace or, failing that, their oldest membership. It returns ErrNotFound
// for a person without a workspace.
func (s *Store) SessionMemberBySlugOrLast(ctx context.Context, user core.UserID, slug string,
	lastWorkspace core.WorkspaceID,
) (SessionMember, error) {
	return queryOne[SessionMember](s.query(ctx, `
		SELECT `+personColumns+` WHERE m.user_id = @user
		ORDER BY w.slug = @slug DESC, w.id = @last DESC, m.created_at, w.id LIMIT 1`,
		args{"user": user, "slug": slug, "last": lastWorkspace}))
}

// CurrentWorkspaceSlug returns the present slug of the workspace that once had formerSlug, if the person is a member.
func (s *Store) CurrentWorkspaceSlug(ctx context.Context, user core.UserID, formerSlug string) (string, error) {
	return queryValue[string](s.query(ctx, `
		SELECT w.slug FROM former_slugs f JOIN workspaces w ON w.id = f.workspace_id
		JOIN members m ON m.workspace_id = w.id AND m.user_id = @user
		WHERE f.slug = @former`, args{"user": user, "former": formerSlug}))
}

// OldestOwnerOfWorkspace returns the owner who joined the workspace first.
func (s *Store) OldestOwnerOfWorkspace(ctx context.Context, ws core.WorkspaceID) (core.UserID, error) {
	return queryValue[core.UserID](s.query(ctx, `
		SELECT user_id FROM members WHERE workspace_id = @workspace AND role = @owner ORDER BY created_at, user_id LIMIT 1`,
		args{"workspace": ws, "owner": core.RoleOwner}))
}

// OldestOwnerEmail returns the email address of the owner with the oldest membership on this server.
func (s *Store) OldestOwnerEmail(ctx context.Context) (string, error) {
	return queryValue[string](s.query(ctx, `
		SELECT u.email FROM members m JOIN users u ON u.id = m.user_id
		WHERE m.role = @owner ORDER BY m.created_at, m.user_id LIMIT 1`, args{"owner": core.RoleOwner}))
}

// Membership is one of a person's workspaces, for the workspace switcher.
type Membership struct {
	ID   core.WorkspaceID
	Slug string
	Name string
	Role core.Role
}

// Memberships lists a person's workspaces, oldest membership first.
func (s *Store) Memberships(ctx context.Context, user core.UserID) ([]Membership, error) {
	return queryMany[Membership](s.query(ctx, `
		SELECT w.id, w.slug, w.name, m.role FROM members m JOIN workspaces w ON w.id = m.workspace_id
		WHERE m.user_id = @user ORDER BY m.created_at, w.id`, args{"user": user}))
}

// AddMember adds a person to a workspace.
func (s *Store) AddMember(ctx context.Context, ws core.WorkspaceID, user core.UserID, role core.Role,
	now time.Time,
) error {
	return s.exec(ctx, `
		INSERT INTO members (workspace_id, user_id, role, created_at) VALUES (@workspace, @user, @role, @now)`,
		args{"workspace": ws, "user": user, "role": role, "now": now})
}

// SignInUser is a person, with what is needed to check their password.
type SignInUser struct {
	ID           core.UserID
	Name         string
	Email        string
	PasswordHash string
}

// UserForSignIn finds a person by email address, ignoring case, and returns what is needed to check the password.
func (s *Store) UserForSignIn(ctx context.Context, email string) (SignInUser, error) {
	return queryOne[SignInUser](s.query(ctx, `
		SELECT id, name, email, password_hash FROM users WHERE lower(email) = lower(@email)`, args{"email": email}))
}

// LockUserByEmail returns a person by email address, ignoring case, and locks the person.
func (s *Store) LockUserByEmail(ctx context.Context, email string) (core.User, error) {
	return queryOne[core.User](s.query(ctx, `
		SELECT id, name, email FROM users WHERE lower(email) = lower(@email) FOR NO KEY UPDATE`, args{"email": email}))
}

// AddUser stores a new person. The error is conflict if the email address is in use.
func (s *Store) AddUser(ctx context.Context, u core.User, passwordHash string, now time.Time) error {
	return s.exec(ctx, `
		INSERT INTO users (id, email, name, password_hash, created_at) VALUES (@id, @email, @name, @hash, @now)`,
		args{"id": u.ID, "email": u.Email, "name": u.Name, "hash": passwordHash, "now": now})
}

// SetPasswordHash replaces a person's password hash.
func (s *Store) SetPasswordHash(ctx context.Context, user core.UserID, passwordHash string) error {
	return s.execOne(ctx, `UPDATE users SET password_hash = @hash WHERE id = @user`, args{"user": user, "hash": passwordHash})
}

// UpdateUser stores the name and email address of a member. The error is conflict if the email address is in use.
func (t Tenant) UpdateUser(ctx context.Context, u core.User) error {
	return t.execOne(ctx, `
		UPDATE users SET name = @name, email = @email
		WHERE id = (SELECT user_id FROM members WHERE workspace_id = @ws AND user_id = @id)`,
		args{"id": u.ID, "name": u.Name, "email": u.Email})
}

// SetMemberPasswordHash replaces a member's password hash.
func (t Tenant) SetMemberPasswordHash(ctx context.Context, user core.UserID, passwordHash string) error {
	return t.execOne(ctx, `
		UPDATE users SET password_hash = @hash
		WHERE id = (SELECT user_id FROM members WHERE workspace_id = @ws AND user_id = @user)`,
		args{"user": user, "hash": passwordHash})
}

// SetShortcutsEnabled turns shortcuts with single keys on or off for a person.
func (s *Store) SetShortcutsEnabled(ctx context.Context, user core.UserID, on bool) error {
	return s.execOne(ctx, `UPDATE users SET shortcuts = @on WHERE id = @user`, args{"user": user, "on": on})
}

// HideFirstSteps stops showing the workspace's first steps to a member.
func (t Tenant) HideFirstSteps(ctx context.Context, user core.UserID) error {
	return t.execOne(ctx, `UPDATE members SET first_steps = false WHERE workspace_id = @ws AND user_id = @user`,
		args{"user": user})
}

// MemberUser returns a person who is a member of the workspace.
func (t Tenant) MemberUser(ctx context.Context, id core.UserID) (core.User, error) {
	return queryOne[core.User](t.query(ctx, `
		SELECT u.id, u.name, u.email FROM users u JOIN members m ON m.user_id = u.id
		WHERE m.workspace_id = @ws AND u.id = @id`, args{"id": id}))
}

// LockMemberUser is like MemberUser, but also locks the person.
func (t Tenant) LockMemberUser(ctx context.Context, id core.UserID) (core.User, error) {
	return queryOne[core.User](t.query(ctx, `
		SELECT u.id, u.name, u.email FROM users u JOIN members m ON m.user_id = u.id
		WHERE m.workspace_id = @ws AND u.id = @id FOR NO KEY UPDATE OF u`, args{"id": id}))
}

// maxDevices is how many devices of a person are stored. The least recently used ones are deleted.
const maxDevices = 20

// HasDevice reports whether the person has signed in with the device whose cookie has this hash.
func (s *Store) HasDevice(ctx context.Context, user core.UserID, cookieHash []byte) (bool, error) {
	return queryValue[bool](s.query(ctx, `SELECT EXISTS (SELECT FROM devices WHERE hash = @hash AND user_id = @user)`,
		args{"hash": cookieHash, "user": user}))
}

// SaveDeviceAndDeleteSurplus stores that a person has just signed in with a device. It deletes the least recently used
// devices above the limit.
func (s *Store) SaveDeviceAndDeleteSurplus(ctx context.Context, user core.UserID, cookieHash []byte,
	now time.Time,
) error {
	return s.exec(ctx, `
		WITH surplus AS (
			DELETE FROM devices WHERE hash IN (
				SELECT hash FROM devices WHERE user_id = @user AND hash <> @hash ORDER BY seen_at DESC OFFSET @others)
		)
		INSERT INTO devices (hash, user_id, seen_at) VALUES (@hash, @user, @now)
		ON CONFLICT (hash) DO UPDATE SET seen_at = @now`,
		args{"hash": cookieHash, "user": user, "now": now, "others": maxDevices - 1})
}
