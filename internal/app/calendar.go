package app

import (
	"context"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
)

// CalendarPost is a post as the calendar shows it.
type CalendarPost struct {
	ID       string
	Account  string // the account's display name
	Platform core.Platform
	Status   core.PostStatus
	Text     string // the title, or the beginning of the text
	At       time.Time
	Revision string // core.Post.Revision
	// Movable reports that the post can be given another time: its state and the caller's role allow it.
	Movable bool
}

// CalendarPosts holds the first posts of a span of time, and the total number of posts in it.
type CalendarPosts struct {
	Posts []CalendarPost
	Total int
}

// ListCalendarPosts returns, for each span of time, the posts that match the filters of a list. If platform is not "",
// only posts on that network match. Drafts without a time are in no span.
func (a *App) ListCalendarPosts(ctx context.Context, c core.Caller, in contract.ListPosts, platform core.Platform,
	spans []core.CalendarSpan,
) ([]CalendarPosts, error) {
	t, err := a.enter(c, core.Read)
	if err != nil {
		return nil, err
	}
	f, err := a.parsePostFilter(ctx, t, in)
	if err != nil {
		return nil, err
	}
	f.Platform = platform
	found, err := t.CalendarPosts(ctx, f, spans)
	if err != nil {
		return nil, err
	}
	list := make([]CalendarPosts, len(spans))
	for _, p := range found {
		of := &list[p.Span-1]
		of.Total = p.Total
		of.Posts = append(of.Posts, CalendarPost{
			ID: p.ID.String(), Account: p.Account, Platform: p.Platform, Status: p.Status, Text: p.Text, At: p.At,
			Revision: p.Revision,
			Movable:  c.Role().CanWrite() && (p.Status == core.PostDraft || p.Status == core.PostQueued),
		})
	}
	return list, nil
}
