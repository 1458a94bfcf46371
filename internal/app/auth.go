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

// SessionProof returns what a session stores to prove that the person's password has not changed. It is derived from the
// password's hash, so all sessions of a person end when their password changes (AuthenticateSession).
func SessionProof(passwordHash string) string {
	sum := sha256.Sum256([]byte("session " + passwordHash))
	return hex.EncodeToString(sum[:16])
}

// touchEvery is the minimum time between two updates of a key's last use.
const touchEvery = time.Minute

// authenticateKey returns the caller of a key that was looked up with the result err. Every invalid key gets the same
// unauthenticated error.
func (a *App) authenticateKey(ctx context.Context, holder store.KeyHolder, lookupErr error) (core.Caller, error) {
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
			return core.Caller{}, fmt.Errorf("record the use of key %s: %w", holder.Key, err)
		}
	}
	return core.NewCaller(core.Credential{
		Workspace: holder.Workspace, User: holder.User, Kind: core.CredentialKey, Name: holder.Name, Role: holder.Role, Plan: holder.Plan,
		Scope: holder.Scope, Via: core.ViaAPI,
	}), nil
}

// sessionName is the name of a browser session's credential in whoami.
const sessionName = "Dashboard"

// Session is what a browser session stores about its person.
type Session struct {
	ID              string    // names the browser's session; a consent that begins in it ends there
	User, Workspace string    // Workspace is the one that they visited last
	Proof           string    // SignedIn.Proof
	ProvedAt        time.Time // when they last gave their password
}

// AuthenticateSession returns the caller for a signed-in person in one of their workspaces. It returns unauthenticated if
// the person is no longer a member, or their password has changed since the session began.
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

// EnterWorkspaceOrLast returns a signed-in person's visit to the workspace with a slug. If they are not a member of it, they
// visit the workspace that they visited last, or else the one that they joined first. It returns unauthenticated as
// AuthenticateSession does.
func (a *App) EnterWorkspaceOrLast(ctx context.Context, s Session, slug string) (Visit, error) {
	user, err := core.ParseID[core.UserKind](s.User)
	if err != nil {
		return Visit{}, errNotSignedIn()
	}
	last, _ := core.ParseID[core.WorkspaceKind](s.Workspace) // unset if there is none
	m, err := a.cfg.Store.SessionMemberAt(ctx, user, slug, last)
	c, err := verifySession(s, m, err)
	return Visit{Caller: c, Slug: m.Slug, Preferences: Preferences{Shortcuts: m.Shortcuts, FirstSteps: m.FirstSteps}}, err
}

// GetCurrentSlug returns the slug of the workspace that had another slug before, or not_found if the person is not a
// member of such a workspace.
func (a *App) GetCurrentSlug(ctx context.Context, c core.Caller, formerSlug string) (string, error) {
	if _, err := a.enterSession(c, false); err != nil {
		return "", err
	}
	return a.cfg.Store.CurrentWorkspaceSlug(ctx, c.User(), formerSlug)
}

// verifySession returns the caller of a session's person, who was looked up with the result err.
func verifySession(s Session, person store.SessionMember, lookupErr error) (core.Caller, error) {
	if errors.Is(lookupErr, store.ErrNotFound) {
		return core.Caller{}, errNotSignedIn()
	}
	if lookupErr != nil {
		return core.Caller{}, fmt.Errorf("look up the person of a session: %w", lookupErr)
	}
	if subtle.ConstantTimeCompare([]byte(s.Proof), []byte(SessionProof(person.PasswordHash))) != 1 {
		return core.Caller{}, errNotSignedIn()
	}
	return newSessionCaller(person, s.ProvedAt).WithSession(s.ID), nil
}

// newSessionCaller returns the caller of a signed-in person.
func newSessionCaller(person store.SessionMember, provedAt time.Time) core.Caller {
	return core.NewCaller(core.Credential{
		Workspace: person.Workspace, User: person.User, Kind: core.CredentialSession, Name: sessionName, Role: person.Role, Plan: person.Plan,
		Scope: core.Write, Via: core.ViaUI, ProvedAt: provedAt,
	})
}

// newAuditActor returns the caller for a person outside any workspace, for the audit log. This caller has no rights.
func newAuditActor(user core.UserID) core.Caller {
	return core.NewCaller(core.Credential{User: user, Kind: core.CredentialSession, Name: sessionName})
}

func errNotSignedIn() error {
	return core.Fail(core.CodeUnauthenticated, "You are not signed in.").WithHint("Sign in, then try again.")
}
