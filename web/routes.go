package web

import (
	"net/http"

	"belfry/static"
	"belfry/views/link"
)

// route is a page or an act.
type route struct {
	method, path string
	handle       func(*visit) error
	open         bool // also for strangers
}

// id stands in a route's path for the id of a post, an account, a key or a network.
const id = ":id"

// token stands in a route's path for a secret, which the access log leaves out.
const token = ":token"

// routes is every address of the dashboard.
func routes() []route {
	return []route{
		open(http.MethodGet, link.Home, (*visit).home),
		open(http.MethodGet, "/favicon.ico", (*visit).favicon),
		open(http.MethodGet, link.APIDocs, (*visit).apiDocs),
		open(http.MethodGet, link.SetUp, (*visit).setUpForm),
		open(http.MethodPost, link.SetUp, (*visit).setUp),
		open(http.MethodGet, link.SignIn, (*visit).signInForm),
		open(http.MethodPost, link.SignIn, (*visit).signIn),
		open(http.MethodPost, link.SignOut, (*visit).signOut),
		open(http.MethodGet, link.Invitation(token), (*visit).invitation),
		open(http.MethodPost, link.Invitation(token), (*visit).join),
		get(link.Switch, (*visit).home),
		post(link.Switch, (*visit).switchWorkspace),

		get(link.Accounts, (*visit).accounts),
		get(link.Connect(id), (*visit).connect),
		get(link.ConnectCallback(id), (*visit).connected),
		get(link.ChooseProfiles, (*visit).chooseForm),
		post(link.ChooseProfiles, (*visit).choose),
		get(link.Reconnect(id), (*visit).reconnect),
		get(link.Disconnect(id), (*visit).confirmDisconnect),
		post(link.Disconnect(id), (*visit).disconnect),

		get(link.Compose, (*visit).compose),
		get(link.Plan, (*visit).compose),
		post(link.Plan, (*visit).planPosts),
		post(link.Create, (*visit).createPosts),
		get(link.Posts(link.Filter{}), (*visit).posts),
		get(link.Post(id), (*visit).post),
		get(link.Edit(id), (*visit).editForm),
		post(link.Edit(id), (*visit).edit),
		post(link.EditPlan(id), (*visit).planEdit),
		post(link.Queue(id), (*visit).queue),
		post(link.SendNow(id), (*visit).sendNow),
		post(link.Reschedule(id), (*visit).reschedule),
		post(link.Cancel(id), (*visit).cancel),
		post(link.Retry(id), (*visit).retry),
		post(link.Duplicate(id), (*visit).duplicate),
		get(link.EditPlan(id), (*visit).toPost),
		get(link.Queue(id), (*visit).toPost),
		get(link.SendNow(id), (*visit).confirmSendNow),
		get(link.Reschedule(id), (*visit).toPost),
		get(link.Cancel(id), (*visit).toPost),
		get(link.Retry(id), (*visit).toPost),
		get(link.Duplicate(id), (*visit).toPost),
		get(link.Settle(id), (*visit).toPost),
		get(link.Delete(id), (*visit).confirmDelete),
		post(link.Delete(id), (*visit).remove),
		post(link.Settle(id), (*visit).settle),

		get(link.Settings, (*visit).settings),
		get(link.Keys, (*visit).keys),
		post(link.Keys, (*visit).createKey),
		get(link.RevokeKey(id), (*visit).confirmRevoke),
		post(link.RevokeKey(id), (*visit).revokeKey),

		get(link.Members, (*visit).members),
		post(link.Members, (*visit).invite),
		get(link.Member(id), (*visit).toMembers),
		post(link.Member(id), (*visit).editMember),
		get(link.RemoveMember(id), (*visit).confirmRemoval),
		post(link.RemoveMember(id), (*visit).removeMember),
		get(link.Workspace, (*visit).workspace),
		post(link.Workspace, (*visit).editWorkspace),
	}
}

func get(path string, handle func(*visit) error) route {
	return route{method: http.MethodGet, path: path, handle: handle}
}

func post(path string, handle func(*visit) error) route {
	return route{method: http.MethodPost, path: path, handle: handle}
}

func open(method, path string, handle func(*visit) error) route {
	return route{method: method, path: path, handle: handle, open: true}
}

// favicon is what browsers ask for without having read a page.
func (v *visit) favicon() error { return v.Redirect(http.StatusFound, static.URL("icon.svg")) }
