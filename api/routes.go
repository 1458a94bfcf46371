package api

import (
	"net/http"

	"belfry/internal/core"
)

// allRoutes returns the routes of /v1, each with its operation and description. The address limit applies to all of
// them (Spec §8). To add a route, add a row.
func allRoutes() []route {
	return []route{
		newRoute("GET /whoami", http.StatusOK, "whoami", "identity", "whoami",
			"Show the caller, and the workspace with its usage and limits"),
		newRoute("GET /accounts", http.StatusOK, "accounts_list", "accounts", "listAccounts",
			"List the connected accounts"),
		newRoute("GET /limits", http.StatusOK, "limits_get", "accounts", "getLimits",
			"Show each network's limits"),
		newRoute("POST /accounts/connect", http.StatusOK, "accounts_connect", "accounts", "connectAccount",
			"Get the address of a network's consent page, to connect an account").
			withMoreErrorCodes(core.CodeConflict),
		newRoute("POST /accounts/{id}/reconnect", http.StatusOK, "accounts_reconnect", "accounts", "reconnectAccount",
			"Get the address of a network's consent page, to reconnect an account").
			withMoreErrorCodes(core.CodeConflict),
		newRoute("DELETE /accounts/{id}", http.StatusNoContent, "accounts_disconnect", "accounts", "disconnectAccount",
			"Disconnect an account; its queued posts become drafts, and its history is kept").
			withMoreErrorCodes(core.CodeConflict),

		newRoute("POST /posts/plan", http.StatusOK, "posts_plan", "posts", "planPosts",
			"Check a request without creating posts").
			withDescription("Shows what `POST /posts` would do: one row for each account, with its issues and warnings. Nothing is stored.").
			withMoreErrorCodes(core.CodeNotFound),
		newRoute("POST /posts", http.StatusCreated, "posts_create", "posts", "createPosts",
			"Create one post for each target account").
			withDescription("Creates all posts or none. Requires `confirm: true`, which prevents publishing by accident.").
			withMoreErrorCodes(core.CodeQuotaExceeded, core.CodeNotFound, core.CodeConfirmRequired, core.CodePlanHasIssues,
				core.CodeMediaPurged),
		newRoute("GET /posts", http.StatusOK, "posts_list", "posts", "listPosts",
			"List posts, with optional filters").
			withDescription("Posts are sorted by publishing time, latest first by default. A draft without a publishing time is sorted by its creation time.").
			withMoreErrorCodes(core.CodeNotFound),
		newRoute("GET /posts/{id}", http.StatusOK, "posts_get", "posts", "getPost",
			"Show a post"),
		newRoute("PATCH /posts/{id}", http.StatusOK, "posts_edit", "posts", "editPost",
			"Change or queue a draft, or reschedule a post").
			withDescription("Content can be changed only while the post is a draft. `settings` replaces all stored settings. With `status: queued`, the changed post is checked first; if it has issues, nothing changes.").
			withMoreErrorCodes(core.CodeQuotaExceeded, core.CodeConflict, core.CodePlanHasIssues, core.CodeMediaPurged),
		newRoute("DELETE /posts/{id}", http.StatusNoContent, "posts_delete", "posts", "deletePost",
			"Delete a draft or a failed post").
			withMoreErrorCodes(core.CodeConflict),
		newRoute("POST /posts/{id}/retry", http.StatusOK, "posts_retry", "posts", "retryPost",
			"Queue a failed post again").
			withOptionalBody().
			withDescription("The post is published at its original time, or immediately if that time has passed. If a copy of the post is queued or live, or may be live, the error is `conflict`. To retry a post with an unknown outcome, send `confirmNotPublished: true` and an `Idempotency-Key`: without the key, a repeated request would also confirm that a later attempt did not publish the post.").
			withMoreErrorCodes(core.CodeConflict, core.CodeOutcomeUnknown, core.CodeMediaPurged),
		newRoute("POST /posts/{id}/cancel", http.StatusOK, "posts_cancel", "posts", "cancelPost",
			"Cancel a queued post, or the automatic retry of a failed post").
			withDescription("A queued post becomes a draft and no longer counts toward the month's quota. A failed post stays failed; only its pending automatic retry is cancelled.").
			withMoreErrorCodes(core.CodeConflict),
		newRoute("POST /posts/{id}/duplicate", http.StatusOK, "posts_duplicate", "posts", "duplicatePost",
			"Copy a post to a new draft for the same account"),
		newRoute("GET /posts/{id}/events", http.StatusOK, "posts_events", "posts", "listPostEvents",
			"Show a post's timeline, oldest event first"),

		newRoute("GET /groups", http.StatusOK, "groups_list", "groups", "listGroups",
			"List the groups"),
		newRoute("POST /groups", http.StatusCreated, "groups_create", "groups", "createGroup",
			"Create a group of accounts").
			withMoreErrorCodes(core.CodeNotFound, core.CodeConflict),
		newRoute("GET /groups/{id}", http.StatusOK, "groups_get", "groups", "getGroup",
			"Show a group"),
		newRoute("PATCH /groups/{id}", http.StatusOK, "groups_edit", "groups", "editGroup",
			"Change a group").
			withDescription("The accounts in `accountIds` replace all accounts in the group.").
			withMoreErrorCodes(core.CodeConflict),
		newRoute("DELETE /groups/{id}", http.StatusNoContent, "groups_delete", "groups", "deleteGroup",
			"Delete a group, but not its accounts"),

		newRoute("POST /media/uploads", http.StatusCreated, "media_create_upload", "media", "createUpload",
			"Reserve storage for a file and get its upload address").
			withDescription("`PUT` the raw bytes to `uploadUrl`, without a credential and with `Content-Length` equal to `size`. You can repeat an interrupted upload until `expiresAt`. The `PUT` returns `200` once the upload is complete. Then poll the file's record until its `status` is `ready` or `failed`.").
			withMoreErrorCodes(core.CodeNotFound),
		newRoute("POST /media/from-url", http.StatusAccepted, "media_from_url", "media", "createMediaFromURL",
			"Add a file that Belfry downloads from an address").
			withDescription("Returns the file's record immediately, with a `status` of `uploading`, and downloads the file in the background. Poll the record until its `status` is `ready` or `failed`. Belfry opens only public `https` addresses and follows at most 5 redirects. After a temporary error, Belfry tries again.").
			withMoreErrorCodes(core.CodeNotFound),
		newRoute("GET /media", http.StatusOK, "media_list", "media", "listMedia",
			"List files, newest first, with optional filters").
			withMoreErrorCodes(core.CodeNotFound),
		newRoute("GET /media/{id}", http.StatusOK, "media_get", "media", "getMedia",
			"Show a file"),
		newRoute("PATCH /media/{id}", http.StatusOK, "media_edit", "media", "editMedia",
			"Edit a file's details, move it to a folder, or pin it"),
		newRoute("DELETE /media/{id}", http.StatusNoContent, "media_delete", "media", "deleteMedia",
			"Delete a file that no draft, queued post or post with a pending retry uses").
			withMoreErrorCodes(core.CodeConflict),

		newRoute("GET /folders", http.StatusOK, "folders_list", "folders", "listFolders",
			"List the folders"),
		newRoute("POST /folders", http.StatusCreated, "folders_create", "folders", "createFolder",
			"Create a folder").
			withDescription("A folder's name must be unique in its parent folder or at the top level. Names that differ only in case count as the same name. Folders can nest up to ten levels deep.").
			withMoreErrorCodes(core.CodeNotFound, core.CodeConflict),
		newRoute("GET /folders/{id}", http.StatusOK, "folders_get", "folders", "getFolder",
			"Show a folder"),
		newRoute("PATCH /folders/{id}", http.StatusOK, "folders_edit", "folders", "editFolder",
			"Rename a folder, or move it with its contents").
			withMoreErrorCodes(core.CodeConflict),
		newRoute("DELETE /folders/{id}", http.StatusNoContent, "folders_delete", "folders", "deleteFolder",
			"Delete an empty folder").
			withMoreErrorCodes(core.CodeConflict),

		newRoute("GET /keys", http.StatusOK, "keys_list", "keys", "listKeys",
			"List the API keys"),
		newRoute("POST /keys", http.StatusCreated, "keys_create", "keys", "createKey",
			"Create an API key, which is shown only in this response"),
		newRoute("DELETE /keys/{id}", http.StatusNoContent, "keys_revoke", "keys", "revokeKey",
			"Revoke an API key, effective immediately"),

		newRoute("GET /members", http.StatusOK, "members_list", "members", "listMembers",
			"List members and invitations, oldest first"),
		newRoute("POST /members", http.StatusCreated, "members_invite", "members", "inviteMember",
			"Invite a person; the link is shown only in this response").
			withDescription("Belfry emails the link to the person, unless this server sends no email or the address has recently received several invitations. If `emailed` is not `true`, send the person `inviteUrl` yourself. The response does not reveal whether the person already has an account on this server. If you invite a person again, the response contains a new link, and the old link stops working. Until they expire, invitations count toward the subscription plan's limit on members. Only an owner can invite owners.").
			withMoreErrorCodes(core.CodeConflict),
		newRoute("PATCH /members/{id}", http.StatusOK, "members_edit", "members", "editMember",
			"Change the role of a member or an invitation").
			withDescription("A member's new role applies from their next request, including requests with their API keys. Only an owner can add, demote or remove owners, and a workspace always has at least one owner.").
			withMoreErrorCodes(core.CodeConflict),
		newRoute("DELETE /members/{id}", http.StatusNoContent, "members_remove", "members", "removeMember",
			"Remove a member or an invitation, or leave the workspace").
			withDescription("A removed member's API keys stop working immediately, and the member loses access to the workspace. Their posts remain. Owners and admins can remove others, but only an owner can remove an owner. Everyone except the last owner can leave.").
			withMoreErrorCodes(core.CodeConflict),

		newRoute("PATCH /workspace", http.StatusOK, "workspace_edit", "workspace", "editWorkspace",
			"Change the workspace's name, short name or time zone").
			withDescription("The monthly post quota resets at the start of the month in the workspace's time zone, so changing the time zone also changes when the quota resets. Posts that already count toward a month continue to count toward it, and existing posts keep their time zones.").
			withMoreErrorCodes(core.CodeConflict),
	}
}
