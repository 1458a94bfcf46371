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
	"belfry/internal/secret"
	"belfry/internal/store"
)

const (
	inviteBytes       = 32 // 256 bit
	purposeInvitation = "invitation"

	// A workspace can send inviteTries invitations at once, and then one per inviteInterval.
	inviteTries    = 30
	inviteInterval = 2 * time.Minute
)

// inviteMails limits the invitations that Belfry emails to one address, from all workspaces together.
var inviteMails = mailLimit{kind: "invite", burst: 3, interval: 24 * time.Hour}

// InviteMember creates an invitation, queues an email with its link, and returns the link, which only this response
// contains. An address that has recently received several invitations gets no email: the caller must pass on the link.
// The response does not reveal whether the person has an account on the server. Inviting the same person again replaces
// the link. It returns conflict if the person is already a member. Until they expire, invitations count toward the
// plan's limit on members.
func (a *App) InviteMember(ctx context.Context, c core.Caller, in contract.InviteMember) (contract.Member, error) {
	t, err := a.authorizeReauthenticatedManager(c)
	if err != nil {
		return contract.Member{}, err
	}
	want, err := parseInvitee(in)
	if err != nil {
		return contract.Member{}, err
	}
	want.CreatedAt = a.cfg.Now().UTC().Truncate(time.Microsecond)
	want.InvitedUntil = want.CreatedAt.Add(core.InvitationLifetime)
	if err := a.throttleInvitations(ctx, t); err != nil {
		return contract.Member{}, err
	}
	emails := false
	token := secret.RandomText(inviteBytes)
	hash := secret.HashToken(purposeInvitation, token)
	err = t.Tx(ctx, func(t store.Tenant) error {
		by, err := lockMembersAndGetCallerRole(ctx, t, c)
		if err != nil {
			return err
		}
		before, err := t.MemberOrInvitationByEmail(ctx, want.Email)
		switch {
		case err == nil && !before.IsPending():
			return core.Fail(core.CodeConflict, "%s is already a member.", before.Email).WithHint("Change their role instead.")
		case err == nil:
			want.ID, want.CreatedAt = before.ID, before.CreatedAt
		case !errors.Is(err, store.ErrNotFound):
			return err
		}
		if err := by.CheckRoleChange(before.Role, want.Role); err != nil {
			return err
		}
		if err := a.checkQuotaForInvitation(ctx, t, before.InvitedUntil.After(a.cfg.Now())); err != nil {
			return err
		}
		if err := t.SaveInvitation(ctx, want, c.AttributedUser(), hash[:]); err != nil {
			return err
		}
		if emails, err = a.queueInvitationEmailIfAllowed(ctx, t, c, want, a.invitationURL(token)); err != nil {
			return err
		}
		return t.AddAuditEntry(ctx, core.AuditEntry{
			Action: core.AuditMemberInvited, Actor: c, Subject: want.ID.String(),
			After: map[string]string{"email": want.Email, "role": string(want.Role)},
		})
	})
	if err != nil {
		return contract.Member{}, err
	}
	out := contract.MemberOf(want)
	out.InviteURL, out.Emailed = a.invitationURL(token), emails
	return out, nil
}

func (a *App) invitationURL(token string) string { return a.cfg.PublicURL + "/invitations/" + token }

// throttleInvitations counts an attempt to send an invitation from the workspace, and returns rate_limited after too
// many attempts. It does nothing on a server that sends no email.
func (a *App) throttleInvitations(ctx context.Context, t store.Tenant) error {
	if a.MailMode() == MailOff {
		return nil
	}
	wait, err := t.CountActionUnlessThrottled(ctx, "invite/"+t.WorkspaceID().String(), inviteTries, inviteInterval)
	if err != nil {
		return fmt.Errorf("check the limit on invitations: %w", err)
	}
	if wait > 0 {
		a.cfg.Metrics.CountRateLimited(limitNameInvite)
		return errRateLimited(wait, "Too many invitations from this workspace.", "Wait, then try again.")
	}
	return nil
}

// queueInvitationEmailIfAllowed queues an email to the invited person with the link. It returns false if the address
// has received too many emails, or if this server sends no email. It must be called in a transaction, so that a refused
// invitation does not count.
func (a *App) queueInvitationEmailIfAllowed(ctx context.Context, t store.Tenant, c core.Caller, invited core.Member,
	url string,
) (queued bool, err error) {
	if a.MailMode() == MailOff {
		return false, nil
	}
	if may, err := countEmailUnlessLimited(ctx, t, inviteMails, invited.Email); err != nil || !may {
		return false, err
	}
	return true, a.queueInvitationEmail(ctx, t, c, invited, url)
}

// queueInvitationEmail queues an email to the invited person with the link.
func (a *App) queueInvitationEmail(ctx context.Context, t store.Tenant, c core.Caller, invited core.Member,
	url string,
) error {
	w, err := t.Workspace(ctx)
	if err != nil {
		return err
	}
	by, err := t.MemberUser(ctx, c.AttributedUser())
	if err != nil {
		return err
	}
	return a.queueMail(ctx, t, mail.Message{
		To: invited.Email, Name: invited.Name, Letter: mail.Letter{
			Subject: by.Name + " has invited you to join " + w.Name,
			Paragraphs: []string{fmt.Sprintf("%s (%s) has invited you to join the workspace %s on Belfry as %s.", by.Name, by.Email,
				w.Name, invited.Role.WithArticle())},
			Action: mail.Link{Label: "Join " + w.Name, URL: url},
			Footnote: "The link works once and expires after " + core.InvitationLifetimeText() +
				". If you did not expect this invitation, ignore this email.",
		},
	}, invited.InvitedUntil)
}

// parseInvitee checks the details of the person to invite. Without a name, it uses the part of the email address
// before the @.
func parseInvitee(in contract.InviteMember) (m core.Member, err error) {
	m = core.Member{ID: core.NewID[core.UserKind](), Name: in.Name}
	if m.Email, err = checkAndTrimEmail("email", in.Email); err != nil {
		return m, err
	}
	if m.Role, err = core.ParseRole("role", in.Role); err != nil {
		return m, err
	}
	if m.Name == "" {
		before, _, _ := strings.Cut(m.Email, "@")
		m.Name = string([]rune(before)[:min(maxName, len([]rune(before)))])
	}
	return m, checkName("name", "The name", m.Name)
}

// checkQuotaForInvitation returns quota_exceeded if the plan does not allow another member. replacesValidInvitation
// reports that the invitation replaces one that is still valid, so that it does not count twice.
func (a *App) checkQuotaForInvitation(ctx context.Context, t store.Tenant, replacesValidInvitation bool) error {
	n, err := t.CountMembersAndInvitations(ctx, a.cfg.Now())
	if err != nil {
		return err
	}
	others := n.Joined + n.Invited
	if replacesValidInvitation {
		others--
	}
	return a.checkMemberQuota(ctx, t, others, n, "Remove a member or an invitation, or change the subscription plan.")
}

// checkMemberQuota returns quota_exceeded, with the hint, if the plan does not allow one more member in addition to
// otherMembers. The error shows the numbers in shownCount.
func (a *App) checkMemberQuota(ctx context.Context, t store.Tenant, otherMembers int64, shownCount store.MemberCount,
	hint string,
) error {
	_, plan, err := a.loadWorkspaceAndPlan(ctx, t)
	if err != nil || plan.Members == nil || otherMembers < *plan.Members {
		return err
	}
	return core.NewQuotaExceededError("member", "members", shownCount.Joined+shownCount.Invited, *plan.Members).
		WithHint("%s", hint)
}

// Invitation is the data on the page behind an invitation link.
type Invitation struct {
	Workspace, Email, Name string
	Role                   core.Role
	InvitedBy              string // the name of the member who sent it; "" if it is not known or they have left
}

// GetInvitation returns the invitation to which a token belongs. It returns not_found if the invitation is expired,
// used, replaced or unknown.
func (a *App) GetInvitation(ctx context.Context, token string) (Invitation, error) {
	i, _, err := a.loadValidInvitation(ctx, token)
	return Invitation{
		Workspace: i.WorkspaceName, Email: i.Email, Name: i.Name, Role: i.Role, InvitedBy: i.InvitedBy,
	}, err
}

// loadValidInvitation looks up an invitation by its token and returns it with the hash of the token. It returns
// store.ErrNotFound if the invitation is expired, used, replaced or unknown.
func (a *App) loadValidInvitation(ctx context.Context, token string) (i store.Invitation, tokenHash []byte, err error) {
	hash := secret.HashToken(purposeInvitation, token)
	i, err = a.cfg.Store.InvitationByToken(ctx, hash[:], a.cfg.Now())
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		err = fmt.Errorf("look up an invitation: %w", err)
	}
	return i, hash[:], err
}

// AcceptInvitation makes a person a member of the workspace to which they were invited, and signs them in. They confirm
// the password of their account, or get an account if they have none. Attempts are limited in the same way as sign-ins.
// Of several concurrent requests, only one succeeds. It returns quota_exceeded if the plan no longer allows another
// member.
func (a *App) AcceptInvitation(ctx context.Context, token string, in contract.Join, from Browser) (SignedIn, error) {
	i, hash, err := a.loadValidInvitation(ctx, token)
	if err != nil {
		return SignedIn{}, err
	}
	person, newHash, err := a.authenticateInviteeOrBuildUser(ctx, i, in, from)
	if err != nil {
		return SignedIn{}, err
	}
	w := core.Workspace{}
	err = a.tenantForInvitee(i).Tx(ctx, func(t store.Tenant) error {
		if err := t.LockWorkspace(ctx); err != nil {
			return err
		}
		n, err := t.CountMembersAndInvitations(ctx, a.cfg.Now())
		if err != nil {
			return err
		}
		role, err := t.ConsumeInvitation(ctx, hash, a.cfg.Now())
		if err != nil {
			return err
		}
		const full = "Ask an owner or admin of the workspace to remove a member or to change the subscription plan."
		if err := a.checkMemberQuota(ctx, t, n.Joined, n, full); err != nil {
			return err
		}
		if w, err = t.Workspace(ctx); err != nil {
			return err
		}
		user := core.User{ID: person.ID, Name: person.Name, Email: person.Email}
		if err := t.JoinWorkspace(ctx, user, newHash, role, a.cfg.Now()); err != nil {
			return err
		}
		return t.AddAuditEntry(ctx, core.AuditEntry{
			Action: core.AuditMemberJoined, Actor: newAuditActor(person.ID), Subject: person.ID.String(),
			After: map[string]string{"email": person.Email, "role": string(role)},
		})
	})
	if core.CodeOf(err) == core.CodeConflict { // the person was invited to two workspaces and joined both at the same time
		return SignedIn{}, core.Fail(core.CodeConflict, "An account with this email address has just been created.").
			WithHint("Submit the form again with that account's password.")
	}
	if err != nil {
		return SignedIn{}, fmt.Errorf("join %s: %w", i.Workspace, err)
	}
	return a.rememberDeviceAndAuditSignIn(ctx, person, w, from)
}

// authenticateInviteeOrBuildUser checks the password of the invited person and returns the person. For a person without
// an account, it returns a new person who is not stored yet, and the hash of the new password; otherwise
// newUserPasswordHash is "".
func (a *App) authenticateInviteeOrBuildUser(ctx context.Context, i store.Invitation, in contract.Join,
	from Browser,
) (person store.SignInUser, newUserPasswordHash string, err error) {
	person, err = a.findUserOrEmailOnly(ctx, i.Email)
	if err != nil {
		return person, "", err
	}
	if !person.ID.IsZero() {
		wrong := core.Fail(core.CodeUnauthenticated,
			"You already have an account on this server, and this is not its password.").
			WithHint("Enter the password that you use to sign in.")
		return person, "", a.throttleVerifyAndAuditPassword(ctx, person, in.Password, from, wrong)
	}
	if err := a.throttleSignInsFromAddress(ctx, from); err != nil { // hashing a new password costs as much as checking one
		return person, "", err
	}
	u, err := checkAndBuildUser(in.Name, i.Email, in.Password)
	if err != nil {
		return person, "", err
	}
	hash, err := a.passwords.Hash(ctx, in.Password)
	return store.SignInUser{ID: i.ID, Name: u.Name, Email: u.Email, PasswordHash: hash}, hash, err
}
