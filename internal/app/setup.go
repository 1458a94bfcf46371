package app

import (
	"context"
	"errors"
	"fmt"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/store"
)

// NeedsSetUp reports whether the server has no workspace yet.
func (a *App) NeedsSetUp(ctx context.Context) (bool, error) {
	exists, err := a.cfg.Store.HasAnyWorkspace(ctx)
	return !exists, err
}

func errAlreadySetUp() error {
	return core.Fail(core.CodeConflict, "This server is already set up.").WithHint("Sign in instead.")
}

// SetUpServer creates the first workspace with its owner, and signs the owner in. Of several concurrent requests,
// exactly one succeeds; the others get conflict. The error joins one core.Error for each invalid field.
func (a *App) SetUpServer(ctx context.Context, in contract.SetUp, from Browser) (SignedIn, error) {
	open, err := a.NeedsSetUp(ctx)
	if err != nil {
		return SignedIn{}, err
	}
	if !open {
		return SignedIn{}, errAlreadySetUp()
	}
	w, wrongWorkspace := a.checkAndBuildWorkspace(contract.CreateWorkspace{Name: in.Workspace, TZ: in.TZ}, "workspace")
	u, wrongUser := checkAndBuildUser(in.Name, in.Email, in.Password)
	if err := errors.Join(wrongWorkspace, wrongUser); err != nil {
		return SignedIn{}, err
	}
	hash, err := a.passwords.Hash(ctx, in.Password)
	if err != nil {
		return SignedIn{}, err
	}
	err = a.cfg.Store.Tx(ctx, func(s *store.Store) error {
		if err := s.LockSetUp(ctx); err != nil {
			return err
		}
		exists, err := s.HasAnyWorkspace(ctx)
		if err != nil {
			return err
		}
		if exists {
			return errAlreadySetUp()
		}
		if err := s.AddUser(ctx, u, hash, a.cfg.Now()); err != nil {
			return err
		}
		w, err = a.addWorkspaceWithOwner(ctx, s, w, u.ID, newAuditActor(u.ID))
		return err
	})
	if err != nil {
		return SignedIn{}, fmt.Errorf("set up: %w", err)
	}
	owner := store.SignInUser{ID: u.ID, Name: u.Name, Email: u.Email, PasswordHash: hash}
	return a.rememberDeviceAndAuditSignIn(ctx, owner, w, from)
}

// addWorkspaceWithOwner stores a workspace with its owner. If the workspace has no slug, it derives one from the name,
// with a number if the slug is taken. It returns conflict if a given slug is taken.
func (a *App) addWorkspaceWithOwner(ctx context.Context, s *store.Store, w core.Workspace, owner core.UserID,
	actor core.Caller,
) (core.Workspace, error) {
	made := w.Slug == ""
	base := slugifyOrDefault(w.Name)
	for n := 1; ; n++ {
		if made {
			w.Slug = numberedSlug(base, n)
		}
		added, err := s.AddWorkspace(ctx, w, a.cfg.Now())
		switch {
		case err != nil:
			return w, err
		case added:
			if err := s.AddMember(ctx, w.ID, owner, core.RoleOwner, a.cfg.Now()); err != nil {
				return w, err
			}
			return w, s.AddAuditEntry(ctx, core.AuditEntry{
				Action: core.AuditWorkspaceCreated, Actor: actor, Workspace: w.ID,
				After: map[string]string{"owner": owner.String()},
			})
		case !made:
			return w, core.Fail(core.CodeConflict, "Another workspace has or had the short name %q.", w.Slug).WithHint("Choose a different short name.")
		}
	}
}

// checkAndBuildWorkspace checks the fields of a new workspace and returns the workspace, without storing it.
// nameFieldPath is the path of the name in the request.
func (a *App) checkAndBuildWorkspace(in contract.CreateWorkspace, nameFieldPath string) (core.Workspace, error) {
	w := core.Workspace{
		ID: core.NewID[core.WorkspaceKind](), Name: in.Name, Slug: in.Slug, Plan: in.Plan,
		Currency: currency,
	}
	if in.Slug != "" {
		if err := checkSlug(in.Slug); err != nil {
			return w, err
		}
	}
	if w.Plan == "" {
		w.Plan = core.PlanOwner
	}
	if _, ok := a.cfg.Plans[w.Plan]; !ok {
		return w, a.errUnknownPlan(w.Plan)
	}
	var wrongZone error
	w.Zone, wrongZone = parseZone(in.TZ)
	return w, errors.Join(checkName(nameFieldPath, "The workspace's name", in.Name), wrongZone)
}

// parseZone returns the time zone with an IANA name, or invalid_request if there is none.
func parseZone(tz string) (core.Zone, error) {
	zone, err := core.ParseZone(tz)
	if err != nil {
		return zone, core.Invalid("tz", "%q is not a time zone. Use a name such as Europe/Berlin.", tz)
	}
	return zone, nil
}

// currency is the currency of a new workspace.
const currency = "USD"

// checkAndBuildUser checks the details of a new person, including the password, and returns the person without a
// password. It stores nothing. The error joins all mistakes.
func checkAndBuildUser(name, email, password string) (withoutPassword core.User, err error) {
	u := core.User{ID: core.NewID[core.UserKind](), Name: name}
	var wrongEmail error
	u.Email, wrongEmail = checkAndTrimEmail("email", email)
	return u, errors.Join(checkName("name", "The name", name), wrongEmail, checkNewPassword(password))
}
