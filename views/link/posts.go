package link

import "net/url"

// Addresses of posts that carry no id. Compose is the page; Create takes its form, and Plan answers the
// same form with what would happen.
const (
	Compose = "/compose"
	Plan    = "/compose/plan"
	Create  = "/posts"
)

const posts = "/posts"

// Filter narrows the list of posts. All of it stands in the address.
type Filter struct {
	Status  string // a state, or "" for all
	Account string
	Query   string
	Cursor  string
}

// Posts is the list; the zero Filter is the whole of it.
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

// Post is a post's page.
func Post(id string) string { return joinPath(posts, id) }

// PostSince is a post's page for a reader who has seen it in a version: the answer is 204 as long as
// there is nothing new.
func PostSince(id, version string) string {
	return withQuery(Post(id), url.Values{"seen": {version}})
}

// PostsSince is the list for a reader who has seen it in a version: the answer is 204 as long as there is
// nothing new.
func PostsSince(f Filter, version string) string {
	query := f.queryValues()
	query.Set("seen", version)
	return withQuery(posts, query)
}

// ComposeFor is the compose page with accounts already chosen.
func ComposeFor(account string) string { return withQuery(Compose, url.Values{"account": {account}}) }

// Edit is the form of a draft, and takes it.
func Edit(id string) string { return joinPath(posts, id, "edit") }

// EditPlan answers the form of a draft with what would happen.
func EditPlan(id string) string { return joinPath(posts, id, "edit", "plan") }

// Queue takes a draft that has a time onto the queue.
func Queue(id string) string { return joinPath(posts, id, "queue") }

// SendNow publishes a draft or a queued post at once.
func SendNow(id string) string { return joinPath(posts, id, "send-now") }

// ConfirmSendNow asks whether to publish the post in the revision that its reader has seen.
func ConfirmSendNow(id, revision string) string {
	return withQuery(SendNow(id), url.Values{"revision": {revision}})
}

// Cancel takes a queued post back to the drafts.
func Cancel(id string) string { return joinPath(posts, id, "cancel") }

// Reschedule gives a draft or a queued post another time.
func Reschedule(id string) string { return joinPath(posts, id, "reschedule") }

// Retry sends a failed post again.
func Retry(id string) string { return joinPath(posts, id, "retry") }

// Duplicate makes a draft with the same content.
func Duplicate(id string) string { return joinPath(posts, id, "duplicate") }

// Delete asks for a confirmation (GET) and deletes (POST).
func Delete(id string) string { return joinPath(posts, id, "delete") }

// Settle takes what a person saw at the network of a post whose outcome is unknown.
func Settle(id string) string { return joinPath(posts, id, "settle") }
