package metasim

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strconv"
	"time"

	"belfry/internal/network/sim"
)

// Limits of a page of a list.
const (
	defaultLimit = 25
	maxLimit     = 100
)

// ListParams are the parameters of every list.
var ListParams = []string{"fields", "limit", "after", "before", "since", "until"}

func readLimitOrDefault(params url.Values) (int, error) {
	text := params.Get("limit")
	if text == "" {
		return defaultLimit, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxLimit {
		return 0, Bad("Param limit must be a number from 1 to %d", maxLimit)
	}
	return n, nil
}

// ReadTime reads a Unix time or a date from a parameter. It returns zero if the parameter is missing.
func ReadTime(params url.Values, name string) (time.Time, error) {
	text := params.Get(name)
	if text == "" {
		return time.Time{}, nil
	}
	if unix, err := strconv.ParseInt(text, 10, 64); err == nil {
		return time.Unix(unix, 0).UTC(), nil
	}
	for _, format := range []string{time.RFC3339, timeFormat, time.DateOnly} {
		if t, err := time.Parse(format, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, Bad("Param %s must be a Unix timestamp or a date", name)
}

const timeFormat = "2006-01-02T15:04:05-0700"

// FormatTime writes a time as Graph APIs do.
func FormatTime(t time.Time) string { return t.UTC().Format(timeFormat) }

func newCursor(id string) string { return base64.RawURLEncoding.EncodeToString([]byte(id)) }

// findCursorIndex returns the index of the node that a cursor identifies, or the value of otherwise if there is no
// cursor.
func findCursorIndex(params url.Values, name string, ids []string, otherwise int) (int, error) {
	if params.Get(name) == "" {
		return otherwise, nil
	}
	id, err := base64.RawURLEncoding.DecodeString(params.Get(name))
	i := slices.Index(ids, string(id))
	if err != nil || i < 0 {
		return 0, Bad("Invalid cursor in param %s", name)
	}
	return i, nil
}

// ListNodes returns a page of nodes with the requested fields. address is the list's address without a query.
func ListNodes[T any](
	q *sim.Request, address string, kind Kind, items []T, id func(T) string, node func(T) map[string]any,
) (any, error) {
	limit, err := readLimitOrDefault(q.Params)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(items))
	for i, item := range items {
		ids[i] = id(item)
	}
	after, err := findCursorIndex(q.Params, "after", ids, -1)
	if err != nil {
		return nil, err
	}
	before, err := findCursorIndex(q.Params, "before", ids, len(ids))
	if err != nil {
		return nil, err
	}
	first := min(after+1, before)
	last := min(first+limit, before)
	data := make([]any, 0, last-first)
	for _, item := range items[first:last] {
		picked, err := kind.Pick(q.Params.Get("fields"), node(item))
		if err != nil {
			return nil, err
		}
		data = append(data, picked)
	}
	body := map[string]any{"data": data}
	if len(data) > 0 {
		end := newCursor(ids[last-1])
		paging := map[string]any{"cursors": map[string]any{"before": newCursor(ids[first]), "after": end}}
		if last < before {
			paging["next"] = nextPageURL(q, address, end)
		}
		body["paging"] = paging
	}
	return body, nil
}

// nextPageURL returns the address of the next page. It contains the token only if the request's address did.
func nextPageURL(q *sim.Request, address, after string) string {
	next := url.Values{"after": {after}}
	for name, values := range q.Params {
		if name != "before" && name != "after" {
			next[name] = values
		}
	}
	if q.R.Header.Get("Authorization") == "" {
		next.Set("access_token", q.Bearer)
	}
	return address + "?" + next.Encode()
}

// PostsBetween returns the posts of an account that a list shows, newest first: the posts that fit and are between the
// parameters since and until. It leaves out deleted posts, and posts younger than the delay option.
func (g *Graph) PostsBetween(
	q *sim.Request, account, delayOption string, fits func(sim.Post) bool,
) ([]sim.Post, error) {
	since, err := ReadTime(q.Params, "since")
	if err != nil {
		return nil, err
	}
	until, err := ReadTime(q.Params, "until")
	if err != nil {
		return nil, err
	}
	newest := g.API.Kit.Now().Add(-g.API.Kit.SecondsOption(delayOption))
	if !until.IsZero() && until.Before(newest) {
		newest = until
	}
	var posts []sim.Post
	for p := range g.API.Kit.Posts.Newest(g.API.Network, account) {
		if p.CreatedAt.Before(since) {
			break
		}
		if p.DeletedAt.IsZero() && !p.CreatedAt.After(newest) && fits(p) {
			posts = append(posts, p)
		}
	}
	return posts, nil
}

// ListPosts returns a page of an account's posts.
func (g *Graph) ListPosts(
	q *sim.Request, edge, delayOption string, kind Kind, fits func(sim.Post) bool, node func(sim.Post) map[string]any,
) (any, error) {
	posts, err := g.PostsBetween(q, q.Account, delayOption, fits)
	if err != nil {
		return nil, err
	}
	id := func(p sim.Post) string { return p.ID }
	return ListNodes(q, GraphAddress(q, q.Account, edge), kind, posts, id, node)
}

// DeletePost deletes a post and returns the body of the response.
func (g *Graph) DeletePost(p sim.Post) (any, error) {
	p.DeletedAt = g.API.Kit.Now()
	if err := g.API.Kit.Posts.Put(p); err != nil {
		return nil, err
	}
	return map[string]any{"success": true, "deleted_id": p.ID}, nil
}
