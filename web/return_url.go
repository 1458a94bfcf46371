package web

import (
	"net/http"
	"net/url"
	"strings"

	"belfry/internal/core"
	"belfry/views/link"
)

// safeReturnURL returns the address of one of our pages that a request names, or "" if it names none. It builds a new
// address from the parsed parts, so that no other site's address can pass.
func safeReturnURL(said string) string {
	u, err := url.Parse(said)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" || u.RawPath != "" {
		return ""
	}
	q := u.Query()
	switch u.Path {
	case link.Posts(link.Filter{}):
		return link.Posts(link.Filter{
			Status: q.Get("status"), Account: q.Get("accountId"), Query: q.Get("q"),
			Cursor: q.Get("cursor"),
		})
	case link.Compose:
		if account := q.Get("account"); account != "" {
			return link.ComposeFor(account)
		}
		return link.Compose
	case link.Accounts, link.Profile, link.Keys, link.Members, link.Workspace:
		return u.Path
	}
	rest, ok := strings.CutPrefix(u.Path, link.Post(""))
	post, edit := strings.CutSuffix(rest, "/edit")
	if _, err := core.ParseID[core.PostKind](post); !ok || err != nil {
		return ""
	}
	if edit {
		return link.Edit(post)
	}
	return link.Post(post)
}

// currentPage returns the page of a request: its own for GET, or the page of its form.
func (r *request) currentPage() string {
	httpReq := r.echo.Request()
	if httpReq.Method == http.MethodGet && !r.wantsFragment() {
		return safeReturnURL(httpReq.URL.RequestURI())
	}
	return r.refererPage()
}

// refererPage returns the previous page if it is ours, or "".
func (r *request) refererPage() string {
	u, err := url.Parse(r.echo.Request().Referer())
	if err != nil || u.Host == "" || u.Host != r.echo.Request().Host && u.Host != r.web.cfg.PublicURL.Host {
		return ""
	}
	return safeReturnURL(u.RequestURI())
}
