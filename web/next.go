package web

import (
	"net/http"
	"net/url"
	"strings"

	"belfry/internal/core"
	"belfry/views/link"
)

// internal makes an address of one of our pages out of what a request says of one, "" when it is none. It
// is put together anew from what was understood, so nothing of another site's gets through.
func internal(said string) string {
	u, err := url.Parse(said)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" || u.RawPath != "" {
		return ""
	}
	q := u.Query()
	switch u.Path {
	case link.Posts(link.Filter{}):
		return link.Posts(link.Filter{Status: q.Get("status"), Account: q.Get("accountId"), Query: q.Get("q"), Cursor: q.Get("cursor")})
	case link.Compose:
		if account := q.Get("account"); account != "" {
			return link.ComposeFor(account)
		}
		return link.Compose
	case link.Accounts, link.Keys, link.Members, link.Workspace:
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

// here is the page that a request is about: its own when it reads one, else the one where its form stood.
func (v *visit) here() string {
	r := v.Request()
	if r.Method == http.MethodGet && !v.fragment() {
		return internal(r.URL.RequestURI())
	}
	return v.cameFrom()
}

// cameFrom is the page of ours where the person was, "" when that cannot be told.
func (v *visit) cameFrom() string {
	u, err := url.Parse(v.Request().Referer())
	if err != nil || u.Host == "" || u.Host != v.Request().Host && u.Host != v.web.cfg.PublicURL.Host {
		return ""
	}
	return internal(u.RequestURI())
}
