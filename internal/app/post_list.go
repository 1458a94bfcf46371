package app

import (
	"context"
	"slices"
	"strings"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/store"
)

// authorizeReadAndLoadPost checks the caller's read scope, and returns access to the caller's workspace and one of its
// posts.
func (a *App) authorizeReadAndLoadPost(ctx context.Context, c core.Caller, id string) (store.Tenant, core.Post, error) {
	t, postID, err := authorizeAndParseID[core.PostKind](a, c, core.Read, id)
	if err != nil {
		return t, core.Post{}, err
	}
	p, err := t.Post(ctx, postID)
	return t, p, err
}

// GetPost returns a post.
func (a *App) GetPost(ctx context.Context, c core.Caller, id string) (contract.Post, error) {
	_, p, err := a.authorizeReadAndLoadPost(ctx, c, id)
	return a.postOf(p), err
}

// ListPosts lists posts by time: newest first, or oldest first if the order is asc.
func (a *App) ListPosts(ctx context.Context, c core.Caller, in contract.ListPosts) (contract.PostList, error) {
	t, err := a.authorize(c, core.Read)
	if err != nil {
		return contract.PostList{}, err
	}
	posts, next, err := a.listPostsPage(ctx, t, in, "", false)
	return contract.PostList{Posts: convertAll(posts, a.postOf), NextCursor: contract.NilIfZero(next)}, err
}

// listPostsPage returns one page of posts. If platformOrEmpty is not "", it lists only the posts on that network. If
// onlyUnreplaced is set, it leaves out failed posts that have a live copy. next is the cursor of the next page, or ""
// on the last page.
func (a *App) listPostsPage(ctx context.Context, t store.Tenant,
	in contract.ListPosts, platformOrEmpty core.Platform, onlyUnreplaced bool,
) (posts []core.Post, next string, err error) {
	f, err := a.parsePostFilter(ctx, t, in, platformOrEmpty)
	if err != nil {
		return nil, "", err
	}
	page := f.Limit
	f.Unreplaced = onlyUnreplaced
	f.Limit++ // one more row shows whether there is a next page
	posts, err = t.ListPosts(ctx, f)
	if err != nil || len(posts) <= page {
		return posts, "", err
	}
	return posts[:page], cursorAfter(posts[page-1]), nil
}

// CountPostsByStatusCapped counts the workspace's posts in each status, up to core.MostCounted. It counts failed posts
// that have a live copy as core.PostReplaced.
func (a *App) CountPostsByStatusCapped(ctx context.Context, c core.Caller) (map[core.PostStatus]int, error) {
	t, err := a.authorize(c, core.Read)
	if err != nil {
		return nil, err
	}
	return t.CountPostsByStatusCapped(ctx)
}

// PostOutcomes count posts by what has become of them. Pending are those that Belfry will publish or retry, and Unknown
// those that may be live.
type PostOutcomes struct{ Pending, Live, Failed, Unknown int }

// CountPostOutcomes counts the posts with the ids. It leaves out drafts and posts that do not exist.
func (a *App) CountPostOutcomes(ctx context.Context, c core.Caller, ids []string) (n PostOutcomes, err error) {
	t, err := a.authorize(c, core.Read)
	if err != nil {
		return n, err
	}
	posts, err := t.PostsByID(ctx, uniqueValidPostIDs(ids[:min(len(ids), maxTogether)]))
	for _, p := range posts {
		switch {
		case p.Status == core.PostQueued, p.HasPendingRetry():
			n.Pending++
		case p.Status == core.PostLive:
			n.Live++
		case p.HasUnknownOutcome():
			n.Unknown++
		case p.Status == core.PostFailed:
			n.Failed++
		}
	}
	return n, err
}

// ListPostEventsAndNextRetry returns a post's timeline. If a worker will retry the post automatically, the last event
// is retriedByWorker with the time of that attempt.
func (a *App) ListPostEventsAndNextRetry(ctx context.Context, c core.Caller, id string) (contract.Events, error) {
	t, p, err := a.authorizeReadAndLoadPost(ctx, c, id)
	if err != nil {
		return contract.Events{}, err
	}
	events, err := t.PostEvents(ctx, p.ID)
	if err != nil {
		return contract.Events{}, err
	}
	if p.HasPendingRetry() {
		events = append(events, core.Event{Kind: core.EventRetriedByWorker, At: p.NextTryAt})
	}
	return contract.Events{Events: convertAll(events, func(e core.Event) contract.Event {
		return contract.Event{Kind: string(e.Kind), At: contract.Time{Time: e.At}, Message: e.Message, Notes: e.Notes}
	})}, nil
}

// parsePostFilter parses the filters of a list. It returns not_found for an account or group that does not exist.
func (a *App) parsePostFilter(ctx context.Context, t store.Tenant,
	in contract.ListPosts, platformOrEmpty core.Platform,
) (store.PostFilter, error) {
	f := store.PostFilter{Contains: in.Q, Platform: platformOrEmpty, Ascending: in.Order == "asc"}
	err := core.CheckText("network", "The network", string(platformOrEmpty), maxFilterName)
	if err != nil {
		return f, err
	}
	if f.Limit, err = parsePageSizeOrDefault(in.Limit); err != nil {
		return f, err
	}
	if in.Order != "" && in.Order != "asc" && in.Order != "desc" {
		return f, core.Invalid("order", "%q is not a valid sort order.", in.Order).WithHint("Use asc or desc.")
	}
	if err := core.CheckText("q", "The search text", in.Q, core.MaxText); err != nil {
		return f, err
	}
	f.Statuses, err = parseStatuses(
		in.Status, "post", core.PostDraft, core.PostQueued, core.PostLive, core.PostFailed,
	)
	if err != nil {
		return f, err
	}
	if err := a.setRangeAndCursor(ctx, t, in, &f); err != nil {
		return f, err
	}
	if f.Account, err = parseOptionalExistingID(ctx, "query.accountId", in.AccountID, t.ConnectedAccount); err != nil {
		return f, err
	}
	f.Group, err = parseOptionalExistingID(ctx, "query.groupId", in.GroupID, t.Group)
	return f, err
}

// parseOptionalExistingID parses the id at fieldPath of the request, and calls load to check that the object exists.
// For an empty text, it returns the zero id.
func parseOptionalExistingID[K core.Kind, V any](ctx context.Context, fieldPath, text string,
	load func(context.Context, core.ID[K]) (V, error),
) (id core.ID[K], err error) {
	if text == "" {
		return id, nil
	}
	if id, err = core.ParseID[K](text); err == nil {
		_, err = load(ctx, id)
	}
	return id, core.WithNotFoundPath(fieldPath, err)
}

// parseStatuses parses a comma-separated list of statuses. noun names what has the status, for the error message.
func parseStatuses[S ~string](commaSeparated, noun string, known ...S) ([]S, error) {
	if commaSeparated == "" {
		return nil, nil
	}
	names := make([]string, len(known))
	for i, state := range known {
		names[i] = string(state)
	}
	var found []S
	for word := range strings.SplitSeq(commaSeparated, ",") {
		if !slices.Contains(known, S(word)) {
			return nil, core.Invalid("status", "%q is not a valid status for a %s.", word, noun).
				WithHint("Use one or more of these, separated by commas: %s.", strings.Join(names, ", "))
		}
		found = append(found, S(word))
	}
	return found, nil
}

// setRangeAndCursor parses the request's from, to and cursor, and sets them on f. A date means a day in the workspace's
// zone, and `to` includes that day.
func (a *App) setRangeAndCursor(ctx context.Context, t store.Tenant, in contract.ListPosts,
	f *store.PostFilter,
) error {
	ws, err := t.Workspace(ctx)
	if err != nil {
		return err
	}
	if f.From, err = parseTimeOrDate("from", in.From, ws.Zone, 0); err != nil {
		return err
	}
	if f.To, err = parseTimeOrDate("to", in.To, ws.Zone, 1); err != nil {
		return err
	}
	f.After, err = core.ParseCursor[core.PostKind](in.Cursor)
	return err
}

// parseTimeOrDate parses a date-time, or a date, which becomes the beginning of the day addDaysToDate later in the
// zone. For an empty text, it returns the zero time.
func parseTimeOrDate(fieldPath, textOrEmpty string, zone core.Zone, addDaysToDate int) (time.Time, error) {
	if textOrEmpty == "" {
		return time.Time{}, nil
	}
	if date, err := time.Parse(time.DateOnly, textOrEmpty); err == nil {
		return zone.DayStart(date.AddDate(0, 0, addDaysToDate)), nil
	}
	if at, err := time.Parse(time.RFC3339, textOrEmpty); err == nil {
		return at, nil
	}
	return time.Time{}, core.Invalid(fieldPath, "%q is not a date or time.", textOrEmpty).
		WithHint("Use a date such as 2026-11-21, or a time such as 2026-11-21T18:00:00Z.")
}

// cursorAfter returns the cursor for the posts after p.
func cursorAfter(p core.Post) string {
	at := p.PublishAt
	if at.IsZero() {
		at = p.CreatedAt
	}
	return core.Cursor[core.PostKind]{At: at, ID: p.ID}.String()
}
