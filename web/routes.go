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
	public       bool // also for strangers
	takesFiles   bool // in a form of any size, which it reads itself
}

// id is the path parameter for the id of a post, an account, a key or a network.
const id = ":id"

// token is the path parameter for a secret, which the access log omits.
const token = ":token"

// allRoutes returns all routes of the dashboard.
func allRoutes() []route {
	return []route{
		publicRoute(http.MethodGet, link.Home, (*request).redirectHome),
		publicRoute(http.MethodGet, "/favicon.ico", (*request).redirectToIcon),
		publicRoute(http.MethodGet, link.APIDocs, (*request).showAPIDocs),
		publicRoute(http.MethodGet, link.SetUp, (*request).showSetUp),
		publicRoute(http.MethodPost, link.SetUp, withForm((*request).setUp)),
		publicRoute(http.MethodGet, link.SignIn, (*request).showSignIn),
		publicRoute(http.MethodPost, link.SignIn, withForm((*request).signIn)),
		publicRoute(http.MethodPost, link.SignOut, (*request).signOut),
		publicRoute(http.MethodGet, link.Invitation(token), (*request).showInvitation),
		publicRoute(http.MethodPost, link.Invitation(token), withForm((*request).acceptInvitation)),
		publicRoute(http.MethodGet, link.Erasure(token), (*request).showErasure),
		getRoute(link.Switch, (*request).redirectHome),
		postRoute(link.Switch, withForm((*request).switchWorkspace)),

		getRoute(link.Accounts, (*request).showAccounts),
		getRoute(link.Connect(id), (*request).startConnect),
		getRoute(link.ConnectCallback(id), (*request).finishConnect),
		getRoute(link.ChooseProfiles, (*request).showProfileChoice),
		postRoute(link.ChooseProfiles, withForm((*request).chooseProfiles)),
		getRoute(link.Reconnect(id), (*request).startReconnect),
		getRoute(link.Disconnect(id), (*request).confirmDisconnect),
		postRoute(link.Disconnect(id), (*request).disconnectAccount),

		getRoute(link.Compose, (*request).showComposer),
		getRoute(link.Plan, (*request).showComposer),
		postRoute(link.Plan, withForm((*request).planPosts)),
		getRoute(link.ComposeFiles, (*request).showComposer),
		uploadRoute(link.ComposeFiles, (*request).addFiles),
		postRoute(link.Create, withForm((*request).createPosts)),
		getRoute(link.Posts(link.Filter{}), (*request).showPosts),
		getRoute(link.OnHold, (*request).showPostsOnHold),
		getRoute(link.Post(id), (*request).showPost),
		getRoute(link.Edit(id), (*request).showEditor),
		postRoute(link.Edit(id), withForm((*request).saveDraft)),
		postRoute(link.EditPlan(id), withForm((*request).planPosts)),
		uploadRoute(link.EditFiles(id), (*request).addFiles),
		getRoute(link.EditFiles(id), (*request).redirectToPost),
		postRoute(link.Queue(id), (*request).queuePost),
		postRoute(link.SendNow(id), (*request).sendPostNow),
		postRoute(link.Reschedule(id), withForm((*request).reschedulePost)),
		postRoute(link.Cancel(id), (*request).cancelPost),
		postRoute(link.Retry(id), (*request).retryPost),
		postRoute(link.Duplicate(id), (*request).duplicatePost),
		getRoute(link.EditPlan(id), (*request).redirectToPost),
		getRoute(link.Queue(id), (*request).redirectToPost),
		getRoute(link.SendNow(id), (*request).confirmSendNow),
		getRoute(link.Reschedule(id), (*request).redirectToPost),
		getRoute(link.Cancel(id), (*request).redirectToPost),
		getRoute(link.Retry(id), (*request).redirectToPost),
		getRoute(link.Duplicate(id), (*request).redirectToPost),
		getRoute(link.Settle(id), (*request).redirectToPost),
		getRoute(link.Delete(id), (*request).confirmDelete),
		postRoute(link.Delete(id), (*request).deletePost),
		postRoute(link.Settle(id), withForm((*request).settlePost)),

		getRoute(link.Settings, (*request).redirectToSettings),
		getRoute(link.Profile, (*request).showProfile),
		getRoute(link.Keys, (*request).showKeys),
		postRoute(link.Keys, withForm((*request).createKey)),
		getRoute(link.RevokeKey(id), (*request).confirmRevoke),
		postRoute(link.RevokeKey(id), (*request).revokeKey),

		getRoute(link.Members, (*request).showMembers),
		postRoute(link.Members, withForm((*request).inviteMember)),
		getRoute(link.Member(id), (*request).redirectToMembers),
		postRoute(link.Member(id), withForm((*request).editMember)),
		getRoute(link.RemoveMember(id), (*request).confirmRemoval),
		postRoute(link.RemoveMember(id), (*request).removeMember),
		getRoute(link.Workspace, (*request).showWorkspace),
		postRoute(link.Workspace, withForm((*request).editWorkspace)),
	}
}

func getRoute(path string, handle func(*request) error) route {
	return route{method: http.MethodGet, path: path, handle: handle}
}

func postRoute(path string, handle func(*request) error) route {
	return route{method: http.MethodPost, path: path, handle: handle}
}

func uploadRoute(path string, handle func(*request) error) route {
	return route{method: http.MethodPost, path: path, handle: handle, takesFiles: true}
}

func publicRoute(method, path string, handle func(*request) error) route {
	return route{method: method, path: path, handle: handle, public: true}
}

// redirectToIcon redirects to the icon, for browsers that have not read a page.
func (r *request) redirectToIcon() error {
	return r.echo.Redirect(http.StatusFound, static.URL("icon.svg"))
}
