package link

import "net/url"

// Addresses of posts without an id. Compose is the composer, Create accepts its form, and Plan returns the plan for
// the same form.
const (
	Compose = "/compose"
	Plan    = "/compose/plan"
	Create  = "/posts"
	// ComposeFiles adds uploaded and chosen files to the composer's form.
	ComposeFiles = "/compose/files"
)

const posts = "/posts"

// Filter filters the list of posts. All of it is in the address.
type Filter struct {
	Status  string // a state, or "" for all
	Account string
	Query   string
	Cursor  string
}

// Posts returns the address of the list; the zero Filter selects all posts.
func Posts(f Filter) string { return withQuery(posts, f.queryValues()) }

func (f Filter) queryValues() url.Values {
	query := url.Values{}
	for name, value := range map[string]string{"status": f.Status, "accountId": f.Account, "q": f.Query, "cursor": f.Cursor} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return query
}

// Post returns the address of a post's page.
func Post(id string) string { return joinPath(posts, id) }

// PostSince returns the address for polling a post's page; version is the version that the reader has seen. The
// response is 204 if nothing has changed.
func PostSince(id, version string) string {
	return withQuery(Post(id), url.Values{"seen": {version}})
}

// PostsSince returns the address for polling the list; version is the version that the reader has seen. The response
// is 204 if nothing has changed.
func PostsSince(f Filter, version string) string {
	query := f.queryValues()
	query.Set("seen", version)
	return withQuery(posts, query)
}

// ComposeFor returns the composer's address with an account selected.
func ComposeFor(account string) string { return withQuery(Compose, url.Values{"account": {account}}) }

// Edit returns the address of a draft's form, and accepts the form.
func Edit(id string) string { return joinPath(posts, id, "edit") }

// EditPlan returns the plan for the form of a draft.
func EditPlan(id string) string { return joinPath(posts, id, "edit", "plan") }

// EditFiles adds uploaded and chosen files to the form of a draft.
func EditFiles(id string) string { return joinPath(posts, id, "edit", "files") }

// Queue queues a draft that has a time.
func Queue(id string) string { return joinPath(posts, id, "queue") }

// SendNow publishes a draft or a queued post immediately.
func SendNow(id string) string { return joinPath(posts, id, "send-now") }

// ConfirmSendNow asks whether to publish the post in the revision that its reader has seen.
func ConfirmSendNow(id, revision string) string {
	return withQuery(SendNow(id), url.Values{"revision": {revision}})
}

// Cancel turns a queued post into a draft.
func Cancel(id string) string { return joinPath(posts, id, "cancel") }

// Reschedule changes the time of a draft or a queued post.
func Reschedule(id string) string { return joinPath(posts, id, "reschedule") }

// Retry sends a failed post again.
func Retry(id string) string { return joinPath(posts, id, "retry") }

// Duplicate creates a draft with the same content.
func Duplicate(id string) string { return joinPath(posts, id, "duplicate") }

// Delete asks for confirmation (GET) and deletes the post (POST).
func Delete(id string) string { return joinPath(posts, id, "delete") }

// Settle accepts a person's answer about a post with an unknown outcome.
func Settle(id string) string { return joinPath(posts, id, "settle") }
