package api

import (
	"net/http"

	"belfry/internal/core"
)

// routes returns all routes of /v1, each with its operation and description. The address limit applies to all of them
// (Spec §8). To add a route, add a row.
func routes() []route {
	return []route{
		row("GET /whoami", http.StatusOK, "whoami", "identity", "whoami",
			"Show the caller, the workspace and its plan's usage"),
		row("GET /accounts", http.StatusOK, "accounts_list", "accounts", "listAccounts",
			"List the connected accounts"),
		row("GET /limits", http.StatusOK, "limits_get", "accounts", "getLimits",
			"Show each network's limits"),
		row("POST /accounts/connect", http.StatusOK, "accounts_connect", "accounts", "connectAccount",
			"Get the address of a network's consent page, to connect an account"),
		row("POST /accounts/{id}/reconnect", http.StatusOK, "accounts_reconnect", "accounts", "reconnectAccount",
			"Get the address of a network's consent page, to reconnect an account"),
		row("DELETE /accounts/{id}", http.StatusNoContent, "accounts_disconnect", "accounts", "disconnectAccount",
			"Disconnect an account; its queued posts become drafts, and its history stays"),

		row("POST /posts/plan", http.StatusOK, "posts_plan", "posts", "planPosts",
			"Check a request without creating posts").
			describe("Returns what `POST /posts` would do: one row for each account, with its issues and warnings. Nothing is stored.").
			fails(core.CodeNotFound),
		row("POST /posts", http.StatusCreated, "posts_create", "posts", "createPosts",
			"Create one post for each targeted account").
			describe("Creates all posts or none. Requires `confirm: true`, which prevents publishing by accident.").
			fails(core.CodeQuotaExceeded, core.CodeNotFound, core.CodeConfirmRequired, core.CodePlanHasIssues,
				core.CodeMediaPurged),
		row("GET /posts", http.StatusOK, "posts_list", "posts", "listPosts",
			"List posts, newest first, with filters").
			fails(core.CodeNotFound),
		row("GET /posts/{id}", http.StatusOK, "posts_get", "posts", "getPost",
			"Show a post"),
		row("PATCH /posts/{id}", http.StatusOK, "posts_edit", "posts", "editPost",
			"Change or queue a draft, or reschedule a post").
			describe("Only a draft's content can be changed. `settings` replaces all stored settings. With `status: queued`, the new content is checked first; if it has issues, nothing changes.").
			fails(core.CodeQuotaExceeded, core.CodeConflict, core.CodePlanHasIssues, core.CodeMediaPurged),
		row("DELETE /posts/{id}", http.StatusNoContent, "posts_delete", "posts", "deletePost",
			"Delete a draft or a failed post").
			fails(core.CodeConflict),
		row("POST /posts/{id}/retry", http.StatusOK, "posts_retry", "posts", "retryPost",
			"Queue a failed post again").
			bodyOptional().
			describe("It is published at its original time, or now if that time has passed. A post with an unknown outcome requires `confirmNotPublished: true`.").
			fails(core.CodeConflict, core.CodeOutcomeUnknown, core.CodeMediaPurged),
		row("POST /posts/{id}/cancel", http.StatusOK, "posts_cancel", "posts", "cancelPost",
			"Cancel a queued post").
			describe("The post becomes a draft and no longer counts toward the month's quota. For a failed post, only the pending automatic retry is cancelled.").
			fails(core.CodeConflict),
		row("POST /posts/{id}/duplicate", http.StatusOK, "posts_duplicate", "posts", "duplicatePost",
			"Create a draft with the same account, text, files and settings"),
		row("GET /posts/{id}/events", http.StatusOK, "posts_events", "posts", "listPostEvents",
			"Show a post's timeline, oldest event first"),

		row("GET /groups", http.StatusOK, "groups_list", "groups", "listGroups",
			"List the groups"),
		row("POST /groups", http.StatusCreated, "groups_create", "groups", "createGroup",
			"Create a group of accounts").
			fails(core.CodeNotFound, core.CodeConflict),
		row("GET /groups/{id}", http.StatusOK, "groups_get", "groups", "getGroup",
			"Show a group"),
		row("PATCH /groups/{id}", http.StatusOK, "groups_edit", "groups", "editGroup",
			"Change a group").
			describe("`accountIds` replaces all accounts of the group.").
			fails(core.CodeConflict),
		row("DELETE /groups/{id}", http.StatusNoContent, "groups_delete", "groups", "deleteGroup",
			"Delete a group; its accounts stay"),

		row("POST /media/uploads", http.StatusCreated, "media_create_upload", "media", "createUpload",
			"Reserve storage for a file and get its upload address").
			describe("`PUT` the raw bytes to `uploadUrl`, without a credential and with `Content-Length` equal to `size`. It returns `200`. You can repeat an interrupted upload until `expiresAt`. Then poll the file until its `status` is `ready` or `failed`.").
			fails(core.CodeNotFound),
		row("POST /media/from-url", http.StatusAccepted, "media_from_url", "media", "createMediaFromURL",
			"Download a file from an address").
			describe("Returns the file's record immediately, with the `status` `uploading`, and downloads the file in the background. Poll the file until its `status` is `ready` or `failed`. Only public `https` addresses are opened, with at most 5 redirects. After a temporary error, the download is tried again.").
			fails(core.CodeNotFound),
		row("GET /media", http.StatusOK, "media_list", "media", "listMedia",
			"List files, newest first, with filters").
			fails(core.CodeNotFound),
		row("GET /media/{id}", http.StatusOK, "media_get", "media", "getMedia",
			"Show a file"),
		row("PATCH /media/{id}", http.StatusOK, "media_edit", "media", "editMedia",
			"Edit a file's details, move it to a folder, or pin it"),
		row("DELETE /media/{id}", http.StatusNoContent, "media_delete", "media", "deleteMedia",
			"Delete a file that no draft or queued post uses").
			fails(core.CodeConflict),

		row("GET /folders", http.StatusOK, "folders_list", "folders", "listFolders",
			"List the folders"),
		row("POST /folders", http.StatusCreated, "folders_create", "folders", "createFolder",
			"Create a folder").
			describe("A name must be unique in its parent folder, ignoring case. Folders can be ten levels deep.").
			fails(core.CodeNotFound, core.CodeConflict),
		row("GET /folders/{id}", http.StatusOK, "folders_get", "folders", "getFolder",
			"Show a folder"),
		row("PATCH /folders/{id}", http.StatusOK, "folders_edit", "folders", "editFolder",
			"Rename a folder, or move it with its contents").
			fails(core.CodeConflict),
		row("DELETE /folders/{id}", http.StatusNoContent, "folders_delete", "folders", "deleteFolder",
			"Delete an empty folder").
			fails(core.CodeConflict),

		row("GET /keys", http.StatusOK, "keys_list", "keys", "listKeys",
			"List the API keys"),
		row("POST /keys", http.StatusCreated, "keys_create", "keys", "createKey",
			"Create an API key, which is shown only in this response"),
		row("DELETE /keys/{id}", http.StatusNoContent, "keys_revoke", "keys", "revokeKey",
			"Revoke an API key, effective immediately"),

		row("GET /members", http.StatusOK, "members_list", "members", "listMembers",
			"List members and invitations, oldest first"),
		row("POST /members", http.StatusCreated, "members_invite", "members", "inviteMember",
			"Invite a person; the link is shown only in this response").
			describe("Send `inviteUrl` to the person yourself: Belfry sends no email. The response does not show whether the person already has an account on this server. Inviting a person again returns a new link, and the old one stops working. Invitations count toward the plan's members. Only an owner can invite owners.").
			fails(core.CodeConflict),
		row("PATCH /members/{id}", http.StatusOK, "members_edit", "members", "editMember",
			"Change the role of a member or an invitation").
			describe("The role takes effect with the person's next request, including requests with their keys. Only an owner can add or demote owners, and a workspace keeps at least one owner.").
			fails(core.CodeConflict),
		row("DELETE /members/{id}", http.StatusNoContent, "members_remove", "members", "removeMember",
			"Remove a member or an invitation, or leave the workspace").
			describe("The person's keys and sessions stop working with their next request; their posts stay. Owners and admins can remove others, and only an owner can remove an owner. Everyone except the last owner can leave.").
			fails(core.CodeConflict),

		row("PATCH /workspace", http.StatusOK, "workspace_edit", "workspace", "editWorkspace",
			"Change the workspace's name, short name or time zone").
			describe("If the time zone changes, the quota's months begin at a different hour. Posts that were counted stay in their month, and existing posts keep their time zones.").
			fails(core.CodeConflict),
	}
}
