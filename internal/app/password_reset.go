package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/mail"
	"belfry/internal/queue"
	"belfry/internal/secret"
	"belfry/internal/store"
)

const (
	// resetFor is how long a password reset link works.
	resetFor = time.Hour

	resetBytes   = 32 // 256 bit
	purposeReset = "password-reset"

	// A network address can request resetTries links at once, and then one per resetInterval.
	resetTries    = 6
	resetInterval = 10 * time.Minute
)

// resetMails limits the password reset emails to one address.
var resetMails = mailLimit{kind: "reset", burst: resetTries / 2, interval: 2 * resetInterval}

// RequestPasswordReset requests an email with a password reset link. A worker looks up the account, so that neither the
// response nor its timing reveals whether an account exists. If several links have just been sent to the address,
// Belfry sends no more; the last one still works. It returns not_found on a server without email.
func (a *App) RequestPasswordReset(ctx context.Context, email string, from Browser) error {
	if a.MailMode() == MailOff {
		return core.NotFound()
	}
	email, err := checkAndTrimEmail("email", email)
	if err != nil {
		return err
	}
	wait, err := a.cfg.Store.CountActionUnlessThrottled(ctx, "reset/address/"+from.AddressKey, resetTries, resetInterval)
	if err != nil {
		return fmt.Errorf("check the limit on password resets: %w", err)
	}
	if wait > 0 {
		a.cfg.Metrics.CountRateLimited(limitNameSignIn)
		return errRateLimited(wait, "Too many password reset requests.", "Wait, then try again.")
	}
	if may, err := countEmailUnlessLimited(ctx, a.cfg.Store, resetMails, email); err != nil || !may {
		return err
	}
	plain, err := json.Marshal(passwordReset{email, secret.RandomText(resetBytes), a.cfg.Now().Add(resetFor)})
	if err != nil {
		return fmt.Errorf("encode a password reset request: %w", err)
	}
	job := queue.PasswordReset{Sealed: a.cfg.Ring.Seal(purposeReset, resetEncryptionContext, plain)}
	return a.cfg.Store.Tx(ctx, func(s *store.Store) error { return s.EnqueueMany(ctx, []queue.Job{job}) })
}

// passwordReset is a request for a link. It contains the token of the link, so that a job that runs twice sends only
// one link.
type passwordReset struct {
	Email, Token string
	Until        time.Time
}

// resetEncryptionContext is the context to which the encryption of password reset requests is bound.
var resetEncryptionContext = secret.EncryptionContext("river_job", "args", queue.PasswordReset{}.Kind(), "")

// QueuePasswordResetEmailIfValid queues an email with a password reset link. It does nothing if no account has the
// requested address, or if the link has expired or was already sent. sealedRequest is the field Sealed of a
// queue.PasswordReset.
func (a *App) QueuePasswordResetEmailIfValid(ctx context.Context, sealedRequest []byte) error {
	plain, err := a.cfg.Ring.Open(purposeReset, resetEncryptionContext, sealedRequest)
	if err != nil {
		return fmt.Errorf("decrypt a password reset request: %w", err)
	}
	var in passwordReset
	if err := json.Unmarshal(plain, &in); err != nil {
		return fmt.Errorf("decode a password reset request: %w", err)
	}
	if !a.cfg.Now().Before(in.Until) {
		return nil
	}
	hash := secret.HashToken(purposeReset, in.Token)
	err = a.cfg.Store.Tx(ctx, func(s *store.Store) error {
		// A change to the address waits for this lock, and then deletes the link.
		user, err := s.LockUserByEmail(ctx, in.Email)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if added, err := s.AddPasswordReset(ctx, user.ID, hash[:], in.Until); err != nil || !added {
			return err
		}
		return a.queueMail(ctx, s, mail.Message{To: user.Email, Name: user.Name, Letter: mail.Letter{
			Subject:    "Reset your Belfry password",
			Paragraphs: []string{"Someone, probably you, asked to reset the password for the account with this email address."},
			Action:     mail.Link{Label: "Choose a new password", URL: a.cfg.PublicURL + "/reset-password/" + in.Token},
			Footnote: "The link works once and expires after one hour. If you did not ask for a new password, ignore this email: " +
				"your password stays the same.",
		}}, in.Until)
	})
	if err != nil {
		return fmt.Errorf("queue a password reset email: %w", err)
	}
	return nil
}

// GetPasswordResetUserEmail returns the email address of the account for which a password reset link was sent. It
// returns not_found if the link is expired, used or unknown.
func (a *App) GetPasswordResetUserEmail(ctx context.Context, token string) (string, error) {
	hash := secret.HashToken(purposeReset, token)
	user, err := a.cfg.Store.UserByPasswordReset(ctx, hash[:], a.cfg.Now())
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		err = fmt.Errorf("look up a password reset link: %w", err)
	}
	return user.Email, err
}

// ResetPassword replaces the password of the person to whom a link was sent. It ends all of their sessions, invalidates
// their other links, and resets their limit on sign-in attempts. Of several concurrent requests, only one succeeds.
func (a *App) ResetPassword(ctx context.Context, token string, in contract.NewPassword, from Browser) error {
	hash := secret.HashToken(purposeReset, token)
	found, err := a.cfg.Store.UserByPasswordReset(ctx, hash[:], a.cfg.Now())
	if err != nil {
		return err
	}
	if err := checkNewPassword(in.Password); err != nil {
		return err
	}
	if err := a.throttleSignInsFromAddress(ctx, from); err != nil { // hashing a new password costs as much as checking one
		return err
	}
	passwordHash, err := a.passwords.Hash(ctx, in.Password)
	if err != nil {
		return err
	}
	err = a.cfg.Store.Tx(ctx, func(s *store.Store) error {
		user, err := s.DeletePasswordResetsByToken(ctx, hash[:], a.cfg.Now())
		if err != nil {
			return err
		}
		if err := s.SetPasswordHash(ctx, user, passwordHash); err != nil {
			return err
		}
		return s.AddAuditEntry(ctx, core.AuditEntry{
			Action: core.AuditPasswordReset, Actor: newAuditActor(user), Subject: user.String(),
		})
	})
	if err != nil {
		return err
	}
	return a.cfg.Store.ResetThrottle(ctx, accountBucketName(found.Email))
}
