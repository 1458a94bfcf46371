package web

import (
	"net/http"

	"belfry/static"
	"belfry/views/link"
)

// route is a page or an action.
type route struct {
	method, path string
	handle       func(*request) error
	public       bool // needs no sign-in
	takesFiles   bool // the handler reads a form with files, of any size
	streams      bool // the response is a stream
	isReturnable bool // a sign-in or a Back link may lead to it
}

// workspace is the path parameter for the slug of a workspace.
const workspace = ":workspace"

// id is the path parameter for the id of a post, an account, a network or another object.
const id = ":id"

// token is the path parameter for a secret. The access log omits it.
const token = ":token"

// serverRoutes returns the routes that belong to no workspace.
func serverRoutes() []route {
	return []route{
		publicRoute(http.MethodGet, link.Home, (*request).redirectHomeOrAskToSignInOrSetUp),
		publicRoute(http.MethodGet, "/favicon.ico", (*request).redirectToIcon),
		publicRoute(http.MethodGet, link.APIDocs, (*request).showAPIDocs),
		publicRoute(http.MethodGet, link.Design, (*request).showDesignSystem),
		publicRoute(http.MethodGet, link.SetUp, (*request).showSetUp),
		publicRoute(http.MethodPost, link.SetUp, withForm((*request).setUpServer)),
		publicRoute(http.MethodGet, link.SignIn, (*request).showSignIn),
		publicRoute(http.MethodPost, link.SignIn, withForm((*request).signIn)),
		publicRoute(http.MethodPost, link.SignOut, (*request).signOut),
		publicRoute(http.MethodGet, link.Invitation(token), (*request).showInvitation),
		publicRoute(http.MethodPost, link.Invitation(token), withForm((*request).acceptInvitationAndSignIn)),
		publicRoute(http.MethodGet, link.ErasureStatus(token), (*request).showErasureStatus),
		publicRoute(http.MethodGet, link.ForgotPassword, (*request).showForgotPassword),
		publicRoute(http.MethodPost, link.ForgotPassword, withForm((*request).requestPasswordReset)),
		publicRoute(http.MethodGet, link.ResetPassword(token), (*request).showPasswordReset),
		publicRoute(http.MethodPost, link.ResetPassword(token), withForm((*request).resetPassword)),
		publicRoute(http.MethodGet, link.Outbox, (*request).showOutbox),
		getRoute(link.ConnectCallback(id), (*request).finishConnectOrReconnect),
		getRoute(link.Workspace(workspace).At(""), (*request).redirectHomeOrAskToSignInOrSetUp),
	}
}

// workspaceRoutes returns the routes of a workspace's pages and actions.
func workspaceRoutes(at link.Workspace) []route {
	return []route{
		returnablePageRoute(at.Accounts(), (*request).showAccounts),
		getRoute(at.Connect(id), (*request).startConnect),
		getRoute(at.ChooseProfilesToConnect(), (*request).showProfileChoice),
		postRoute(at.ChooseProfilesToConnect(), withForm((*request).connectChosenProfiles)),
		getRoute(at.Reconnect(id), (*request).startReconnect),
		getRoute(at.ReconnectForPost(id), (*request).startReconnectForPost),
		getRoute(at.Disconnect(id), (*request).showDisconnectConfirmation),
		postRoute(at.Disconnect(id), withForm(actOnce((*request).disconnectAccount))),
		returnablePageRoute(at.Groups(), (*request).showGroups),
		postRoute(at.Groups(), withForm(actOnce((*request).createGroup))),
		returnablePageRoute(at.NewGroup(), (*request).showNewGroupForm),
		returnablePageRoute(at.Group(id), (*request).showEditGroupForm),
		postRoute(at.Group(id), withForm(actOnce((*request).editGroup))),
		getRoute(at.AddAccountToGroup(id), (*request).redirectToGroups),
		postRoute(at.AddAccountToGroup(id), withForm((*request).addAccountToGroup)),
		getRoute(at.DeleteGroup(id), (*request).showDeleteGroupConfirmation),
		postRoute(at.DeleteGroup(id), withForm(actOnce((*request).deleteGroup))),
		returnablePageRoute(at.Calendar(link.Calendar{}), (*request).showCalendarOrStoreChosenView),
		postRoute(at.MovePostInCalendar(link.Calendar{}), withForm((*request).moveCalendarEntryOrUndo)),
		getRoute(at.MovePostInCalendar(link.Calendar{}), (*request).redirectToCalendar),
		returnablePageRoute(at.MovablePostsOfDay(link.Calendar{}), (*request).showMovablePostsOfDay),
		returnablePageRoute(at.PostsOfCalendarEntry(id, link.Filter{}), (*request).showPostsOfCalendarEntry),
		returnablePageRoute(at.Compose(), (*request).showComposer),
		getRoute(at.PlanPosts(), (*request).showComposer),
		postRoute(at.PlanPosts(), withForm((*request).showComposerPlan)),
		getRoute(at.AddComposerFiles(), (*request).showComposer),
		unlimitedUploadRoute(at.AddComposerFiles(), (*request).uploadComposerFiles),
		postRoute(at.CreatePosts(), withForm((*request).createPosts)),
		returnablePageRoute(at.Posts(link.Filter{}), (*request).showPosts),
		getRoute(at.ChangeSelectedPosts(), (*request).redirectToPosts),
		postRoute(at.ChangeSelectedPosts(), withForm(actOnce((*request).changeSelectedPosts))),
		getRoute(at.ConfirmDeletingPosts(), (*request).showBulkDeleteConfirmation),
		getRoute(at.UndoPostChange(), (*request).redirectToPosts),
		postRoute(at.UndoPostChange(), withForm(actOnce((*request).undoPostChange))),
		getRoute(at.SentPostsFlash(), (*request).showSentPostsFlash),
		getRoute(at.PublishingHold(), (*request).showPublishingHold),
		streamRoute(at.ChangeStream(), (*request).streamChanges),
		returnablePageRoute(at.Post(id), (*request).showPost),
		returnablePageRoute(at.EditPost(id), (*request).showPostEditor),
		postRoute(at.EditPost(id), withForm(actOnce((*request).saveOrQueueEditedPost))),
		postRoute(at.PlanEditedPost(id), withForm((*request).showComposerPlan)),
		unlimitedUploadRoute(at.AddFilesToEditedPost(id), (*request).uploadComposerFiles),
		getRoute(at.AddFilesToEditedPost(id), (*request).redirectToPost),
		postRoute(at.QueuePost(id), withForm(actOnce((*request).queuePost))),
		postRoute(at.SendPostNow(id), withForm(actOnce((*request).sendPostAfterDelay))),
		postRoute(at.ReschedulePost(id), withForm(actOnce((*request).reschedulePost))),
		postRoute(at.CancelPost(id), withForm(actOnce((*request).cancelPost))),
		postRoute(at.RetryPost(id), withForm(actOnce((*request).retryPost))),
		postRoute(at.DuplicatePost(id), withForm(actOnce((*request).duplicatePost))),
		getRoute(at.PlanEditedPost(id), (*request).redirectToPost),
		getRoute(at.QueuePost(id), (*request).redirectToPost),
		getRoute(at.SendPostNow(id), (*request).redirectToPost),
		getRoute(at.ReschedulePost(id), (*request).redirectToPost),
		getRoute(at.CancelPost(id), (*request).redirectToPost),
		getRoute(at.RetryPost(id), (*request).redirectToPost),
		getRoute(at.DuplicatePost(id), (*request).redirectToPost),
		getRoute(at.ResolveOutcome(id), (*request).redirectToPost),
		getRoute(at.DeletePost(id), (*request).showDeletePostConfirmation),
		postRoute(at.DeletePost(id), withForm(actOnce((*request).deletePost))),
		postRoute(at.ResolveOutcome(id), withForm(actOnce((*request).resolveOutcome))),

		returnablePageRoute(at.Media(link.MediaFilter{}), (*request).showLibrary),
		getRoute(at.PickMedia(link.MediaFilter{}), (*request).showFilePicker),
		returnablePageRoute(at.File(id), (*request).showFile),
		postRoute(at.File(id), withForm(actOnce((*request).editFile))),
		unlimitedUploadRoute(at.UploadFiles(), (*request).uploadToLibrary),
		getRoute(at.UploadFiles(), (*request).redirectToLibrary),
		postRoute(at.ChangeSelectedFiles(), withForm(actOnce((*request).editSelectedFiles))),
		getRoute(at.ChangeSelectedFiles(), (*request).redirectToLibrary),
		postRoute(at.DeleteSelectedFiles(), withForm(actOnce((*request).deleteOrConfirmSelectedFiles))),
		getRoute(at.DeleteSelectedFiles(), (*request).redirectToLibrary),
		postRoute(at.CreateFolder(), withForm(actOnce((*request).createFolder))),
		getRoute(at.CreateFolder(), (*request).redirectToLibrary),
		postRoute(at.EditFolder(id), withForm(actOnce((*request).editFolder))),
		getRoute(at.EditFolder(id), (*request).redirectToLibrary),
		postRoute(at.DeleteFolder(id), withForm(actOnce((*request).deleteEmptyFolder))),
		getRoute(at.DeleteFolder(id), (*request).redirectToLibrary),
		postRoute(at.Uploads(), withForm((*request).reserveUpload)),
		getRoute(at.Uploads(), (*request).writeUploadedFilesJSON),
		postRoute(at.CancelUpload(id), (*request).deleteUploadEvenIfComplete),
		getRoute(at.CancelUpload(id), (*request).redirectToLibrary),

		getRoute(at.Settings(), (*request).redirectToSettings),
		returnablePageRoute(at.Profile(), (*request).showProfile),
		postRoute(at.Profile(), withForm((*request).editProfile)),
		returnablePageRoute(at.Security(), (*request).showSecurity),
		postRoute(at.Security(), withForm((*request).changePassword)),
		getRoute(at.EndAllSessions(), (*request).showEndAllSessionsConfirmation),
		postRoute(at.EndAllSessions(), (*request).endAllSessions),
		getRoute(at.EndSession(id), (*request).redirectToSecurity),
		postRoute(at.EndSession(id), (*request).endSessionByID),
		returnablePageRoute(at.Appearance(), (*request).showAppearance),
		returnablePageRoute(at.Usage(), (*request).showUsage),
		returnablePageRoute(at.AuditLog(link.AuditFilter{}), (*request).showAuditLog),
		returnablePageRoute(at.Search(""), (*request).showSearch),
		postRoute(at.HideFirstSteps(), (*request).hideFirstSteps),
		getRoute(at.HideFirstSteps(), (*request).redirectHomeOrAskToSignInOrSetUp),
		postRoute(at.SetShortcuts(), withForm((*request).setShortcuts)),
		getRoute(at.SetShortcuts(), (*request).showAppearance),
		returnablePageRoute(at.Keys(), (*request).showKeys),
		postRoute(at.Keys(), withForm((*request).createKey)),
		getRoute(at.RevokeKey(id), (*request).showRevokeKeyConfirmation),
		postRoute(at.RevokeKey(id), withForm(actOnce((*request).revokeKey))),
		returnablePageRoute(at.Members(), (*request).showMembers),
		postRoute(at.Members(), withForm((*request).inviteMember)),
		getRoute(at.ChangeRole(id), (*request).redirectToMembers),
		postRoute(at.ChangeRole(id), withForm(actOnce((*request).changeMemberOrInvitationRole))),
		getRoute(at.RemoveAccess(id), (*request).showRemoveAccessOrLeaveConfirmation),
		postRoute(at.RemoveAccess(id), withForm(actOnce((*request).removeAccessOrLeave))),
		returnablePageRoute(at.WorkspaceSettings(), (*request).showWorkspaceSettings),
		postRoute(at.WorkspaceSettings(), withForm((*request).editWorkspace)),
	}
}

// returnablePageRoute is the route of a page to which a sign-in or a Back link may lead.
func returnablePageRoute(path string, handle func(*request) error) route {
	return route{method: http.MethodGet, path: path, handle: handle, isReturnable: true}
}

func getRoute(path string, handle func(*request) error) route {
	return route{method: http.MethodGet, path: path, handle: handle}
}

func postRoute(path string, handle func(*request) error) route {
	return route{method: http.MethodPost, path: path, handle: handle}
}

// unlimitedUploadRoute is the route of a form with files. Its handler must limit the body's size and rate.
func unlimitedUploadRoute(path string, handle func(*request) error) route {
	return route{method: http.MethodPost, path: path, handle: handle, takesFiles: true}
}

// streamRoute is the route of a stream of events.
func streamRoute(path string, handle func(*request) error) route {
	return route{method: http.MethodGet, path: path, handle: handle, streams: true}
}

func publicRoute(method, path string, handle func(*request) error) route {
	return route{method: method, path: path, handle: handle, public: true}
}

// redirectToIcon redirects to the icon. Browsers request /favicon.ico if they have not loaded a page.
func (r *request) redirectToIcon() error {
	return r.echo.Redirect(http.StatusFound, static.URL("icon.svg"))
}
