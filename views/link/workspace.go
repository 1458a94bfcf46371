package link

import (
	"net/url"
	"strings"
)

// Workspace is the slug of a workspace. Its methods return the addresses of the workspace's pages. The
// addresses of the zero Workspace contain no slug, and redirect to the workspace that the person visited last.
type Workspace string

// workspaces is the prefix of the addresses that contain a workspace's slug.
const workspaces = "/w/"

// At returns the address of a path in the workspace.
func (w Workspace) At(path string) string {
	if w == "" {
		return path
	}
	return workspaces + url.PathEscape(string(w)) + path
}

// ChangeStream is the stream of changes in the workspace, to which open pages listen.
func (w Workspace) ChangeStream() string { return w.At("/live") }

// Home is the workspace's start page: its list of posts.
func (w Workspace) Home() string { return w.Posts(Filter{}) }

// SplitWorkspace splits a path into its workspace and the rest. For a path without a workspace, it returns the zero
// Workspace and the whole path.
func SplitWorkspace(path string) (w Workspace, rest string) {
	named, ok := strings.CutPrefix(path, workspaces)
	if !ok || named == "" || named[0] == '/' {
		return "", path
	}
	if i := strings.IndexByte(named, '/'); i > 0 {
		return Workspace(named[:i]), named[i:]
	}
	return Workspace(named), ""
}

// Search shows the pages, actions, accounts and posts that match a query. For an empty query, it is the search page.
func (w Workspace) Search(query string) string {
	if query == "" {
		return w.At("/search")
	}
	return withQuery(w.At("/search"), url.Values{"q": {query}})
}

// HideFirstSteps hides the first steps (POST).
func (w Workspace) HideFirstSteps() string { return w.At("/first-steps/hide") }
