package link

import (
	"net/url"
	"strings"
)

// AllPosts is the value of Filter.Status that selects all posts.
const AllPosts = "all"

// Filter selects posts for the list. Its fields are in the query of the list's address.
type Filter struct {
	Status   string // a state, AllPosts, or "" for the queued posts, soonest first
	Account  string
	Group    string
	Network  string
	From, To string // days, YYYY-MM-DD
	Query    string
	Cursor   string
}

// fieldsByParam maps the parameters of the query to the fields of the filter.
func (f *Filter) fieldsByParam() map[string]*string {
	return map[string]*string{
		"status": &f.Status, "accountId": &f.Account, "groupId": &f.Group, "network": &f.Network,
		"from": &f.From, "to": &f.To, "q": &f.Query, "cursor": &f.Cursor,
	}
}

// ParseFilter parses the query of an address.
func ParseFilter(query url.Values) Filter {
	var f Filter
	for name, field := range f.fieldsByParam() {
		*field = query.Get(name)
	}
	if f.Status == "queued" {
		f.Status = ""
	}
	return f
}

// HasConditionsBesideStatus reports whether the filter selects by more than the status.
func (f Filter) HasConditionsBesideStatus() bool {
	return f != Filter{Status: f.Status, Cursor: f.Cursor}
}

func (f Filter) queryValues() url.Values {
	query := url.Values{}
	for name, field := range f.fieldsByParam() {
		if *field != "" {
			query.Set(name, *field)
		}
	}
	return query
}

// Posts is the list of posts; the zero Filter selects the queued ones.
func (w Workspace) Posts(f Filter) string { return withQuery(w.At(posts), f.queryValues()) }

// PostsSince is the address for polling the list; seenHash is the ContentHash of what the page shows. The response is
// 204 if nothing has changed.
func (w Workspace) PostsSince(f Filter, seenHash string) string {
	query := f.queryValues()
	query.Set("seen", seenHash)
	return withQuery(w.At(posts), query)
}

// ChangeSelectedPosts applies an action, such as rescheduling, to several posts (POST).
func (w Workspace) ChangeSelectedPosts() string { return w.At(posts + "/bulk") }

// ConfirmDeletingPosts asks for confirmation before ChangeSelectedPosts deletes several posts.
func (w Workspace) ConfirmDeletingPosts() string { return w.At(posts + "/bulk/delete") }

// SentPostIDs is the parameter of SentPostsFlash: the posts' ids, separated by spaces.
const SentPostIDs = "posts"

// SentPostsFlash is the message about posts that were sent, as an update of an open page.
func (w Workspace) SentPostsFlash(ids ...string) string {
	query := url.Values{}
	if len(ids) > 0 {
		query.Set(SentPostIDs, strings.Join(ids, " "))
	}
	return withQuery(w.At(posts+"/sent"), query)
}

// UndoPostChange restores the schedules that posts had before an action (POST).
func (w Workspace) UndoPostChange() string { return w.At(posts + "/undo") }
