package app

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"belfry/internal/core"
	"belfry/internal/store"
)

// SessionProof returns the value that a session stores as proof that the person's password has not changed. It is
// derived from the password hash, so changing the password ends all of the person's sessions (see
// AuthenticateSession).
func SessionProof(passwordHash string) string {
	sum := sha256.Sum256([]byte("session " + passwordHash))
	return hex.EncodeToString(sum[:16])
}

// touchEvery is the minimum time between two updates of a key's last use.
const touchEvery = time.Minute

// authenticateAndRecordKeyUse returns the caller for the holder of an API key, and records the use of the key.
// lookupErr is the error from looking up the key. All invalid keys get the same unauthenticated error.
func (a *App) authenticateAndRecordKeyUse(ctx context.Context, holder store.KeyHolder,
	lookupErr error,
) (core.Caller, error) {
	if code := core.CodeOf(lookupErr); code == core.CodeUnauthenticated {
		return core.Caller{}, lookupErr
	}
	if errors.Is(lookupErr, store.ErrNotFound) {
		return core.Caller{}, core.Unauthenticated()
	}
	if lookupErr != nil {
		return core.Caller{}, fmt.Errorf("look up an API key: %w", lookupErr)
	}
	now := a.cfg.Now()
	if since := now.Add(-touchEvery); holder.LastUsedAt.Before(since) {
		if err := a.cfg.Store.RecordKeyUse(ctx, holder.Key, now, since); err != nil {
			return core.Caller{}, fmt.Errorf("record the use of API key %s: %w", holder.Key, err)
		}
	}
	return core.NewCaller(core.Credential{
		Workspace: holder.Workspace, User: holder.User, Kind: core.CredentialKey, Name: holder.Name, Role: holder.Role,
		Plan: holder.Plan, Scope: holder.Scope, Via: core.ViaAPI,
	}), nil
}

// sessionName is the name of a browser session's credential in whoami.
const sessionName = "Dashboard"

// Session is the data that a browser session stores about the signed-in person.
type Session struct {
	ID              string    // identifies the browser session: a consent must end in the session in which it began
	User, Workspace string    // ids; Workspace is the one visited last
	Proof           string    // SignedIn.Proof
	ProvedAt        time.Time // when the person last entered their password
}

// AuthenticateSession returns the caller for a session's person in the session's workspace. It returns unauthenticated
// if the person is no longer a member, or if their password has changed since the session began.
func (a *App) AuthenticateSession(ctx context.Context, s Session) (core.Caller, error) {
	userID, err := core.ParseID[core.UserKind](s.User)
	if err != nil {
		return core.Caller{}, errNotSignedIn()
	}
	workspaceID, err := core.ParseID[core.WorkspaceKind](s.Workspace)
	if err != nil {
		return core.Caller{}, errNotSignedIn()
	}
	m, err := a.cfg.Store.SessionMember(ctx, userID, workspaceID)
	return verifySession(s, m, err)
}

// Visit is a signed-in person in one of their workspaces.
type Visit struct {
	Caller      core.Caller
	Slug        string // of the workspace
	Preferences Preferences
}

// AuthenticateInWorkspaceOrLast authenticates a session and returns the person's visit to the workspace with the slug.
// If they are not a member of that workspace, it returns a visit to the one that they visited last, or else to the one
// that they joined first. It returns unauthenticated under the same conditions as AuthenticateSession.
func (a *App) AuthenticateInWorkspaceOrLast(ctx context.Context, s Session, slug string) (Visit, error) {
	user, err := core.ParseID[core.UserKind](s.User)
	if err != nil {
		return Visit{}, errNotSignedIn()
	}
	if checkSlug(slug) != nil { // no workspace has it
		slug = ""
	}
	last, _ := core.ParseID[core.WorkspaceKind](s.Workspace) // zero if there is none
	m, err := a.cfg.Store.SessionMemberBySlugOrLast(ctx, user, slug, last)
	c, err := verifySession(s, m, err)
	return Visit{Caller: c, Slug: m.Slug, Preferences: Preferences{Shortcuts: m.Shortcuts, FirstSteps: m.FirstSteps}}, err
}

// ResolveFormerWorkspaceSlug returns the present slug of the workspace that once had the former slug. It returns
// not_found if the person is not a member of such a workspace.
func (a *App) ResolveFormerWorkspaceSlug(ctx context.Context, c core.Caller, formerSlug string,
) (presentSlug string, err error) {
	if _, err := a.authorizeSession(c); err != nil {
		return "", err
	}
	if checkSlug(formerSlug) != nil {
		return "", core.NotFound()
	}
	return a.cfg.Store.CurrentWorkspaceSlug(ctx, c.AttributedUser(), formerSlug)
}

// verifySession returns the caller for a session whose proof matches the person's password. lookupErr is the error
// from looking up the person.
func verifySession(s Session, person store.SessionMember, lookupErr error) (core.Caller, error) {
	if errors.Is(lookupErr, store.ErrNotFound) {
		return core.Caller{}, errNotSignedIn()
	}
	if lookupErr != nil {
		return core.Caller{}, fmt.Errorf("look up the person who is signed in: %w", lookupErr)
	}
	if subtle.ConstantTimeCompare([]byte(s.Proof), []byte(SessionProof(person.PasswordHash))) != 1 {
		return core.Caller{}, errNotSignedIn()
	}
	return newSessionCaller(person, s.ProvedAt).WithSessionID(s.ID), nil
}

// newSessionCaller returns the caller of a signed-in person.
func newSessionCaller(person store.SessionMember, provedAt time.Time) core.Caller {
	return core.NewCaller(core.Credential{
		Workspace: person.Workspace, User: person.User, Kind: core.CredentialSession, Name: sessionName, Role: person.Role,
		Plan: person.Plan, Scope: core.Write, Via: core.ViaUI, ProvedAt: provedAt,
	})
}

// newAuditActor returns a caller that identifies a person in the audit log. It belongs to no workspace and has no
// rights.
func newAuditActor(user core.UserID) core.Caller {
	return core.NewCaller(core.Credential{User: user, Kind: core.CredentialSession, Name: sessionName})
}

func errNotSignedIn() error {
	return core.Fail(core.CodeUnauthenticated, "You are not signed in.").WithHint("Sign in, then try again.")
}
