package core

import "context"

// AuditAction is a kind of action in the audit log.
type AuditAction string

// Actions in the audit log.
const (
	AuditSignedIn          AuditAction = "signed_in"
	AuditSignInFailed      AuditAction = "sign_in_failed"
	AuditPasswordConfirmed AuditAction = "password_confirmed"
	AuditPasswordSet       AuditAction = "password_set"
	AuditPasswordReset     AuditAction = "password_reset"
	AuditPasswordChanged   AuditAction = "password_changed"
	AuditProfileChanged    AuditAction = "profile_changed"
	AuditSessionEnded      AuditAction = "session_ended"
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
	AuditAccessRemoved     AuditAction = "access_removed"
	AuditAccountErased     AuditAction = "account_erased"
	AuditSecretsRotated    AuditAction = "secrets_rotated"
	AuditPostChanged       AuditAction = "post_changed"
	AuditPostDeleted       AuditAction = "post_deleted"
	AuditFileChanged       AuditAction = "file_changed"
	AuditFileDeleted       AuditAction = "file_deleted"
	AuditFolderChanged     AuditAction = "folder_changed"
	AuditFolderDeleted     AuditAction = "folder_deleted"
	AuditGroupCreated      AuditAction = "group_created"
	AuditGroupChanged      AuditAction = "group_changed"
	AuditGroupDeleted      AuditAction = "group_deleted"
	AuditRestoreConfirmed  AuditAction = "restore_confirmed"
)

// AuditEntry is a row of the audit log.
type AuditEntry struct {
	Action AuditAction
	// Actor is who performed the action; the zero Caller is the operator at the command line.
	Actor Caller
	// Workspace is where the action happened; zero if it concerns a person or the whole server.
	Workspace WorkspaceID
	// Subject is the id of what was changed, or "" if the action makes it clear.
	Subject string
	// Before and After are the changed values, which are stored as JSON; nil for none.
	Before, After any
}

// Origin is the source of a request, for the audit log.
type Origin struct {
	Address   string // of the client
	RequestID string
}

type originKey struct{}

// WithOrigin adds the source of the request to a context.
func WithOrigin(ctx context.Context, o Origin) context.Context {
	return context.WithValue(ctx, originKey{}, o)
}

// OriginOf returns the source of a context's request, or the zero Origin if there is none.
func OriginOf(ctx context.Context) Origin {
	o, _ := ctx.Value(originKey{}).(Origin)
	return o
}
