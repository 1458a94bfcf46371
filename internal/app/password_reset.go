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
	// resetFor is how long a link for choosing a new password works.
	resetFor = time.Hour

	resetBytes   = 32 // 256 bit
	purposeReset = "password-reset"

	// An address may ask for resetTries links at once, then for one per resetInterval; an account gets half as many.
	resetTries    = 6
	resetInterval = 10 * time.Minute
)

// RequestPasswordReset asks for an email with a link for choosing a new password. A worker looks for the account, so
// that neither the response nor its time reveals whether one exists. An account that has just been sent several links
// gets no more: the last one still works. It returns not_found on a server without email.
func (a *App) RequestPasswordReset(ctx context.Context, email string, from Visitor) error {
	if a.MailMode() == MailOff {
		return core.NotFound()
	}
	email, err := parseEmail("email", email)
	if err != nil {
		return err
	}
	wait, err := a.cfg.Store.Throttle(ctx, "reset/address/"+from.AddressKey, resetTries, resetInterval)
	if err != nil {
		return fmt.Errorf("throttle password resets: %w", err)
	}
	if wait > 0 {
		a.cfg.Metrics.CountRateLimited(limitNameSignIn)
		return errRateLimited(wait, "Too many requests for a new password.", "Wait, then try again.")
	}
	wait, err = a.cfg.Store.Throttle(ctx, "reset/"+accountBucketName(email), resetTries/2, 2*resetInterval)
	if err != nil {
		return fmt.Errorf("throttle password resets: %w", err)
	}
	if wait > 0 {
		return nil
	}
	plain, err := json.Marshal(passwordReset{email, secret.RandomText(resetBytes), a.cfg.Now().Add(resetFor)})
	if err != nil {
		return fmt.Errorf("write a request for a new password: %w", err)
	}
	job := queue.PasswordReset{Sealed: a.cfg.Ring.Seal(purposeReset, resetPlace, plain)}
	return a.cfg.Store.Tx(ctx, func(s *store.Store) error { return s.EnqueueMany(ctx, []queue.Job{job}) })
}

// passwordReset is a request for a link. The token is made with the request, so that a job that runs twice sends one.
type passwordReset struct {
	Email, Token string
	Until        time.Time
}

// resetPlace is where requests are stored encrypted.
var resetPlace = secret.SealPlace("river_job", "args", queue.PasswordReset{}.Kind(), "")

// QueuePasswordResetEmail emails a link for choosing a new password, if the address of the request is that of a person and
// the link has not been sent. sealed is that of queue.PasswordReset.
func (a *App) QueuePasswordResetEmail(ctx context.Context, sealed []byte) error {
	plain, err := a.cfg.Ring.Open(purposeReset, resetPlace, sealed)
	if err != nil {
		return fmt.Errorf("read a request for a new password: %w", err)
	}
	var in passwordReset
	if err := json.Unmarshal(plain, &in); err != nil {
		return fmt.Errorf("read a request for a new password: %w", err)
	}
	if !a.cfg.Now().Before(in.Until) {
		return nil
	}
	hash := secret.HashToken(purposeReset, in.Token)
	err = a.cfg.Store.Tx(ctx, func(s *store.Store) error {
		user, err := s.LockUserByEmail(ctx, in.Email) // whoever changes the address waits, and deletes the link
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
			Subject:    "Choose a new password for Belfry",
			Paragraphs: []string{"Somebody, probably you, has asked for a new password for this email address."},
			Action:     mail.Link{Label: "Choose a new password", URL: a.cfg.PublicURL + "/reset-password/" + in.Token},
			Footnote: "The link works once and expires after one hour. If you did not ask for it, ignore this email: " +
				"your password stays as it is.",
		}}, in.Until)
	})
	if err != nil {
		return fmt.Errorf("send a link for a new password: %w", err)
	}
	return nil
}

// GetPasswordResetAddress returns the email address of the account that a link is for, or not_found if the link has expired,
// was used or is unknown.
func (a *App) GetPasswordResetAddress(ctx context.Context, token string) (string, error) {
	hash := secret.HashToken(purposeReset, token)
	user, err := a.cfg.Store.UserByPasswordReset(ctx, hash[:], a.cfg.Now())
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		err = fmt.Errorf("look up a link for a new password: %w", err)
	}
	return user.Email, err
}

// ResetPassword replaces the password of the person that a link is for. It ends all of their sessions and all of their
// other links, and resets their limit of sign-in attempts. Of several concurrent requests, one succeeds.
func (a *App) ResetPassword(ctx context.Context, token string, in contract.NewPassword, from Visitor) error {
	hash := secret.HashToken(purposeReset, token)
	found, err := a.cfg.Store.UserByPasswordReset(ctx, hash[:], a.cfg.Now())
	if err != nil {
		return err
	}
	if err := checkNewPassword(in.Password); err != nil {
		return err
	}
	if err := a.throttleAddressSignIns(ctx, from); err != nil { // hashing a new password costs as much as checking one
		return err
	}
	passwordHash, err := a.passwords.Hash(ctx, in.Password)
	if err != nil {
		return err
	}
	err = a.cfg.Store.Tx(ctx, func(s *store.Store) error {
		user, err := s.ConsumePasswordReset(ctx, hash[:], a.cfg.Now())
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
