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

// operations is the table of all operations of clients. To add one, add a row.
var operations = []Operation{
	withoutInput("whoami", reads, (*App).Whoami),
	withoutInput("limits_get", reads, (*App).Limits),

	withoutInput("accounts_list", reads, (*App).ListAccounts),
	operation("accounts_connect", manages, (*App).StartConnect),
	byID("accounts_reconnect", manages, (*App).StartReconnect),
	removeByID("accounts_disconnect", manages, (*App).DisconnectAccount),

	operation("posts_plan", reads, (*App).PlanPosts),
	operation("posts_create", creates, (*App).CreatePosts).asRepeatable(),
	operation("posts_list", reads, (*App).ListPosts),
	byID("posts_get", reads, (*App).GetPost),
	operation("posts_edit", writes, (*App).EditPost),
	removeByID("posts_delete", writes, (*App).DeletePost),
	operation("posts_retry", writes, (*App).RetryPost),
	byID("posts_cancel", writes, (*App).CancelPost),
	byID("posts_duplicate", writes, (*App).DuplicatePost),
	byID("posts_events", reads, (*App).PostEvents),

	withoutInput("groups_list", reads, (*App).ListGroups),
	operation("groups_create", writes, (*App).CreateGroup),
	byID("groups_get", reads, (*App).GetGroup),
	operation("groups_edit", writes, (*App).EditGroup),
	removeByID("groups_delete", writes, (*App).DeleteGroup),

	operation("media_create_upload", writes, (*App).CreateUpload).asRepeatable(),
	operation("media_from_url", writes, (*App).MediaFromURL).asRepeatable(),
	operation("media_list", reads, (*App).ListMedia),
	byID("media_get", reads, (*App).GetMedia),
	operation("media_edit", writes, (*App).EditMedia),
	removeByID("media_delete", writes, (*App).DeleteMedia),

	withoutInput("folders_list", reads, (*App).ListFolders),
	operation("folders_create", writes, (*App).CreateFolder),
	byID("folders_get", reads, (*App).GetFolder),
	operation("folders_edit", writes, (*App).EditFolder),
	removeByID("folders_delete", writes, (*App).DeleteFolder),

	withoutInput("keys_list", manages, (*App).ListKeys),
	operation("keys_create", changes, (*App).CreateKey),
	removeByID("keys_revoke", changes, (*App).RevokeKey),

	withoutInput("members_list", manages, (*App).ListMembers),
	operation("members_invite", changes, (*App).InviteMember),
	operation("members_edit", changes, (*App).EditMember),
	removeByID("members_remove", person, (*App).RemoveMember),

	operation("workspace_edit", changes, (*App).EditWorkspace),
}
