package api

import (
	"net/http"

	"belfry/internal/core"
)

// routes is the whole of /v1: each route with the operation that it carries out and how it is described. The
// address limit holds for all of them (Spec §8). To add one, add a row.
func routes() []route {
	return []route{
		row("GET /whoami", http.StatusOK, "whoami", "identity", "whoami",
			"Tell who calls, for which workspace, and what is used of its plan"),
		row("GET /accounts", http.StatusOK, "accounts_list", "accounts", "listAccounts",
			"List the connected accounts"),
		row("GET /limits", http.StatusOK, "limits_get", "accounts", "getLimits",
			"Show the numbers that the plan check uses, by network"),
		row("POST /accounts/connect", http.StatusOK, "accounts_connect", "accounts", "connectAccount",
			"Get the address of the page where a person lets the service publish to a profile"),
		row("POST /accounts/{id}/reconnect", http.StatusOK, "accounts_reconnect", "accounts", "reconnectAccount",
			"Get the address of the page where a person renews the consent for an account"),
		row("DELETE /accounts/{id}", http.StatusNoContent, "accounts_disconnect", "accounts", "disconnectAccount",
			"Disconnect an account: its queued posts become drafts, its history stays"),

		row("POST /posts/plan", http.StatusOK, "posts_plan", "posts", "planPosts",
			"Check a request for posts without making any").
			describe("Answers what POST /posts would do, row by row, with the issues that stand against each. Nothing is stored.").
			fails(core.CodeNotFound),
		row("POST /posts", http.StatusCreated, "posts_create", "posts", "createPosts",
			"Create one post for each targeted account").
			describe("All or nothing. With `confirm: true` only: the guard against an accidental publish.").
			fails(core.CodeQuotaExceeded, core.CodeNotFound, core.CodeConfirmRequired, core.CodePlanHasIssues,
				core.CodeMediaPurged),
		row("GET /posts", http.StatusOK, "posts_list", "posts", "listPosts",
			"List posts, newest first, with filters").
			fails(core.CodeNotFound),
		row("GET /posts/{id}", http.StatusOK, "posts_get", "posts", "getPost",
			"Show a post"),
		row("PATCH /posts/{id}", http.StatusOK, "posts_edit", "posts", "editPost",
			"Change a draft, move a post to another time, or queue a draft").
			describe("Content fields may be changed on a draft only. `settings` replaces the stored block as a whole. Content and `status: queued` in one request: content first, then the checks; all or nothing.").
			fails(core.CodeQuotaExceeded, core.CodeConflict, core.CodePlanHasIssues, core.CodeMediaPurged),
		row("DELETE /posts/{id}", http.StatusNoContent, "posts_delete", "posts", "deletePost",
			"Delete a draft or a failed post").
			fails(core.CodeConflict),
		row("POST /posts/{id}/retry", http.StatusOK, "posts_retry", "posts", "retryPost",
			"Queue a failed post again").
			bodyOptional().
			describe("At its original time if that is still ahead, else now. A post whose outcome nobody knows needs `confirmNotPublished: true`.").
			fails(core.CodeConflict, core.CodeOutcomeUnknown, core.CodeMediaPurged),
		row("POST /posts/{id}/cancel", http.StatusOK, "posts_cancel", "posts", "cancelPost",
			"Take a post off the queue").
			describe("Its slot returns to the month. On a failed post only the pending automatic retry is cancelled.").
			fails(core.CodeConflict),
		row("POST /posts/{id}/duplicate", http.StatusOK, "posts_duplicate", "posts", "duplicatePost",
			"Make a draft with the same account, text, media and settings"),
		row("GET /posts/{id}/events", http.StatusOK, "posts_events", "posts", "listPostEvents",
			"Show a post's timeline, oldest entry first"),

		row("GET /groups", http.StatusOK, "groups_list", "groups", "listGroups",
			"List the groups"),
		row("POST /groups", http.StatusCreated, "groups_create", "groups", "createGroup",
			"Make a group of accounts").
			fails(core.CodeNotFound, core.CodeConflict),
		row("GET /groups/{id}", http.StatusOK, "groups_get", "groups", "getGroup",
			"Show a group"),
		row("PATCH /groups/{id}", http.StatusOK, "groups_edit", "groups", "editGroup",
			"Change a group").
			describe("`accountIds` replaces the membership.").
			fails(core.CodeConflict),
		row("DELETE /groups/{id}", http.StatusNoContent, "groups_delete", "groups", "deleteGroup",
			"Delete a group; its accounts stay"),

		row("POST /media/uploads", http.StatusCreated, "media_create_upload", "media", "createUpload",
			"Reserve room for a file and get the address that its bytes go to").
			describe("`PUT` the raw bytes to `uploadUrl`, without a credential and with `Content-Length` equal to `size`; success is `200`. One that breaks off may be repeated until `expiresAt`. Then read the file until its `status` is `ready` or `failed`.").
			fails(core.CodeNotFound),
		row("POST /media/from-url", http.StatusAccepted, "media_from_url", "media", "createMediaFromURL",
			"Have a file fetched from an address").
			describe("Answers the file's row at once, with the `status` `uploading`; the bytes come in the background. Read it until its `status` is `ready` or `failed`. Only addresses of the public internet are opened, over https and with at most 5 redirects; what a server refuses for a moment is asked for again.").
			fails(core.CodeNotFound),
		row("GET /media", http.StatusOK, "media_list", "media", "listMedia",
			"List files, newest first, with filters").
			fails(core.CodeNotFound),
		row("GET /media/{id}", http.StatusOK, "media_get", "media", "getMedia",
			"Show a file"),
		row("PATCH /media/{id}", http.StatusOK, "media_edit", "media", "editMedia",
			"Change what is said of a file, where it lies and whether it is pinned"),
		row("DELETE /media/{id}", http.StatusNoContent, "media_delete", "media", "deleteMedia",
			"Delete a file that no draft or queued post uses").
			fails(core.CodeConflict),

		row("GET /folders", http.StatusOK, "folders_list", "folders", "listFolders",
			"List the folders"),
		row("POST /folders", http.StatusCreated, "folders_create", "folders", "createFolder",
			"Make a folder").
			describe("Names are unique in one place without regard to case; folders nest at most 10 deep.").
			fails(core.CodeNotFound, core.CodeConflict),
		row("GET /folders/{id}", http.StatusOK, "folders_get", "folders", "getFolder",
			"Show a folder"),
		row("PATCH /folders/{id}", http.StatusOK, "folders_edit", "folders", "editFolder",
			"Rename a folder, or move it with all that is in it").
			fails(core.CodeConflict),
		row("DELETE /folders/{id}", http.StatusNoContent, "folders_delete", "folders", "deleteFolder",
			"Delete an empty folder").
			fails(core.CodeConflict),

		row("GET /keys", http.StatusOK, "keys_list", "keys", "listKeys",
			"List the API keys"),
		row("POST /keys", http.StatusCreated, "keys_create", "keys", "createKey",
			"Make an API key, which this answer shows once"),
		row("DELETE /keys/{id}", http.StatusNoContent, "keys_revoke", "keys", "revokeKey",
			"Revoke an API key, from the next request on"),

		row("GET /members", http.StatusOK, "members_list", "members", "listMembers",
			"List who has joined and who is invited, the oldest first"),
		row("POST /members", http.StatusCreated, "members_invite", "members", "inviteMember",
			"Invite somebody and get the link that they join by, which this answer shows once").
			describe("Hand `inviteUrl` to the person: nothing is sent. Whether they have an account on this server already changes nothing of the answer. Somebody who is invited already gets a new link, and the old one stops working. The plan's members are counted with the invited ones. Only an owner invites owners.").
			fails(core.CodeConflict),
		row("PATCH /members/{id}", http.StatusOK, "members_edit", "members", "editMember",
			"Give a member, or somebody who is invited, another role").
			describe("It holds from their next request on, for their keys too. Only an owner makes or unmakes owners, and the last owner stays one.").
			fails(core.CodeConflict),
		row("DELETE /members/{id}", http.StatusNoContent, "members_remove", "members", "removeMember",
			"Remove a member, leave the workspace, or take an invitation back").
			describe("Keys and sessions of who is removed stop at their next request; posts stay. Owners and admins remove others, only an owner removes an owner, and everybody may leave but the last owner.").
			fails(core.CodeConflict),

		row("PATCH /workspace", http.StatusOK, "workspace_edit", "workspace", "editWorkspace",
			"Change the workspace's name, short name or time zone").
			describe("With another zone the quota's months begin at other hours from then on; a slot stays in the month that it was taken in, and posts keep the zones that they have.").
			fails(core.CodeConflict),
	}
}
