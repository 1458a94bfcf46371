// Package link has a function for each address of the dashboard; no other package spells out an address. The pages of
// a workspace are methods of Workspace.
//
// The route table passes placeholders to these functions: Workspace(":workspace").Post(":id") returns
// "/w/:workspace/posts/:id".
package link

import (
	"net/url"
	"strings"
)

// Pages outside a workspace.
const (
	Home    = "/"
	SetUp   = "/set-up"
	SignIn  = "/sign-in"
	SignOut = "/sign-out"
	APIDocs = "/docs/api"
	// Design shows the design system. It exists only in sandbox mode.
	Design = "/design"
)

// SignInFor returns the address of the sign-in page. After the sign-in, the person is redirected to next, a page of the
// dashboard; next may be empty.
func SignInFor(next string) string {
	if next == "" {
		return SignIn
	}
	return SignIn + "?" + url.Values{"next": {next}}.Encode()
}

// Invitation returns the address of an invitation link (GET) and of its form (POST).
func Invitation(token string) string { return joinPath("/invitations", token) }

// joinPath joins a collection, an id, which it escapes, and further parts, which it does not escape.
func joinPath(collection, unescapedID string, escapedRest ...string) string {
	return strings.Join(append([]string{collection, url.PathEscape(unescapedID)}, escapedRest...), "/")
}

// withQuery returns a path with a query, or only the path if the query is empty.
func withQuery(path string, query url.Values) string {
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}
