package app

import (
	"belfry/internal/core"
)

var (
	reads   = Access{Scope: core.Read}
	writes  = Access{Scope: core.Write}
	creates = Access{Scope: core.Write, Creates: true}
	manages = Access{Scope: core.Write, Session: true, Manages: true}
	changes = Access{Scope: core.Write, Session: true, Manages: true, Proved: true}
	person  = Access{Scope: core.Read, Session: true, Proved: true}
)

// operations is the table of all operations that clients can call. To add one, add a row.
var operations = []Operation{
	newOperationWithoutInput("whoami", reads, (*App).Whoami),
	newOperationWithoutInput("limits_get", reads, (*App).GetNetworkLimits),

	newOperationWithoutInput("accounts_list", reads, (*App).ListAccounts),
	newOperation("accounts_connect", manages, (*App).StartConnect),
	newOperationByID("accounts_reconnect", manages, (*App).StartReconnect),
	newRemovalByID("accounts_disconnect", manages, (*App).DisconnectAccount),

	newOperation("posts_plan", reads, (*App).PlanPosts),
	newOperation("posts_create", creates, (*App).CreatePosts).asReplayable(),
	newOperation("posts_list", reads, (*App).ListPosts),
	newOperationByID("posts_get", reads, (*App).GetPost),
	newOperation("posts_edit", writes, (*App).EditPost),
	newRemovalByID("posts_delete", writes, (*App).DeletePost),
	newOperation("posts_retry", writes, (*App).RetryPost).asReplayable(),
	newOperationByID("posts_cancel", writes, (*App).CancelPost),
	newOperationByID("posts_duplicate", writes, (*App).DuplicatePost),
	newOperationByID("posts_events", reads, (*App).ListPostEventsAndNextRetry),

	newOperationWithoutInput("groups_list", reads, (*App).ListGroups),
	newOperation("groups_create", writes, (*App).CreateGroup),
	newOperationByID("groups_get", reads, (*App).GetGroup),
	newOperation("groups_edit", writes, (*App).EditGroup),
	newRemovalByID("groups_delete", writes, (*App).DeleteGroup),

	newOperation("media_create_upload", writes, (*App).ReserveUpload).asReplayable(),
	newOperation("media_from_url", writes, (*App).AddMediaForDownload).asReplayable(),
	newOperation("media_list", reads, (*App).ListMedia),
	newOperationByID("media_get", reads, (*App).GetMedia),
	newOperation("media_edit", writes, (*App).EditMedia),
	newRemovalByID("media_delete", writes, (*App).DeleteMedia),

	newOperationWithoutInput("folders_list", reads, (*App).ListFolders),
	newOperation("folders_create", writes, (*App).CreateFolder),
	newOperationByID("folders_get", reads, (*App).GetFolder),
	newOperation("folders_edit", writes, (*App).EditFolder),
	newRemovalByID("folders_delete", writes, (*App).DeleteEmptyFolder),

	newOperationWithoutInput("keys_list", manages, (*App).ListKeys),
	newOperation("keys_create", changes, (*App).CreateKey),
	newRemovalByID("keys_revoke", changes, (*App).RevokeKey),

	newOperationWithoutInput("members_list", manages, (*App).ListMembersAndInvitations),
	newOperation("members_invite", changes, (*App).InviteMember),
	newOperation("members_edit", changes, (*App).ChangeMemberOrInvitationRole),
	newRemovalByID("members_remove", person, (*App).RemoveMemberOrInvitation),

	newOperation("workspace_edit", changes, (*App).EditWorkspace),
}
