package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"belfry/internal/core"
	"belfry/internal/mail"
	"belfry/internal/secret"
	"belfry/internal/store"
)

const purposeMail = "mail"

// MailMode is what happens to emails.
type MailMode string

// Values of MailMode.
const (
	MailSent MailMode = "sent"   // a mail server sends them
	MailKept MailMode = "outbox" // they are kept and shown in the sandbox
	MailOff  MailMode = "off"    // there are none: people pass on links themselves
)

// MailMode returns what happens to emails on this server.
func (a *App) MailMode() MailMode {
	switch {
	case a.cfg.Mail != nil:
		return MailSent
	case a.cfg.Outbox:
		return MailKept
	}
	return MailOff
}

// mailQueuer is a store or a tenant in a transaction.
type mailQueuer interface {
	QueueMail(ctx context.Context, m store.Mail) error
}

// queueMail queues an email, which is sent if the transaction of db commits, but not after expiresAt. The email is
// stored encrypted, because its links grant access.
func (a *App) queueMail(ctx context.Context, db mailQueuer, m mail.Message, expiresAt time.Time) error {
	row := store.Mail{ID: core.NewID[core.MailKind](), ExpiresAt: expiresAt}
	if t, ok := db.(store.Tenant); ok {
		row.Workspace = t.WorkspaceID()
	}
	m.ID = row.ID.String()
	plain, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("encode an email: %w", err)
	}
	row.Sealed = a.cfg.Ring.Seal(purposeMail, mailEncryptionContext(row), plain)
	return db.QueueMail(ctx, row)
}

// mailEncryptionContext returns the context to which the encryption of a stored email is bound.
func mailEncryptionContext(m store.Mail) string {
	return secret.EncryptionContext("mails", "sealed", m.ID.String(), m.Workspace.String())
}

// decryptMail decrypts a stored email.
func (a *App) decryptMail(row store.Mail) (m mail.Message, err error) {
	plain, err := a.cfg.Ring.Open(purposeMail, mailEncryptionContext(row), row.Sealed)
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(plain, &m)
}

// SendAndDeleteQueuedMail sends a queued email and deletes it from the queue. It also deletes an email that can no
// longer be sent. An error means that sending must be tried again. If an email was sent but could not be deleted, it is
// sent again with the same Message-ID. In the sandbox, SendAndDeleteQueuedMail does nothing.
func (a *App) SendAndDeleteQueuedMail(ctx context.Context, id core.MailID) error {
	if a.MailMode() == MailKept {
		return nil
	}
	row, err := a.cfg.Store.Mail(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read an email: %w", err)
	}
	log := a.cfg.Log.With("mail", id)
	m, err := a.decryptMail(row)
	switch {
	case err != nil:
		log.ErrorContext(ctx, "could not decrypt an email, so it was not sent", "error", err)
	case !row.ExpiresAt.After(a.cfg.Now()):
		log.WarnContext(ctx, "an email expired, so it was not sent")
	case a.cfg.Mail == nil:
		log.WarnContext(ctx, "an email was not sent, because BELFRY_SMTP_URL is no longer set")
	default:
		err := a.cfg.Mail.Send(ctx, m)
		if err != nil && !errors.Is(err, mail.ErrRefused) {
			return err
		}
		if err != nil {
			log.WarnContext(ctx, "the mail server refused an email", "error", err)
		}
	}
	if err := a.cfg.Store.DeleteMail(context.WithoutCancel(ctx), id); err != nil {
		return fmt.Errorf("delete a queued email: %w", err)
	}
	return nil
}

// mailLimit limits how many emails of one kind Belfry sends to an address at the request of other people: burst emails
// at once, and then one per interval.
type mailLimit struct {
	kind     string
	burst    int
	interval time.Duration
}

// throttler is a store.Store or, within a transaction, its store.Tenant.
type throttler interface {
	CountActionUnlessThrottled(ctx context.Context, key string, burst int, interval time.Duration,
	) (wait time.Duration, err error)
}

// countEmailUnlessLimited counts an email to an address, whoever requests it. If the limit does not allow the email, it
// returns false and counts nothing.
func countEmailUnlessLimited(ctx context.Context, db throttler, l mailLimit, email string) (allowed bool, err error) {
	wait, err := db.CountActionUnlessThrottled(ctx, l.kind+"/"+accountBucketName(email), l.burst, l.interval)
	if err != nil {
		return false, fmt.Errorf("count emails to an address: %w", err)
	}
	return wait == 0, nil
}

// outboxShown is the maximum number of emails that the outbox shows.
const outboxShown = 100

// KeptMail is an email in the outbox.
type KeptMail struct {
	At time.Time
	mail.Message
}

// ListNewestKeptMails returns the outboxShown newest of the emails that a mail server would have sent, newest first. It
// returns not_found unless this server keeps emails.
func (a *App) ListNewestKeptMails(ctx context.Context) ([]KeptMail, error) {
	if a.MailMode() != MailKept {
		return nil, core.NotFound()
	}
	rows, err := a.cfg.Store.NewestMails(ctx, outboxShown)
	if err != nil {
		return nil, fmt.Errorf("read the outbox: %w", err)
	}
	var list []KeptMail
	for _, row := range rows {
		m, err := a.decryptMail(row)
		if err != nil {
			return nil, fmt.Errorf("decrypt %s: %w", row.ID, err)
		}
		list = append(list, KeptMail{At: row.CreatedAt, Message: m})
	}
	return list, nil
}
