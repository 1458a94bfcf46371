package app

import (
	"cmp"
	"context"
	"slices"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/store"
)

// CalendarPost is a post as a calendar shows it. It may represent several posts that one request created for the same
// time.
type CalendarPost struct {
	// Together is how many posts the entry represents, and Platforms are their networks.
	Together  int
	Platforms []core.Platform
	// Replaced reports that they failed and that each has a live copy.
	Replaced bool

	ID       string
	Account  string // the account's display name
	Platform core.Platform
	Status   core.PostStatus
	Text     string // the published title or, if there is none, the text
	At       time.Time
	Revision string // core.Post.Revision, or store.CalendarPost.EntryRevision if the entry represents several posts
	// Movable reports that the post can be given another time: its state and the caller's role allow it.
	Movable bool
}

// CalendarPosts holds the first posts of a span of time, the total number of posts in it, and whether any of them has
// failed and has no live copy.
type CalendarPosts struct {
	Posts     []CalendarPost
	Total     int
	HasFailed bool
	// EntryRevision identifies the posts of ListCalendarEntryPosts; see MoveCalendarEntryPosts.
	EntryRevision string
}

// ListCalendarPosts returns, for each span of time, the posts that match the filter. If platformOrEmpty is not "", only
// posts on that network match. Drafts without a time are in no span. One CalendarPost represents all posts that one
// request created for the same time and that have the same status.
func (a *App) ListCalendarPosts(ctx context.Context, c core.Caller, filter contract.ListPosts,
	platformOrEmpty core.Platform, spans []core.CalendarSpan,
) ([]CalendarPosts, error) {
	t, err := a.authorize(c, core.Read)
	if err != nil {
		return nil, err
	}
	f, err := a.parsePostFilter(ctx, t, filter, platformOrEmpty)
	if err != nil {
		return nil, err
	}
	const mergePostsOfOneRequest = true
	found, err := t.CalendarPosts(ctx, f, spans, mergePostsOfOneRequest)
	if err != nil {
		return nil, err
	}
	list := make([]CalendarPosts, len(spans))
	for _, p := range found {
		of := &list[p.Span-1]
		of.Total, of.HasFailed = p.Total, p.SpanFailed
		of.Posts = append(of.Posts, a.calendarPostOf(c, p))
	}
	return list, nil
}

// ListMovablePosts returns the posts of a span of time that match the filter and that the caller may move. Each has its
// own CalendarPost. If platformOrEmpty is not "", only posts on that network match.
func (a *App) ListMovablePosts(ctx context.Context, c core.Caller, filter contract.ListPosts,
	platformOrEmpty core.Platform, span core.CalendarSpan,
) (CalendarPosts, error) {
	t, err := a.authorize(c, core.Read)
	if err != nil {
		return CalendarPosts{}, err
	}
	f, err := a.parsePostFilter(ctx, t, filter, platformOrEmpty)
	if err != nil {
		return CalendarPosts{}, err
	}
	isFilteredOut := func(s core.PostStatus) bool { return len(f.Statuses) > 0 && !slices.Contains(f.Statuses, s) }
	statuses := slices.DeleteFunc(slices.Clone(movableStatuses), isFilteredOut)
	if len(statuses) == 0 || !c.Role().CanWrite() {
		return CalendarPosts{}, nil
	}
	f.Statuses = statuses
	const mergePostsOfOneRequest = false
	found, err := t.CalendarPosts(ctx, f, []core.CalendarSpan{span}, mergePostsOfOneRequest)
	if err != nil || len(found) == 0 {
		return CalendarPosts{}, err
	}
	posts := convertAll(found, func(p store.CalendarPost) CalendarPost { return a.calendarPostOf(c, p) })
	return CalendarPosts{Posts: posts, Total: found[0].Total}, nil
}

// movableStatuses are the states of posts that can be given another time.
var movableStatuses = []core.PostStatus{core.PostDraft, core.PostQueued}

func (a *App) calendarPostOf(c core.Caller, p store.CalendarPost) CalendarPost {
	if p.Together > 1 {
		p.Revision = p.EntryRevision
	}
	return CalendarPost{
		Together: p.Together, Platforms: p.Platforms, Replaced: p.Replaced, ID: p.ID.String(), Account: p.Account,
		Platform: p.Platform, Status: p.Status, Text: cmp.Or(a.titleOrEmptyIfUnused(p.Platform, p.Title), p.Text), At: p.At,
		Revision: p.Revision,
		Movable:  c.Role().CanWrite() && slices.Contains(movableStatuses, p.Status),
	}
}

// ListCalendarEntryPosts returns the posts of one entry of a filtered calendar: those that one request created for the
// same time. entryPostID is the id of any of them. It returns at most as many posts as the filter's limit, or
// maxTogether without one, with their total number. It returns not_found if there are none.
func (a *App) ListCalendarEntryPosts(ctx context.Context, c core.Caller, filter contract.ListPosts,
	platformOrEmpty core.Platform, entryPostID string,
) (CalendarPosts, error) {
	t, postID, err := authorizeAndParseID[core.PostKind](a, c, core.Read, entryPostID)
	if err != nil {
		return CalendarPosts{}, err
	}
	f, err := a.parsePostFilter(ctx, t, filter, platformOrEmpty)
	if err != nil {
		return CalendarPosts{}, err
	}
	if filter.Limit == 0 {
		f.Limit = maxTogether
	}
	found, err := t.PostsInCalendarEntry(ctx, f, postID)
	if err == nil && len(found) == 0 {
		err = core.NotFound()
	}
	if err != nil {
		return CalendarPosts{}, err
	}
	posts := convertAll(found, func(p store.CalendarPost) CalendarPost { return a.calendarPostOf(c, p) })
	return CalendarPosts{Posts: posts, Total: found[0].Total, EntryRevision: found[0].EntryRevision}, nil
}

// MoveCalendarEntryPosts reschedules the posts of one entry of a filtered calendar, each with the same checks as a
// single post. The edit contains the id of one of the posts, the revision of the entry that the person has seen, or "",
// and the new time. If any post of the entry has changed since then, it returns conflict and moves none. The move
// continues if the person leaves the page, so that it does not stop halfway.
func (a *App) MoveCalendarEntryPosts(ctx context.Context, c core.Caller, filter contract.ListPosts,
	platformOrEmpty core.Platform, edit contract.EditPost,
) (BulkResult, error) {
	t, err := a.authorize(c, core.Write)
	if err != nil {
		return BulkResult{}, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), onceTimeout)
	defer cancel()
	together, err := a.ListCalendarEntryPosts(ctx, c, filter, platformOrEmpty, edit.ID)
	if err == nil || edit.Revision != "" && core.CodeOf(err) == core.CodeNotFound { // the post may have left the entry
		err = checkRevisionIfShown("calendar entry", edit.Revision, together.EntryRevision)
	}
	if err != nil {
		return BulkResult{}, err
	}
	if together.Total > maxTogether {
		return BulkResult{}, core.Fail(core.CodeConflict, "This entry has %d posts, but at most %d can be moved at once.",
			together.Total, maxTogether).WithHint("Filter the calendar by account, group or network, then move fewer posts at a time.")
	}
	ids, shown := make([]string, len(together.Posts)), map[string]string{}
	for i, p := range together.Posts {
		ids[i], shown[p.ID] = p.ID, p.Revision
	}
	return a.applyToEachPost(ctx, t, ids, func(p core.Post) (done bulkChange, err error) {
		moved, before, err := a.EditPostWithUndo(ctx, c, contract.EditPost{
			ID: p.ID.String(), Revision: shown[p.ID.String()], When: edit.When,
		})
		if moved.PublishAt != nil {
			done.at = moved.PublishAt.Time
		}
		done.before = before
		return done, err
	})
}
