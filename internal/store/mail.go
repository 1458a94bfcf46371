package store

import (
	"context"
	"time"

	"belfry/internal/core"
	"belfry/internal/queue"
)

// Mail is an email to be sent.
type Mail struct {
	ID        core.MailID
	Workspace core.WorkspaceID // zero if it does not concern a workspace
	Sealed    []byte           // encrypted
	CreatedAt time.Time
	ExpiresAt time.Time
}

// QueueMail is Store.QueueMail for an email of the workspace.
func (t Tenant) QueueMail(ctx context.Context, m Mail) error {
	m.Workspace = t.ws
	return t.store.QueueMail(ctx, m)
}

// QueueMail stores an email and enqueues the job that sends it. It must be called within Tx.
func (s *Store) QueueMail(ctx context.Context, m Mail) error {
	if err := s.exec(ctx, `
		INSERT INTO mails (id, workspace_id, sealed, expires_at) VALUES (@id, @workspace, @sealed, @expires)`,
		args{"id": m.ID, "workspace": m.Workspace, "sealed": m.Sealed, "expires": m.ExpiresAt}); err != nil {
		return err
	}
	return s.EnqueueMany(ctx, []queue.Job{queue.Mail{ID: m.ID}})
}

const mailColumns = `id, workspace_id AS workspace, sealed, created_at, expires_at`

// Mail returns an email. It returns ErrNotFound if the email was sent.
func (s *Store) Mail(ctx context.Context, id core.MailID) (Mail, error) {
	return queryOne[Mail](s.query(ctx, `SELECT `+mailColumns+` FROM mails WHERE id = @id`, args{"id": id}))
}

// NewestMails lists the newest emails, newest first.
func (s *Store) NewestMails(ctx context.Context, limit int) ([]Mail, error) {
	return queryMany[Mail](s.query(ctx, `SELECT `+mailColumns+` FROM mails ORDER BY created_at DESC, id DESC LIMIT @limit`,
		args{"limit": limit}))
}

// DeleteMail deletes an email.
func (s *Store) DeleteMail(ctx context.Context, id core.MailID) error {
	return s.exec(ctx, `DELETE FROM mails WHERE id = @id`, args{"id": id})
}

// MailRecipient is a member of the workspace, with the member's choice of emails.
type MailRecipient struct {
	ID     core.UserID
	Name   string
	Email  string
	Role   core.Role
	Choice core.MailChoice // "" if they made none
}

// MembersAndMailChoices lists all members with their choices of emails, the oldest membership first.
func (t Tenant) MembersAndMailChoices(ctx context.Context) ([]MailRecipient, error) {
	return queryMany[MailRecipient](t.query(ctx, `
		SELECT u.id, u.name, u.email, m.role, m.mail AS choice FROM members m JOIN users u ON u.id = m.user_id
		WHERE m.workspace_id = @ws ORDER BY m.created_at, u.id`, nil))
}

// MailChoice returns a member's choice of emails, or "" if they made none.
func (t Tenant) MailChoice(ctx context.Context, user core.UserID) (choiceOrEmpty core.MailChoice, err error) {
	return queryValue[core.MailChoice](t.query(ctx, `SELECT mail FROM members WHERE workspace_id = @ws AND user_id = @user`,
		args{"user": user}))
}

// SetMailChoice stores a member's choice of emails.
func (t Tenant) SetMailChoice(ctx context.Context, user core.UserID, choice core.MailChoice) error {
	return t.execOne(ctx, `UPDATE members SET mail = @choice WHERE workspace_id = @ws AND user_id = @user`,
		args{"user": user, "choice": choice})
}
