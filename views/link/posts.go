package link

import "net/url"

const posts = "/posts"

// Compose is the composer.
func (w Workspace) Compose() string { return w.At("/compose") }

// PlanPosts responds with the plan for the composer's form (POST).
func (w Workspace) PlanPosts() string { return w.At("/compose/plan") }

// AddComposerFiles adds uploaded and chosen files to the composer's form (POST).
func (w Workspace) AddComposerFiles() string { return w.At("/compose/files") }

// CreatePosts accepts the composer's form (POST).
func (w Workspace) CreatePosts() string { return w.At(posts) }

// PublishingHold is the page about a hold of publishing. It lists the posts that wait.
func (w Workspace) PublishingHold() string { return w.At("/on-hold") }

// Post is the page of a post.
func (w Workspace) Post(postID string) string { return joinPath(w.At(posts), postID) }

// BackToCalendar is the parameter of a post's page, and the input of its forms, that contains the address of the
// calendar from which the page was opened.
const BackToCalendar = "back"

// PostOpenedFrom is the page of a post with a link back to a page of the calendar. calendarURL may be empty.
func (w Workspace) PostOpenedFrom(postID, calendarURL string) string {
	query := url.Values{}
	if calendarURL != "" {
		query.Set(BackToCalendar, calendarURL)
	}
	return withQuery(w.Post(postID), query)
}

// PostSince is the address for polling the page PostOpenedFrom; seenHash is the ContentHash of what the page shows. The
// response is 204 if nothing has changed.
func (w Workspace) PostSince(postID, calendarURL, seenHash string) string {
	query := url.Values{"seen": {seenHash}}
	if calendarURL != "" {
		query.Set(BackToCalendar, calendarURL)
	}
	return withQuery(w.Post(postID), query)
}

// ComposeFor is the composer with an account selected.
func (w Workspace) ComposeFor(accountID string) string {
	return withQuery(w.Compose(), url.Values{"account": {accountID}})
}

// ComposeForGroup is the composer with the accounts of a group selected.
func (w Workspace) ComposeForGroup(groupID string) string {
	return withQuery(w.Compose(), url.Values{"group": {groupID}})
}

// EditPost shows the form of a draft or a queued post (GET) and accepts it (POST).
func (w Workspace) EditPost(postID string) string { return joinPath(w.At(posts), postID, "edit") }

// EditPostWhen is EditPost with a choice of time selected. when is the value of the choice in the composer.
func (w Workspace) EditPostWhen(postID, when string) string {
	return withQuery(w.EditPost(postID), url.Values{"when": {when}})
}

// PlanEditedPost responds with the plan for the form of EditPost (POST).
func (w Workspace) PlanEditedPost(postID string) string {
	return joinPath(w.At(posts), postID, "edit", "plan")
}

// AddFilesToEditedPost adds uploaded and chosen files to the form of EditPost (POST).
func (w Workspace) AddFilesToEditedPost(postID string) string {
	return joinPath(w.At(posts), postID, "edit", "files")
}

// QueuePost queues a draft that has a time (POST).
func (w Workspace) QueuePost(postID string) string { return joinPath(w.At(posts), postID, "queue") }

// SendPostNow publishes a draft or a queued post after a short delay in which the person can undo it (POST).
func (w Workspace) SendPostNow(postID string) string {
	return joinPath(w.At(posts), postID, "send-now")
}

// CancelPost turns a queued post into a draft, or stops the automatic retries of a failed post (POST).
func (w Workspace) CancelPost(postID string) string { return joinPath(w.At(posts), postID, "cancel") }

// ReschedulePost changes the time of a draft or a queued post (POST).
func (w Workspace) ReschedulePost(postID string) string {
	return joinPath(w.At(posts), postID, "reschedule")
}

// RetryPost queues a failed post again (POST).
func (w Workspace) RetryPost(postID string) string { return joinPath(w.At(posts), postID, "retry") }

// DuplicatePost creates a draft with the content of a post (POST).
func (w Workspace) DuplicatePost(postID string) string {
	return joinPath(w.At(posts), postID, "duplicate")
}

// DeletePost asks for confirmation (GET) and deletes a post (POST).
func (w Workspace) DeletePost(postID string) string { return joinPath(w.At(posts), postID, "delete") }

// ResolveOutcome records whether a post with an unknown outcome is live, as a person reports (POST).
func (w Workspace) ResolveOutcome(postID string) string {
	return joinPath(w.At(posts), postID, "settle")
}
