package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/secret"
	"belfry/internal/store"
)

const (
	// inviteFor is how long an invitation's link works.
	inviteFor = 7 * 24 * time.Hour

	inviteBytes       = 32 // 256 bit
	purposeInvitation = "invitation"
)

// InviteMember makes an invitation and answers its link for the only time. Whether the person exists in the service
// changes nothing of the answer. Who is invited already gets a new link in place of the old one; for who has joined it
// is a conflict. The plan's members are counted with the invited ones.
func (a *App) InviteMember(ctx context.Context, c core.Caller, in contract.InviteMember) (contract.Member, error) {
	t, err := a.enterSession(c, true)
	if err != nil {
		return contract.Member{}, err
	}
	want, err := invitee(in)
	if err != nil {
		return contract.Member{}, err
	}
	want.CreatedAt = a.cfg.Now().UTC().Truncate(time.Microsecond)
	want.InvitedUntil = want.CreatedAt.Add(inviteFor)
	token := secret.Random(inviteBytes)
	hash := secret.Hash(purposeInvitation, token)
	err = t.Tx(ctx, func(t store.Tenant) error {
		by, err := lockMembers(ctx, t, c)
		if err != nil {
			return err
		}
		before, err := t.FindMemberByEmail(ctx, want.Email)
		switch {
		case err == nil && !before.Invited():
			return core.Fail(core.CodeConflict, "%s is a member already.", before.Email).WithHint("Change their role instead.")
		case err == nil:
			want.ID, want.CreatedAt = before.ID, before.CreatedAt
		case core.CodeOf(err) != core.CodeNotFound:
			return err
		}
		if err := by.MaySet(before.Role, want.Role); err != nil {
			return err
		}
		if err := a.roomForInvited(ctx, t, before.InvitedUntil.After(a.cfg.Now())); err != nil {
			return err
		}
		return t.Invite(ctx, want, hash[:])
	})
	if err != nil {
		return contract.Member{}, err
	}
	out := contract.MemberOf(want)
	out.InviteURL = a.cfg.PublicURL + "/invitations/" + token
	return out, nil
}

// invitee reads whom an invitation is for.
func invitee(in contract.InviteMember) (m core.Member, err error) {
	m = core.Member{ID: core.NewID[core.UserKind](), Name: in.Name}
	if m.Email, err = checkEmail("email", in.Email); err != nil {
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

// roomForInvited refuses one more, or one whose invitation still works and is made anew where the plan has grown too small.
func (a *App) roomForInvited(ctx context.Context, t store.Tenant, anew bool) error {
	n, err := t.CountMembers(ctx, a.cfg.Now())
	if err != nil {
		return err
	}
	others := n.Joined + n.Invited
	if anew {
		others--
	}
	return a.roomForMember(ctx, t, others, n, "Remove a member or an invitation, or change the plan.")
}

// roomForMember refuses a member beside the others; hint says what to do then.
func (a *App) roomForMember(ctx context.Context, t store.Tenant, others int64, n store.MemberCount, hint string) error {
	_, plan, err := a.plan(ctx, t)
	if err != nil || plan.Members == nil || others < *plan.Members {
		return err
	}
	return core.OverQuota("members", n.Joined+n.Invited, *plan.Members).WithHint("%s", hint)
}

// Invitation is what the page of an invitation's link shows.
type Invitation struct{ Workspace, Email, Name string }

// Invitation finds the invitation of a link. One that is expired, used, replaced or unknown is not_found.
func (a *App) Invitation(ctx context.Context, token string) (Invitation, error) {
	i, _, err := a.invitation(ctx, token)
	return Invitation{Workspace: i.WorkspaceName, Email: i.Email, Name: i.Name}, err
}

func (a *App) invitation(ctx context.Context, token string) (store.Invitation, []byte, error) {
	hash := secret.Hash(purposeInvitation, token)
	i, err := a.cfg.Store.Invitation(ctx, hash[:], a.cfg.Now())
	if err != nil && core.CodeOf(err) != core.CodeNotFound {
		err = fmt.Errorf("look up an invitation: %w", err)
	}
	return i, hash[:], err
}

// Join uses an invitation up: the person, who is new or proves themselves by their password, is a member from then on.
// Tries are throttled as those of signing in. Of several at once one joins. A plan that has grown too small for
// another member is quota_exceeded.
func (a *App) Join(ctx context.Context, token string, in contract.Join, addressKey string) (SignedIn, error) {
	i, hash, err := a.invitation(ctx, token)
	if err != nil {
		return SignedIn{}, err
	}
	if err := a.throttleSignIn(ctx, i.Email, addressKey); err != nil {
		return SignedIn{}, err
	}
	person, known, err := a.joining(ctx, i, in)
	if err != nil {
		return SignedIn{}, err
	}
	newHash := person.PasswordHash
	if known {
		newHash = ""
	}
	w := core.Workspace{}
	err = a.enterInvited(i).Tx(ctx, func(t store.Tenant) error {
		if err := t.LockWorkspace(ctx); err != nil {
			return err
		}
		n, err := t.CountMembers(ctx, a.cfg.Now())
		if err != nil {
			return err
		}
		role, err := t.TakeInvitation(ctx, hash, a.cfg.Now())
		if err != nil {
			return err
		}
		if err := a.roomForMember(ctx, t, n.Joined, n, "Ask the person who invited you to make room."); err != nil {
			return err
		}
		if w, err = t.Workspace(ctx); err != nil {
			return err
		}
		return t.Join(ctx, core.User{ID: person.ID, Name: person.Name, Email: person.Email}, newHash, role, a.cfg.Now())
	})
	if core.CodeOf(err) == core.CodeConflict { // invited to two workspaces, and joined both at once
		return SignedIn{}, core.Fail(core.CodeConflict, "Somebody with this e-mail address has just joined this server.").
			WithHint("Send the form again, with the password that was chosen there.")
	}
	if err != nil {
		return SignedIn{}, fmt.Errorf("join %s: %w", i.Workspace, err)
	}
	return SignedIn{User: person.ID, Name: person.Name, Workspace: w.ID, Slug: w.Slug, Proof: Proof(person.PasswordHash)}, nil
}

// joining is the person that an invitation is for: one who is known and has given their password, or a new one.
func (a *App) joining(ctx context.Context, i store.Invitation, in contract.Join) (person store.SignInUser, known bool, err error) {
	person, err = a.cfg.Store.UserByEmail(ctx, i.Email)
	if err == nil {
		wrong := core.Fail(core.CodeUnauthenticated, "This e-mail address has an account on this server already, and that is not its password.").
			WithHint("Give the password that you sign in with.")
		return person, true, a.prove(ctx, person, in.Password, wrong)
	}
	if core.CodeOf(err) != core.CodeNotFound {
		return person, false, fmt.Errorf("look up a person who joins: %w", err)
	}
	u, err := newUser(in.Name, i.Email, in.Password)
	if err != nil {
		return person, false, err
	}
	hash, err := a.passwords.Hash(ctx, in.Password)
	return store.SignInUser{ID: i.ID, Name: u.Name, Email: u.Email, PasswordHash: hash}, false, err
}
