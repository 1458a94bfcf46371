package link

import "net/url"

const posts = "/posts"

// Compose returns the address of the composer.
func (w Workspace) Compose() string { return w.At("/compose") }

// Plan returns the plan for the composer's form.
func (w Workspace) Plan() string { return w.At("/compose/plan") }

// ComposeFiles adds uploaded and chosen files to the composer's form.
func (w Workspace) ComposeFiles() string { return w.At("/compose/files") }

// Create accepts the composer's form.
func (w Workspace) Create() string { return w.At(posts) }

// OnHold lists the affected posts while publishing is on hold.
func (w Workspace) OnHold() string { return w.At("/on-hold") }

// Filter filters the list of posts. All of it is in the address.
type Filter struct {
	Status  string // a state, or "" for all
	Account string
	Query   string
	Cursor  string
}

// Posts returns the address of the list; the zero Filter selects all posts.
func (w Workspace) Posts(f Filter) string { return withQuery(w.At(posts), f.queryValues()) }

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
func (w Workspace) Post(id string) string { return joinPath(w.At(posts), id) }

// PostSince returns the address for polling a post's page; version is the version that the reader has seen. The
// response is 204 if nothing has changed.
func (w Workspace) PostSince(id, version string) string {
	return withQuery(w.Post(id), url.Values{"seen": {version}})
}

// PostsSince returns the address for polling the list; version is the version that the reader has seen. The response
// is 204 if nothing has changed.
func (w Workspace) PostsSince(f Filter, version string) string {
	query := f.queryValues()
	query.Set("seen", version)
	return withQuery(w.At(posts), query)
}

// ComposeFor returns the composer's address with an account selected.
func (w Workspace) ComposeFor(account string) string {
	return withQuery(w.Compose(), url.Values{"account": {account}})
}

// Edit returns the address of a draft's form, and accepts the form.
func (w Workspace) Edit(id string) string { return joinPath(w.At(posts), id, "edit") }

// EditPlan returns the plan for the form of a draft.
func (w Workspace) EditPlan(id string) string { return joinPath(w.At(posts), id, "edit", "plan") }

// EditFiles adds uploaded and chosen files to the form of a draft.
func (w Workspace) EditFiles(id string) string { return joinPath(w.At(posts), id, "edit", "files") }

// Queue queues a draft that has a time.
func (w Workspace) Queue(id string) string { return joinPath(w.At(posts), id, "queue") }

// SendNow publishes a draft or a queued post immediately.
func (w Workspace) SendNow(id string) string { return joinPath(w.At(posts), id, "send-now") }

// ConfirmSendNow asks whether to publish the post in the revision that its reader has seen.
func (w Workspace) ConfirmSendNow(id, revision string) string {
	return withQuery(w.SendNow(id), url.Values{"revision": {revision}})
}

// Cancel turns a queued post into a draft.
func (w Workspace) Cancel(id string) string { return joinPath(w.At(posts), id, "cancel") }

// Reschedule changes the time of a draft or a queued post.
func (w Workspace) Reschedule(id string) string { return joinPath(w.At(posts), id, "reschedule") }

// Retry sends a failed post again.
func (w Workspace) Retry(id string) string { return joinPath(w.At(posts), id, "retry") }

// Duplicate creates a draft with the same content.
func (w Workspace) Duplicate(id string) string { return joinPath(w.At(posts), id, "duplicate") }

// Delete asks for confirmation (GET) and deletes the post (POST).
func (w Workspace) Delete(id string) string { return joinPath(w.At(posts), id, "delete") }

// Settle accepts a person's answer about a post with an unknown outcome.
func (w Workspace) Settle(id string) string { return joinPath(w.At(posts), id, "settle") }
