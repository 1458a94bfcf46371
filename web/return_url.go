package web

import (
	"net/url"
	"slices"
	"strings"

	"belfry/views/link"
)

// safeReturnURL returns an address from a request if it is the path of one of our pages, or else "". It is safe to
// redirect to the result.
func safeReturnURL(said string) string {
	u, err := url.Parse(said)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" || u.RawPath != "" {
		return ""
	}
	at, path := link.SplitWorkspace(u.Path)
	isPage := func(rt route) bool { return rt.isPage && matchesPath(rt.path, path) }
	if !slices.ContainsFunc(workspaceRoutes(""), isPage) {
		return ""
	}
	if query := u.Query(); len(query) > 0 {
		path += "?" + query.Encode()
	}
	return at.At(path)
}

// matchesPath reports whether a path matches that of a route.
func matchesPath(pattern, path string) bool {
	want, given := strings.Split(pattern, "/"), strings.Split(path, "/")
	return slices.EqualFunc(want, given, func(want, given string) bool {
		return want == given || strings.HasPrefix(want, ":") && isID(given)
	})
}

// isID reports whether a part of a path looks like an id, for example "post_01kbmx0q7z".
func isID(s string) bool {
	kind, rest, ok := strings.Cut(s, "_")
	return ok && strings.Trim(kind+rest, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// currentPage returns the page that the person sees: the requested one or, for a form or a part, the one in Referer. It
// returns "" if that is none of ours.
func (r *request) currentPage() string {
	if r.isPageVisit() {
		return r.ownPage()
	}
	return r.refererPage()
}

// ownPage returns the page that is requested, or "" if the request is not for one of our pages.
func (r *request) ownPage() string {
	if !r.isPageVisit() {
		return ""
	}
	return safeReturnURL(r.echo.Request().URL.RequestURI())
}

// refererPage returns the page in Referer, or "" if that is none of ours.
func (r *request) refererPage() string {
	u, err := url.Parse(r.echo.Request().Referer())
	if err != nil || u.Host == "" || u.Host != r.echo.Request().Host && u.Host != r.web.cfg.PublicURL.Host {
		return ""
	}
	return safeReturnURL(u.RequestURI())
}
