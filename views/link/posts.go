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

// Post returns the address of a post's page.
func (w Workspace) Post(id string) string { return joinPath(w.At(posts), id) }

// PostSince returns the address for polling a post's page; version is the version that the reader has seen. The
// response is 204 if nothing has changed.
func (w Workspace) PostSince(id, version string) string {
	return withQuery(w.Post(id), url.Values{"seen": {version}})
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

// SendNow publishes a draft or a queued post after a moment in which it can be undone.
func (w Workspace) SendNow(id string) string { return joinPath(w.At(posts), id, "send-now") }

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
