package link

import "net/url"

// AllPosts is the Filter.Status of all posts.
const AllPosts = "all"

// Filter filters the list of posts. All of it is in the address.
type Filter struct {
	Status   string // a state, AllPosts, or "" for the queued posts, soonest first
	Account  string
	Group    string
	Network  string
	From, To string // days, YYYY-MM-DD
	Query    string
	Cursor   string
}

// fields maps the parameters of an address to the fields of a filter.
func (f *Filter) fields() map[string]*string {
	return map[string]*string{
		"status": &f.Status, "accountId": &f.Account, "groupId": &f.Group, "network": &f.Network, "from": &f.From, "to": &f.To,
		"q": &f.Query, "cursor": &f.Cursor,
	}
}

// ReadFilter returns the filter in the query of an address.
func ReadFilter(query url.Values) Filter {
	var f Filter
	for name, field := range f.fields() {
		*field = query.Get(name)
	}
	if f.Status == "queued" {
		f.Status = ""
	}
	return f
}

func (f Filter) queryValues() url.Values {
	query := url.Values{}
	for name, field := range f.fields() {
		if *field != "" {
			query.Set(name, *field)
		}
	}
	return query
}

// Posts returns the address of the list; the zero Filter selects what is up next.
func (w Workspace) Posts(f Filter) string { return withQuery(w.At(posts), f.queryValues()) }

// PostsSince returns the address for polling the list; version is the version that the reader has seen. The response
// is 204 if nothing has changed.
func (w Workspace) PostsSince(f Filter, version string) string {
	query := f.queryValues()
	query.Set("seen", version)
	return withQuery(w.At(posts), query)
}

// Bulk applies an action to several posts (POST).
func (w Workspace) Bulk() string { return w.At(posts + "/bulk") }

// BulkDelete asks whether to delete several posts.
func (w Workspace) BulkDelete() string { return w.At(posts + "/bulk/delete") }

// Undo gives posts back the schedule that they had before an action (POST).
func (w Workspace) Undo() string { return w.At(posts + "/undo") }
