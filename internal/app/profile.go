package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/mail"
	"belfry/internal/store"
)

// changeUseful is how long an email about a changed address remains useful. After that, it is not sent.
const changeUseful = 7 * 24 * time.Hour

// EditProfile changes the person's name and email address on this server. A new address requires a recently confirmed
// password, and is a conflict if another person has it. A changed address invalidates the password reset links that
// were sent to the old address, and queues an email to the old address.
func (a *App) EditProfile(ctx context.Context, c core.Caller, in contract.EditProfile) error {
	t, err := a.authorizeSession(c)
	if err != nil {
		return err
	}
	if err := checkName("name", "The name", in.Name); err != nil {
		return err
	}
	email, err := checkAndTrimEmail("email", in.Email)
	if err != nil {
		return err
	}
	return t.Tx(ctx, func(t store.Tenant) error {
		before, err := t.LockMemberUser(ctx, c.AttributedUser())
		if err != nil {
			return err
		}
		after := core.User{ID: before.ID, Name: in.Name, Email: email}
		if after == before {
			return nil
		}
		if !strings.EqualFold(before.Email, email) {
			if err := a.authorizeOwnEmailChangeAndMailOldAddress(ctx, t, c, before, email); err != nil {
				return err
			}
			if err := t.DeletePasswordResets(ctx, before.ID); err != nil {
				return err
			}
		}
		if err := t.UpdateUser(ctx, after); err != nil {
			return err
		}
		return t.AddAuditEntry(ctx, core.AuditEntry{
			Action: core.AuditProfileChanged, Actor: c, Subject: c.AttributedUser().String(),
			Before: profileAuditFields(before), After: profileAuditFields(after),
		})
	})
}

// authorizeOwnEmailChangeAndMailOldAddress checks that the person may change their email address, and queues an email
// to the old address. It does not store the new address.
func (a *App) authorizeOwnEmailChangeAndMailOldAddress(ctx context.Context, t store.Tenant, c core.Caller,
	before core.User, newEmail string,
) error {
	if _, err := a.authorizeReauthenticated(c); err != nil {
		return err
	}
	if a.MailMode() == MailOff {
		return nil
	}
	return a.queueMail(ctx, t, mail.Message{To: before.Email, Name: before.Name, Letter: mail.Letter{
		Subject:    "Your Belfry email address has changed",
		Paragraphs: []string{"You now sign in to Belfry with " + newEmail + " instead of " + before.Email + "."},
		Footnote: "If you did not change your email address, ask the operator of " + a.cfg.PublicURL +
			" to restore your account.",
	}}, a.cfg.Now().Add(changeUseful))
}

// profileAuditFields returns the fields of a profile that the audit log records.
func profileAuditFields(u core.User) map[string]string {
	return map[string]string{"name": u.Name, "email": u.Email}
}

// ChangePassword replaces the person's password. It invalidates their password reset links, and ends all of their
// sessions except the present one, which must store the returned proof to continue. If the present password is wrong,
// it returns invalid_request.
func (a *App) ChangePassword(ctx context.Context, c core.Caller, in contract.ChangePassword) (proof string, err error) {
	t, err := a.authorizeSession(c)
	if err != nil {
		return "", err
	}
	if err := checkNewPassword(in.New); err != nil {
		return "", withErrorPath("new", err)
	}
	if err := a.VerifyOwnPasswordAndAudit(ctx, c, in.Current); err != nil {
		return "", withErrorPath("current", err)
	}
	hash, err := a.passwords.Hash(ctx, in.New)
	if err != nil {
		return "", err
	}
	err = t.Tx(ctx, func(t store.Tenant) error {
		if err := t.SetMemberPasswordHash(ctx, c.AttributedUser(), hash); err != nil {
			return err
		}
		if err := t.DeletePasswordResets(ctx, c.AttributedUser()); err != nil {
			return err
		}
		return t.AddAuditEntry(ctx, core.AuditEntry{
			Action: core.AuditPasswordChanged, Actor: c, Subject: c.AttributedUser().String(),
		})
	})
	if err != nil {
		return "", fmt.Errorf("store a password: %w", err)
	}
	return SessionProof(hash), nil
}

// withErrorPath returns an invalid_request error with its path replaced, and any other error unchanged.
func withErrorPath(fieldPath string, err error) error {
	e, ok := errors.AsType[*core.Error](err)
	if !ok || e.Code != core.CodeInvalidRequest {
		return err
	}
	moved := *e
	moved.Path = fieldPath
	return &moved
}

// GetMailChoice returns which of the workspace's problems the person gets emails about.
func (a *App) GetMailChoice(ctx context.Context, c core.Caller) (core.MailChoice, error) {
	t, err := a.authorizeSession(c)
	if err != nil {
		return "", err
	}
	own, err := t.MailChoice(ctx, c.AttributedUser())
	return c.Role().MailChoiceOrDefault(own), err
}

// SetMailChoice sets which of the workspace's problems the person gets emails about.
func (a *App) SetMailChoice(ctx context.Context, c core.Caller, choice string) error {
	t, err := a.authorizeSession(c)
	if err != nil {
		return err
	}
	parsed, err := core.ParseMailChoice("mail", choice)
	if err != nil {
		return err
	}
	return t.SetMailChoice(ctx, c.AttributedUser(), parsed)
}
