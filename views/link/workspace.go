package link

import (
	"net/url"
	"strings"
)

// Workspace makes the addresses of a workspace's pages from its slug. The zero Workspace makes addresses without a
// slug, which lead on to the workspace that the person visited last.
type Workspace string

// workspaces is the start of the addresses that name a workspace.
const workspaces = "/w/"

// At returns the address of a path in the workspace.
func (w Workspace) At(path string) string {
	if w == "" {
		return path
	}
	return workspaces + url.PathEscape(string(w)) + path
}

// Live returns the stream of changes in the workspace, for its open pages.
func (w Workspace) Live() string { return w.At("/live") }

// Home returns the page on which a visit to the workspace begins.
func (w Workspace) Home() string { return w.Posts(Filter{}) }

// SplitWorkspace returns the workspace that a path names and the rest of the path. For a path that names none, it
// returns the zero Workspace and the path.
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

// Search returns the results of a search among pages, actions, accounts and posts.
func (w Workspace) Search(query string) string {
	if query == "" {
		return w.At("/search")
	}
	return withQuery(w.At("/search"), url.Values{"q": {query}})
}

// HideFirstSteps hides the first steps (POST).
func (w Workspace) HideFirstSteps() string { return w.At("/first-steps/hide") }
