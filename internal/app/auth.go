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

// Proof returns what a session stores to prove that the person's password has not changed. It is derived from the
// password's hash, so all sessions of a person end when their password changes (SessionCaller).
func Proof(passwordHash string) string {
	sum := sha256.Sum256([]byte("session " + passwordHash))
	return hex.EncodeToString(sum[:16])
}

// touchEvery is the minimum time between two updates of a key's last use.
const touchEvery = time.Minute

// keyCaller returns the caller of a key that was looked up with the result err. Every invalid key gets the same
// unauthenticated error.
func (a *App) keyCaller(ctx context.Context, k store.KeyHolder, err error) (core.Caller, error) {
	if code := core.CodeOf(err); code == core.CodeUnauthenticated {
		return core.Caller{}, err
	}
	if errors.Is(err, store.ErrNotFound) {
		return core.Caller{}, core.Unauthenticated()
	}
	if err != nil {
		return core.Caller{}, fmt.Errorf("look up an API key: %w", err)
	}
	now := a.cfg.Now()
	if since := now.Add(-touchEvery); k.LastUsedAt.Before(since) {
		if err := a.cfg.Store.RecordKeyUse(ctx, k.Key, now, since); err != nil {
			return core.Caller{}, fmt.Errorf("record the use of key %s: %w", k.Key, err)
		}
	}
	return core.NewCaller(core.Credential{
		Workspace: k.Workspace, User: k.User, Kind: core.CredentialKey, Name: k.Name, Role: k.Role, Plan: k.Plan,
		Scope: k.Scope, Via: core.ViaAPI,
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

// SessionCaller returns the caller for a signed-in person in one of their workspaces. It returns unauthenticated if
// the person is no longer a member, or their password has changed since the session began.
func (a *App) SessionCaller(ctx context.Context, s Session) (core.Caller, error) {
	userID, err := core.ParseID[core.UserKind](s.User)
	if err != nil {
		return core.Caller{}, errNotSignedIn()
	}
	workspaceID, err := core.ParseID[core.WorkspaceKind](s.Workspace)
	if err != nil {
		return core.Caller{}, errNotSignedIn()
	}
	m, err := a.cfg.Store.SessionMember(ctx, userID, workspaceID)
	return checkSession(s, m, err)
}

// Visit is a signed-in person in one of their workspaces.
type Visit struct {
	Caller      core.Caller
	Slug        string // of the workspace
	Preferences Preferences
}

// EnterWorkspace returns a signed-in person's visit to the workspace with a slug. If they are not a member of it, they
// visit the workspace that they visited last, or else the one that they joined first. It returns unauthenticated as
// SessionCaller does.
func (a *App) EnterWorkspace(ctx context.Context, s Session, slug string) (Visit, error) {
	user, err := core.ParseID[core.UserKind](s.User)
	if err != nil {
		return Visit{}, errNotSignedIn()
	}
	last, _ := core.ParseID[core.WorkspaceKind](s.Workspace) // unset if there is none
	m, err := a.cfg.Store.SessionMemberAt(ctx, user, slug, last)
	c, err := checkSession(s, m, err)
	return Visit{Caller: c, Slug: m.Slug, Preferences: Preferences{Shortcuts: m.Shortcuts, FirstSteps: m.FirstSteps}}, err
}

// CurrentSlug returns the slug of the workspace that had another slug before, or not_found if the person is not a
// member of such a workspace.
func (a *App) CurrentSlug(ctx context.Context, c core.Caller, former string) (string, error) {
	if _, err := a.enterSession(c, false); err != nil {
		return "", err
	}
	return a.cfg.Store.CurrentWorkspaceSlug(ctx, c.User(), former)
}

// checkSession returns the caller of a session's person, who was looked up with the result err.
func checkSession(s Session, m store.SessionMember, err error) (core.Caller, error) {
	if errors.Is(err, store.ErrNotFound) {
		return core.Caller{}, errNotSignedIn()
	}
	if err != nil {
		return core.Caller{}, fmt.Errorf("look up the person of a session: %w", err)
	}
	if subtle.ConstantTimeCompare([]byte(s.Proof), []byte(Proof(m.PasswordHash))) != 1 {
		return core.Caller{}, errNotSignedIn()
	}
	return sessionCaller(m, s.ProvedAt).WithSession(s.ID), nil
}

// sessionCaller returns the caller of a signed-in person.
func sessionCaller(m store.SessionMember, provedAt time.Time) core.Caller {
	return core.NewCaller(core.Credential{
		Workspace: m.Workspace, User: m.User, Kind: core.CredentialSession, Name: sessionName, Role: m.Role, Plan: m.Plan,
		Scope: core.Write, Via: core.ViaUI, ProvedAt: provedAt,
	})
}

// personCaller returns the caller for a person outside any workspace, for the audit log. This caller has no rights.
func personCaller(user core.UserID) core.Caller {
	return core.NewCaller(core.Credential{User: user, Kind: core.CredentialSession, Name: sessionName})
}

func errNotSignedIn() error {
	return core.Fail(core.CodeUnauthenticated, "You are not signed in.").WithHint("Sign in, then try again.")
}
