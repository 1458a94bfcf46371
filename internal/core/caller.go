package core

import (
	"errors"
	"time"
)

// Scope is what a credential may do (Spec §5).
type Scope string

// Scopes. Every credential reads; some write too.
const (
	Read  Scope = "read"
	Write Scope = "write"
)

// Via tells through which entry point a post was created (Post.createdVia).
type Via string

// Entry points that create posts.
const (
	ViaUI  Via = "ui"
	ViaAPI Via = "api"
	ViaMCP Via = "mcp"
)

// CredentialKind tells how a caller proved who they are.
type CredentialKind string

// Kinds of credential.
const (
	CredentialKey     CredentialKind = "api_key"
	CredentialSession CredentialKind = "session"
	CredentialWorker  CredentialKind = "worker"
)

// Caller is who asks for an operation, in which workspace and with which rights. Its fields are
// closed: it is made by NewCaller from a proved credential, or by Worker for the service itself. The zero Caller may do
// nothing.
type Caller struct {
	credential Credential
	session    string
}

// Credential is what NewCaller needs to know of a proved key or session.
type Credential struct {
	Workspace WorkspaceID
	User      UserID
	Kind      CredentialKind
	Name      string
	Role      Role
	// Plan is the workspace's at the time of the proof.
	Plan PlanName
	// Scope is the key's; a session has what its role allows.
	Scope Scope
	Via   Via
	// ProvedAt is when a session's person last gave their password.
	ProvedAt time.Time
}

// NewCaller makes a caller of a proved credential.
func NewCaller(c Credential) Caller { return Caller{credential: c} }

// Worker is the service acting on a workspace's behalf at a post's time.
func Worker(ws WorkspaceID) Caller {
	return NewCaller(Credential{Workspace: ws, Kind: CredentialWorker, Role: RoleOwner, Scope: Write})
}

// writes tells whether the scope and the role both allow changes: a key never has more rights than its maker.
func (c Caller) writes() bool { return c.credential.Scope == Write && c.credential.Role.Writes() }

// Workspace tells whose data the caller may see.
func (c Caller) Workspace() WorkspaceID { return c.credential.Workspace }

// User tells who calls are attributed to.
func (c Caller) User() UserID { return c.credential.User }

// Kind tells how the caller proved who they are.
func (c Caller) Kind() CredentialKind { return c.credential.Kind }

// CredentialName is the name of the key or client.
func (c Caller) CredentialName() string { return c.credential.Name }

// Role is the caller's role in the workspace.
func (c Caller) Role() Role { return c.credential.Role }

// Plan is the plan of the workspace when the caller's credential was proved.
func (c Caller) Plan() PlanName { return c.credential.Plan }

// Via tells the entry point that the caller came through.
func (c Caller) Via() Via { return c.credential.Via }

// IsZero tells whether nobody has been recognised.
func (c Caller) IsZero() bool { return c.credential.Workspace.IsZero() }

// IsSession tells whether a signed-in person calls.
func (c Caller) IsSession() bool { return c.credential.Kind == CredentialSession }

// InSession returns the caller with the id of the browser session that they act in.
func (c Caller) InSession(id string) Caller {
	c.session = id
	return c
}

// Session is the id of the caller's browser session, "" without one.
func (c Caller) Session() string { return c.session }

// Scopes lists what the caller may do, as whoami shows it.
func (c Caller) Scopes() []Scope {
	switch {
	case c.IsZero():
		return []Scope{}
	case c.writes():
		return []Scope{Read, Write}
	default:
		return []Scope{Read}
	}
}

// Need returns the error of a caller who lacks the scope, nil when they have it.
func (c Caller) Need(s Scope) error {
	if c.IsZero() {
		return Unauthenticated()
	}
	if s == Write && !c.writes() && c.IsSession() {
		return Fail(CodeInsufficientScope,
			"Your role in this workspace is read-only.").WithHint("Ask an owner or admin for another role.")
	}
	if s == Write && !c.writes() {
		return Fail(CodeInsufficientScope, "This credential is read-only.").
			WithHint("Use an API key with the scope write. A viewer's keys are always read-only.")
	}
	return nil
}

// NeedSession returns the error of a caller who is not a signed-in person with one of the roles that
// manage accounts, keys and members.
func (c Caller) NeedSession(manages bool) error {
	if c.IsZero() {
		return Unauthenticated()
	}
	if !c.IsSession() {
		return Fail(CodeInsufficientScope,
			"This requires a signed-in person, not an API key.").WithHint("Use the dashboard.")
	}
	if manages && !c.credential.Role.Manages() {
		return roleTooLow()
	}
	return nil
}

// ReauthLifetime is how long after giving their password a person may change keys, members and the workspace.
const ReauthLifetime = 10 * time.Minute

// errPasswordNeeded marks the error of NeedPassword.
var errPasswordNeeded = errors.New("the password was last confirmed too long ago")

// NeedPassword returns an error unless the caller's person has given their password lately. PasswordNeeded recognizes
// it.
func (c Caller) NeedPassword(now time.Time) error {
	if now.Sub(c.credential.ProvedAt) < ReauthLifetime {
		return nil
	}
	return Fail(CodeInsufficientScope, "Confirm your password first.").
		WithHint("Sign in again, then repeat the request within %d minutes.", int(ReauthLifetime.Minutes())).Because(errPasswordNeeded)
}

// PasswordNeeded reports whether an error is that of NeedPassword.
func PasswordNeeded(err error) bool { return errors.Is(err, errPasswordNeeded) }

// Unauthenticated is the one answer to a missing, mistyped or revoked credential (Spec §5.5).
func Unauthenticated() *Error {
	return Fail(CodeUnauthenticated, "The API key is mistyped or revoked.").
		WithHint("Send `Authorization: Bearer <API_KEY>` with a key from Settings, API keys.")
}

// Role is a person's part in a workspace (decisions.md, Credentials).
type Role string

// Roles, from most to least.
const (
	RoleOwner  Role = "owner"
	RoleAdmin  Role = "admin"
	RoleEditor Role = "editor"
	RoleViewer Role = "viewer"
)

// Manages tells whether the role may change accounts, keys and members.
func (r Role) Manages() bool { return r == RoleOwner || r == RoleAdmin }

// Writes tells whether the role may change posts and media.
func (r Role) Writes() bool { return r == RoleOwner || r == RoleAdmin || r == RoleEditor }
