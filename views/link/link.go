// Package link holds every address of the dashboard as a function, so that none is spelled elsewhere. The pages of a
// workspace are methods of Workspace.
//
// A route table gives the functions placeholders: Workspace(":workspace").Post(":id") is "/w/:workspace/posts/:id".
package link

import (
	"net/url"
	"strings"
)

// Pages that stand by themselves.
const (
	Home    = "/"
	SetUp   = "/set-up"
	SignIn  = "/sign-in"
	SignOut = "/sign-out"
	APIDocs = "/docs/api"
	// Design shows the design system, in sandbox mode only.
	Design = "/design"
)

// SignInFor returns the sign-in page that leads back to a page of the dashboard.
func SignInFor(next string) string {
	if next == "" {
		return SignIn
	}
	return SignIn + "?" + url.Values{"next": {next}}.Encode()
}

// Invitation returns the address of an invitation link (GET) and of its form (POST).
func Invitation(token string) string { return joinPath("/invitations", token) }

// joinPath joins a collection, an id and further parts.
func joinPath(collection, id string, rest ...string) string {
	return strings.Join(append([]string{collection, url.PathEscape(id)}, rest...), "/")
}

func withQuery(path string, query url.Values) string {
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}
