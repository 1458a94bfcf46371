package app

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/store"
)

// SignedIn is a person who has just proved who they are, and the workspace they find first.
type SignedIn struct {
	User      core.UserID
	Name      string
	Workspace core.WorkspaceID
	Slug      string
	// Proof stands in the session and goes out of date with the password.
	Proof string
}

// Proof is what a session keeps of the password that began it, made from the password's hash: with another
// password it is another.
func Proof(passwordHash string) string {
	sum := sha256.Sum256([]byte("session " + passwordHash))
	return hex.EncodeToString(sum[:16])
}

// touchEvery is how often at most the last use of a key is written.
const touchEvery = time.Minute

// recognise turns a key that was looked up into its caller. Anything but a key that is valid right now is
// unauthenticated, in one answer.
func (a *App) recognise(ctx context.Context, k store.KeyHolder, err error) (core.Caller, error) {
	if code := core.CodeOf(err); code == core.CodeUnauthenticated {
		return core.Caller{}, err
	}
	if core.CodeOf(err) == core.CodeNotFound {
		return core.Caller{}, core.Unauthenticated()
	}
	if err != nil {
		return core.Caller{}, fmt.Errorf("look up an API key: %w", err)
	}
	now := a.cfg.Now()
	if since := now.Add(-touchEvery); k.LastUsedAt.Before(since) {
		if err := a.cfg.Store.TouchKey(ctx, k.Key, now, since); err != nil {
			return core.Caller{}, fmt.Errorf("note the use of key %s: %w", k.Key, err)
		}
	}
	return core.NewCaller(core.Credential{
		Workspace: k.Workspace, User: k.User, Kind: core.CredentialKey, Name: k.Name, Role: k.Role, Plan: k.Plan,
		Scope: k.Scope, Via: core.ViaAPI,
	}), nil
}

// sessionName is what whoami calls the credential of a signed-in browser.
const sessionName = "Dashboard"

// SessionCaller is the caller of a person whose session was proved, in one of their workspaces. Someone who
// is no longer a member, or has another password since the session began, is unauthenticated.
func (a *App) SessionCaller(ctx context.Context, user, workspace, proof string) (core.Caller, error) {
	userID, err := core.ParseID[core.UserKind](user)
	if err != nil {
		return core.Caller{}, signInFirst()
	}
	workspaceID, err := core.ParseID[core.WorkspaceKind](workspace)
	if err != nil {
		return core.Caller{}, signInFirst()
	}
	m, err := a.member(ctx, userID, workspaceID)
	if err == nil && subtle.ConstantTimeCompare([]byte(proof), []byte(Proof(m.PasswordHash))) != 1 {
		err = signInFirst()
	}
	if err != nil {
		return core.Caller{}, err
	}
	return sessionCaller(m), nil
}

func (a *App) member(ctx context.Context, user core.UserID, workspace core.WorkspaceID) (store.Person, error) {
	m, err := a.cfg.Store.Member(ctx, user, workspace)
	if core.CodeOf(err) == core.CodeNotFound {
		return m, signInFirst()
	}
	if err != nil {
		return m, fmt.Errorf("look up a session's person: %w", err)
	}
	return m, nil
}

func sessionCaller(m store.Person) core.Caller {
	return core.NewCaller(core.Credential{
		Workspace: m.Workspace, User: m.User, Kind: core.CredentialSession, Name: sessionName, Role: m.Role, Plan: m.Plan,
		Scope: core.Write, Via: core.ViaUI,
	})
}

func signInFirst() error {
	return core.Fail(core.CodeUnauthenticated, "You are not signed in.").WithHint("Sign in, then try again.")
}

// Throttles of signing in: so many tries at once, then one per interval. A success forgives the account,
// never the address, or an account of one's own would buy more tries at others.
const (
	addressTries    = 20
	addressInterval = 10 * time.Second
	accountTries    = 10
	accountInterval = 30 * time.Second
)

// SignIn proves a person by e-mail address and password. An unknown address and a wrong password get the
// same answer after the same time.
func (a *App) SignIn(ctx context.Context, in contract.SignIn, addressKey string) (SignedIn, error) {
	email := strings.TrimSpace(in.Email)
	if err := a.throttleSignIn(ctx, email, addressKey); err != nil {
		return SignedIn{}, err
	}
	user, err := a.cfg.Store.UserByEmail(ctx, email)
	if core.CodeOf(err) == core.CodeNotFound {
		if err := a.passwords.Dummy(ctx, in.Password); err != nil {
			return SignedIn{}, err
		}
		return SignedIn{}, wrongPassword()
	}
	if err != nil {
		return SignedIn{}, fmt.Errorf("look up a person who signs in: %w", err)
	}
	if err := a.prove(ctx, user, in.Password, wrongPassword()); err != nil {
		return SignedIn{}, err
	}
	return a.arrive(ctx, user)
}

// throttleSignIn counts a try to prove who has an e-mail address.
func (a *App) throttleSignIn(ctx context.Context, email, addressKey string) error {
	if err := a.throttle(ctx, "sign-in/address/"+addressKey, addressTries, addressInterval); err != nil {
		return err
	}
	return a.throttle(ctx, accountKey(email), accountTries, accountInterval)
}

// prove returns the error wrong unless the password is the person's; then failed tries are forgiven.
func (a *App) prove(ctx context.Context, user store.SignInUser, password string, wrong error) error {
	right, err := a.passwords.Verify(ctx, user.PasswordHash, password)
	if err != nil {
		return err
	}
	if !right {
		return wrong
	}
	if err := a.cfg.Store.Forgive(ctx, accountKey(user.Email)); err != nil {
		return fmt.Errorf("forget failed tries to sign in: %w", err)
	}
	return nil
}

// arrive finds the workspace a person sees first.
func (a *App) arrive(ctx context.Context, user store.SignInUser) (SignedIn, error) {
	list, err := a.cfg.Store.Memberships(ctx, user.ID)
	if err != nil {
		return SignedIn{}, fmt.Errorf("list workspaces of %s: %w", user.ID, err)
	}
	if len(list) == 0 {
		return SignedIn{}, core.Fail(core.CodeInsufficientScope, "You are not a member of any workspace.").
			WithHint("Ask an owner or admin to add you.")
	}
	return SignedIn{User: user.ID, Name: user.Name, Workspace: list[0].ID, Slug: list[0].Slug, Proof: Proof(user.PasswordHash)}, nil
}

func wrongPassword() error {
	return core.Fail(core.CodeUnauthenticated, "The e-mail address or the password is wrong.").WithHint("Check both and try again.")
}

// accountKey names an account in the throttle, known or not, without writing anybody's address there.
func accountKey(email string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(email)))
	return "sign-in/account/" + hex.EncodeToString(sum[:])
}

func (a *App) throttle(ctx context.Context, key string, tries int, interval time.Duration) error {
	wait, err := a.cfg.Store.Throttle(ctx, key, tries, interval)
	if err != nil {
		return fmt.Errorf("throttle signing in: %w", err)
	}
	if wait > 0 {
		a.cfg.Metrics.RateLimited(policySignIn)
		return rateLimited(wait, "Too many tries to sign in.", "Wait a little, then try again.")
	}
	return nil
}
