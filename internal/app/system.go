package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/store"
)

// The operations in this file are for the operator, who needs no credential. The command line calls them.

// CreateWorkspaceWithOwner creates a workspace with its owner. If a person with the email address exists, they become
// the owner and keep their name and password. The result is that of a sign-in by the owner, without a device.
func (a *App) CreateWorkspaceWithOwner(ctx context.Context, in contract.CreateWorkspace) (SignedIn, error) {
	if in.TZ == "" {
		in.TZ = "UTC"
	}
	w, err := a.checkAndBuildWorkspace(in, "name")
	if err != nil {
		return SignedIn{}, err
	}
	email, err := checkAndTrimEmail("owner-email", in.OwnerEmail)
	if err != nil {
		return SignedIn{}, err
	}
	owner, err := a.findUserOrEmailOnly(ctx, email)
	if err != nil {
		return SignedIn{}, err
	}
	known := !owner.ID.IsZero()
	if !known {
		if owner, err = a.newOwnerWithPasswordHash(ctx, in); err != nil {
			return SignedIn{}, err
		}
	}
	err = a.cfg.Store.Tx(ctx, func(s *store.Store) error {
		if !known {
			u := core.User{ID: owner.ID, Name: owner.Name, Email: owner.Email}
			if err := s.AddUser(ctx, u, owner.PasswordHash, a.cfg.Now()); err != nil {
				return err
			}
		}
		w, err = a.addWorkspaceWithOwner(ctx, s, w, owner.ID, core.Caller{})
		return err
	})
	if err != nil {
		return SignedIn{}, fmt.Errorf("create a workspace: %w", err)
	}
	return SignedIn{
		User: owner.ID, Name: owner.Name, Workspace: w.ID, Slug: w.Slug, Proof: SessionProof(owner.PasswordHash),
	}, nil
}

// newOwnerWithPasswordHash checks the details of the new owner in the request, and returns the person without storing
// them.
func (a *App) newOwnerWithPasswordHash(ctx context.Context, in contract.CreateWorkspace) (store.SignInUser, error) {
	name := in.OwnerName
	if name == "" {
		name, _, _ = strings.Cut(strings.TrimSpace(in.OwnerEmail), "@")
	}
	if err := checkName("owner-name", "The owner's name", name); err != nil {
		return store.SignInUser{}, err
	}
	u, err := checkAndBuildUser(name, in.OwnerEmail, in.Password)
	if err != nil {
		return store.SignInUser{}, err
	}
	hash, err := a.passwords.Hash(ctx, in.Password)
	return store.SignInUser{ID: u.ID, Name: u.Name, Email: u.Email, PasswordHash: hash}, err
}

// SetWorkspacePlan changes the plan of the workspace with a slug or id.
func (a *App) SetWorkspacePlan(ctx context.Context, slugOrID string, plan core.PlanName) error {
	if _, ok := a.cfg.Plans[plan]; !ok {
		return a.errUnknownPlan(plan)
	}
	w, err := a.getWorkspaceBySlugOrID(ctx, slugOrID)
	if err != nil {
		return err
	}
	return a.cfg.Store.Tx(ctx, func(s *store.Store) error {
		if err := s.SetWorkspacePlan(ctx, w.ID, plan); err != nil {
			return err
		}
		return s.AddAuditEntry(ctx, core.AuditEntry{
			Action: core.AuditPlanChanged, Workspace: w.ID,
			Before: map[string]core.PlanName{"plan": w.Plan}, After: map[string]core.PlanName{"plan": plan},
		})
	})
}

func (a *App) errUnknownPlan(name core.PlanName) error {
	return core.Invalid("plan", "There is no subscription plan %q. The subscription plans are %s.", name, a.cfg.Plans.JoinNames())
}

// ListAllWorkspaces lists all workspaces, oldest first.
func (a *App) ListAllWorkspaces(ctx context.Context) ([]core.Workspace, error) {
	return a.cfg.Store.AllWorkspaces(ctx)
}

// FindFirstOwnerEmail returns the email address of the owner with the oldest membership on this server, or "" if there
// is no workspace.
func (a *App) FindFirstOwnerEmail(ctx context.Context) (emailOrEmpty string, err error) {
	email, err := a.cfg.Store.OldestOwnerEmail(ctx)
	if errors.Is(err, store.ErrNotFound) {
		return "", nil
	}
	return email, err
}

// BackdateIfLiveOrFailed moves a live or failed post and its timeline into the past, as if the post had been scheduled
// a day before the given time, and published at that time. It is for demo posts, and does not change posts in other
// states.
func (a *App) BackdateIfLiveOrFailed(ctx context.Context, c core.Caller, id string, at time.Time) error {
	t, post, err := a.authorizeReadAndLoadPost(ctx, c, id)
	if err != nil {
		return err
	}
	return t.BackdateIfLiveOrFailed(ctx, post.ID, post.PublishAt.Sub(at), 24*time.Hour)
}

// BackdateWorkspaceAndUpdateFacts makes the workspace and what it contains older than its first post, and asks the
// networks for new facts of all accounts. It is for demo workspaces, whose posts have been backdated.
func (a *App) BackdateWorkspaceAndUpdateFacts(ctx context.Context, c core.Caller) error {
	t, err := a.authorize(c, core.Write)
	if err != nil {
		return err
	}
	if err := t.BackdateWorkspaceBeforePosts(ctx); err != nil {
		return err
	}
	accounts, err := t.ConnectedAccounts(ctx)
	if err != nil {
		return err
	}
	err = t.Tx(ctx, func(t store.Tenant) error { return a.enqueueStaleFactsChecks(ctx, t, accounts, 0) })
	for _, account := range accounts {
		if err == nil {
			err = a.CheckAndUpdateDueAccount(ctx, t.WorkspaceID(), account.ID)
		}
	}
	return err
}

// getWorkspaceBySlugOrID returns a workspace, or not_found with a hint for the operator.
func (a *App) getWorkspaceBySlugOrID(ctx context.Context, slugOrID string) (core.Workspace, error) {
	w, err := a.cfg.Store.WorkspaceBySlugOrID(ctx, slugOrID)
	if errors.Is(err, store.ErrNotFound) {
		return w, core.Fail(core.CodeNotFound, "There is no workspace %q.", slugOrID).
			WithHint("Use a short name or an ID. `belfry workspace list` shows both.")
	}
	return w, err
}

// CreateKeyForFirstOwner creates an API key that acts on behalf of the owner who joined the workspace first.
func (a *App) CreateKeyForFirstOwner(ctx context.Context, slugOrID, name string,
	scope core.Scope,
) (contract.Key, error) {
	w, err := a.getWorkspaceBySlugOrID(ctx, slugOrID)
	if err != nil {
		return contract.Key{}, err
	}
	owner, err := a.cfg.Store.OldestOwnerOfWorkspace(ctx, w.ID)
	if err != nil {
		return contract.Key{}, fmt.Errorf("find the first owner of %s: %w", w.Slug, err)
	}
	m, err := a.cfg.Store.SessionMember(ctx, owner, w.ID)
	if err != nil {
		return contract.Key{}, fmt.Errorf("read the first owner of %s: %w", w.Slug, err)
	}
	return a.CreateKey(ctx, newSessionCaller(m, a.cfg.Now()), contract.CreateKey{Name: name, Scope: string(scope)})
}

// SetUserPassword replaces the password of the person with an email address. It ends all of their sessions and
// resets their limit on sign-in attempts.
func (a *App) SetUserPassword(ctx context.Context, email, password string) error {
	user, err := a.findUserOrEmailOnly(ctx, email)
	if err != nil {
		return err
	}
	if user.ID.IsZero() {
		return core.Fail(core.CodeNotFound, "Nobody on this server has the email address %s.", email).WithHint("Check the spelling.")
	}
	if err := checkNewPassword(password); err != nil {
		return err
	}
	hash, err := a.passwords.Hash(ctx, password)
	if err != nil {
		return err
	}
	err = a.cfg.Store.Tx(ctx, func(s *store.Store) error {
		if err := s.SetPasswordHash(ctx, user.ID, hash); err != nil {
			return err
		}
		return s.AddAuditEntry(ctx, core.AuditEntry{Action: core.AuditPasswordSet, Subject: user.ID.String()})
	})
	if err != nil {
		return fmt.Errorf("store a password: %w", err)
	}
	return a.cfg.Store.ResetThrottle(ctx, accountBucketName(user.Email))
}
