package web

import (
	"net/url"
	"slices"
	"strings"

	"belfry/views/link"
)

// safeReturnURL returns an address from a request if it is the path of one of our pages, or else "". It is safe to
// redirect to the result.
func safeReturnURL(requested string) (urlOrEmpty string) {
	u, err := url.Parse(requested)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" || u.RawPath != "" {
		return ""
	}
	at, path := link.SplitWorkspace(u.Path)
	isPage := func(rt route) bool { return rt.isReturnable && matchesPath(rt.path, path) }
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
		return want == given || strings.HasPrefix(want, ":") && looksLikeID(given)
	})
}

// looksLikeID reports whether a part of a path looks like an id, for example "post_01kbmx0q7z".
func looksLikeID(s string) bool {
	kind, rest, ok := strings.Cut(s, "_")
	return ok && strings.Trim(kind+rest, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// requestedOrRefererPageURL returns the page that the person sees: the requested one or, for a form or a part, the one
// in Referer. It returns "" if that is not one of our pages.
func (r *request) requestedOrRefererPageURL() (urlOrEmpty string) {
	if r.isPageVisit() {
		return r.requestedPageURL()
	}
	return r.refererPageURL()
}

// requestedPageURL returns the page that is requested, or "" if the request is not for one of our pages.
func (r *request) requestedPageURL() (urlOrEmpty string) {
	if !r.isPageVisit() {
		return ""
	}
	return safeReturnURL(r.echo.Request().URL.RequestURI())
}

// findBackToCalendarURL returns the page of the calendar from which a post's page was opened: the one in Referer, or
// else the one that the address of the post's page or its form names. It returns "" if there is none.
func (r *request) findBackToCalendarURL() (urlOrEmpty string) {
	calendar := r.link.Calendar(link.Calendar{})
	for _, page := range []string{r.refererPageURL(), safeReturnURL(r.echo.FormValue(link.BackToCalendar))} {
		if path, _, _ := strings.Cut(page, "?"); path == calendar || strings.HasPrefix(path, calendar+"/") {
			return page
		}
	}
	return ""
}

// refererPageURL returns the page in Referer, or "" if that is not one of our pages.
func (r *request) refererPageURL() (urlOrEmpty string) {
	u, err := url.Parse(r.echo.Request().Referer())
	if err != nil || u.Host == "" || u.Host != r.echo.Request().Host && u.Host != r.web.cfg.PublicURL.Host {
		return ""
	}
	return safeReturnURL(u.RequestURI())
}
