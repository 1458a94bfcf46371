package core

import "context"

// AuditAction says what was done, in the audit log.
type AuditAction string

// Actions in the audit log.
const (
	AuditSignedIn          AuditAction = "signed_in"
	AuditSignInFailed      AuditAction = "sign_in_failed"
	AuditPasswordConfirmed AuditAction = "password_confirmed"
	AuditPasswordSet       AuditAction = "password_set"
	AuditWorkspaceCreated  AuditAction = "workspace_created"
	AuditWorkspaceChanged  AuditAction = "workspace_changed"
	AuditPlanChanged       AuditAction = "plan_changed"
	AuditKeyCreated        AuditAction = "key_created"
	AuditKeyRevoked        AuditAction = "key_revoked"
	AuditMemberInvited     AuditAction = "member_invited"
	AuditMemberJoined      AuditAction = "member_joined"
	AuditMemberChanged     AuditAction = "member_changed"
	AuditMemberRemoved     AuditAction = "member_removed"
	AuditAccountConnected  AuditAction = "account_connected"
	AuditAccountRemoved    AuditAction = "account_disconnected"
	AuditAccountsRevoked   AuditAction = "accounts_revoked"
	AuditSecretsRotated    AuditAction = "secrets_rotated"
	AuditPostChanged       AuditAction = "post_changed"
	AuditRestoreConfirmed  AuditAction = "restore_confirmed"
)

// AuditEntry is one row of the audit log.
type AuditEntry struct {
	Action AuditAction
	// Actor is who did it; the zero Caller is the operator at the command line.
	Actor Caller
	// Workspace is where it was done; zero when it concerns a person or the whole server.
	Workspace WorkspaceID
	// Subject is the id of what was acted on, "" when the action says it.
	Subject string
	// Before and After are the values that changed, as JSON encodes them; nil for none.
	Before, After any
}

// Origin is where a request came from, for the audit log.
type Origin struct {
	Address   string // of the client
	RequestID string
}

type originKey struct{}

// WithOrigin adds to a context where its request came from.
func WithOrigin(ctx context.Context, o Origin) context.Context {
	return context.WithValue(ctx, originKey{}, o)
}

// OriginOf returns where a context's request came from; the zero Origin when it belongs to none.
func OriginOf(ctx context.Context) Origin {
	o, _ := ctx.Value(originKey{}).(Origin)
	return o
}
