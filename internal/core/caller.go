package core

import (
	"errors"
	"time"
)

// Scope is what a credential allows (Spec §5).
type Scope string

// Scopes. Every credential can read; some can also write.
const (
	Read  Scope = "read"
	Write Scope = "write"
)

// Via is the entry point through which a post was created (Post.createdVia).
type Via string

// Entry points that create posts.
const (
	ViaUI  Via = "ui"
	ViaAPI Via = "api"
	ViaMCP Via = "mcp"
)

// CredentialKind is how a caller was authenticated.
type CredentialKind string

// Kinds of credential.
const (
	CredentialKey     CredentialKind = "api_key"
	CredentialSession CredentialKind = "session"
	CredentialWorker  CredentialKind = "worker"
)

// Caller identifies who calls an operation, in which workspace and with which rights. NewCaller creates a Caller from a
// verified credential; NewWorkerCaller creates one for the service itself. The zero Caller has no rights.
type Caller struct {
	credential Credential
	session    string
}

// Credential is what NewCaller needs to know about a verified key or session.
type Credential struct {
	Workspace WorkspaceID
	User      UserID
	Kind      CredentialKind
	Name      string
	Role      Role
	// Plan is the workspace's plan as it was when the credential was verified.
	Plan PlanName
	// Scope is the key's scope; the rights of a session depend on its role.
	Scope Scope
	Via   Via
	// ProvedAt is when the session's person last entered their password.
	ProvedAt time.Time
}

// NewCaller returns the caller of a verified credential. A key never has more rights than its creator.
func NewCaller(verified Credential) Caller { return Caller{credential: verified} }

// NewWorkerCaller returns a Caller for the service itself, which works for a workspace without a person.
func NewWorkerCaller(ws WorkspaceID) Caller {
	return NewCaller(Credential{Workspace: ws, Kind: CredentialWorker, Role: RoleOwner, Scope: Write})
}

// canWrite reports whether both the scope and the role allow changes. A key never has more rights than its creator.
func (c Caller) canWrite() bool { return c.credential.Scope == Write && c.credential.Role.CanWrite() }

// Workspace returns the workspace whose data the caller can access.
func (c Caller) Workspace() WorkspaceID { return c.credential.Workspace }

// AttributedUser returns the signed-in person or, for an API key, the key's creator. It is zero for the service itself.
func (c Caller) AttributedUser() UserID { return c.credential.User }

// Kind returns how the caller was authenticated.
func (c Caller) Kind() CredentialKind { return c.credential.Kind }

// CredentialName returns the name of the key or client.
func (c Caller) CredentialName() string { return c.credential.Name }

// Role returns the caller's role in the workspace.
func (c Caller) Role() Role { return c.credential.Role }

// Plan returns the workspace's plan as it was when the credential was verified.
func (c Caller) Plan() PlanName { return c.credential.Plan }

// Via returns the entry point of the call.
func (c Caller) Via() Via { return c.credential.Via }

// IsZero reports whether there is no caller.
func (c Caller) IsZero() bool { return c.credential.Workspace.IsZero() }

// IsSession reports whether the caller is a signed-in person.
func (c Caller) IsSession() bool { return c.credential.Kind == CredentialSession }

// WithSessionID returns a copy of the caller with the id of their browser session.
func (c Caller) WithSessionID(id string) Caller {
	c.session = id
	return c
}

// SessionID returns the id of the caller's browser session, or "" if there is none.
func (c Caller) SessionID() (idOrEmpty string) { return c.session }

// Scopes returns the caller's scopes, as whoami shows them.
func (c Caller) Scopes() []Scope {
	switch {
	case c.IsZero():
		return []Scope{}
	case c.canWrite():
		return []Scope{Read, Write}
	default:
		return []Scope{Read}
	}
}

// RequireScope returns an error if the caller lacks the scope.
func (c Caller) RequireScope(s Scope) error {
	if c.IsZero() {
		return Unauthenticated()
	}
	if s == Write && !c.canWrite() && c.IsSession() {
		return Fail(CodeInsufficientScope,
			"You can read this workspace but not change it. To change it, you need at least the editor role.").
			WithHint("An owner or admin of the workspace can give you that role. Your profile, under Settings, lists them.")
	}
	if s == Write && !c.canWrite() {
		return Fail(CodeInsufficientScope, "This credential is read-only.").
			WithHint("Use an API key with the `write` scope. A viewer's keys are always read-only.")
	}
	return nil
}

// RequireSession returns an error unless the caller is a signed-in person.
func (c Caller) RequireSession() error {
	if c.IsZero() {
		return Unauthenticated()
	}
	if !c.IsSession() {
		return Fail(CodeInsufficientScope,
			"This action requires a signed-in person, not an API key.").WithHint("Use the dashboard.")
	}
	return nil
}

// RequireManager returns an error unless the caller is a signed-in person whose role allows managing accounts, keys and
// members.
func (c Caller) RequireManager() error {
	if err := c.RequireSession(); err != nil {
		return err
	}
	if !c.credential.Role.CanManage() {
		return errRoleTooLow()
	}
	return nil
}

// ReauthLifetime is how long a person can change keys, members and the workspace after entering their password.
const ReauthLifetime = 10 * time.Minute

// errPasswordNeeded marks the error of RequireRecentPassword.
var errPasswordNeeded = errors.New("the password was last confirmed too long ago")

// RequireRecentPassword returns an error unless the caller entered their password within ReauthLifetime.
// IsPasswordNeeded recognizes this error.
func (c Caller) RequireRecentPassword(now time.Time) error {
	if now.Sub(c.credential.ProvedAt) < ReauthLifetime {
		return nil
	}
	return Fail(CodeInsufficientScope, "Confirm your password first.").
		WithHint("Sign in again, then repeat the request within %d minutes.", int(ReauthLifetime.Minutes())).WithCause(errPasswordNeeded)
}

// IsPasswordNeeded reports whether an error comes from RequireRecentPassword.
func IsPasswordNeeded(err error) bool { return errors.Is(err, errPasswordNeeded) }

// Unauthenticated returns the error for a credential that is missing, mistyped or revoked (Spec §5.5). An entry point
// replaces the message if the credential is missing.
func Unauthenticated() *Error {
	return Fail(CodeUnauthenticated, "The API key is mistyped or revoked.").
		WithHint("Send `Authorization: Bearer <API_KEY>` with a key from Settings > API keys.")
}
