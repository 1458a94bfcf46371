package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"belfry/internal/core"
)

// CalendarPost is a post with a time that is within one of a calendar's spans. It may represent several posts.
type CalendarPost struct {
	Span  int // the number of the span, from 1
	Total int // how many posts the span has
	// SpanFailed reports that a post of the span has failed, and has no live copy.
	SpanFailed bool
	// Together is the number of posts that this entry represents: posts of the same request, time and status. Platforms
	// are their networks.
	Together  int
	Platforms []core.Platform
	// Replaced reports that all of these posts failed, and that each has a live copy.
	Replaced bool
	ID       core.PostID
	// Account is the account's display name.
	Account  string
	Platform core.Platform
	Status   core.PostStatus
	Title    string
	Text     string
	At       time.Time
	Revision string // core.Post.Revision, but not for a failed post with a live copy
	// EntryRevision changes if any post of the entry changes, is removed or returns.
	EntryRevision string
}

// entryRevisionSQL returns the SQL of CalendarPost.EntryRevision. The posts p of the entry are the rows of a group or,
// if windowOrEmpty is a clause such as OVER (), those of the window. The sum also changes if the clock of the replica
// that changed a post was behind; the latest time may not.
func entryRevisionSQL(windowOrEmpty string) string {
	return `concat(count(*) ` + windowOrEmpty + `, ' ', sum(extract(epoch FROM p.updated_at)) ` + windowOrEmpty + `)`
}

const calendarColumns = `p.id, a.display_name, p.platform, p.status, p.publish_at, p.text, p.title, p.tags, p.settings,
	p.tz, p.media_ids, p.updated_at`

// ScanRow reads the place and total of the span, whether a post of it has failed, the number and networks of the posts,
// whether they are replaced, their EntryRevision, and calendarColumns.
func (c *CalendarPost) ScanRow(rows pgx.Rows) error {
	var p core.Post
	err := rows.Scan(&c.Span, &c.Total, &c.SpanFailed, &c.Together, (*pgtype.FlatArray[core.Platform])(&c.Platforms),
		&c.Replaced, &c.EntryRevision, idScanner(&c.ID), &c.Account, (*string)(&c.Platform), (*string)(&c.Status),
		timeScanner(&c.At), &p.Text, &p.Title, (*pgtype.FlatArray[string])(&p.Tags), (*[]byte)(&p.Settings), &p.Zone,
		(*pgtype.FlatArray[core.MediaID])(&p.MediaIDs), timeScanner(&p.UpdatedAt))
	p.PublishAt, p.Status = c.At, c.Status
	c.Title, c.Text, c.Revision = p.Title, p.Text, p.Revision()
	return err
}

// CalendarPosts returns the first posts of each span, by time. If mergePostsOfOneRequest is set, one entry represents
// all posts of the same request, time and status. CalendarPosts applies only the filter's account, group, network and
// statuses.
func (t Tenant) CalendarPosts(ctx context.Context, f PostFilter, spans []core.CalendarSpan,
	mergePostsOfOneRequest bool,
) ([]CalendarPost, error) {
	q := f.buildCalendarQuery()
	delete(q.args, "limit") // each span has its own
	from, to, most := make([]time.Time, len(spans)), make([]time.Time, len(spans)), make([]int, len(spans))
	for i, s := range spans {
		from[i], to[i], most[i] = s.From, s.To, s.Limit
	}
	q.args["froms"], q.args["tos"], q.args["mosts"], q.args["merge"] = from, to, most, mergePostsOfOneRequest
	return queryValues[CalendarPost](t.queryReplanned(ctx, `
		SELECT span.place, e.total, e.failed, e.together, e.platforms, e.replaced, e.revision, `+calendarColumns+`
		FROM unnest(@froms::timestamptz[], @tos::timestamptz[], @mosts::int[])
			WITH ORDINALITY AS span(since, until, most, place)
		CROSS JOIN LATERAL (
			SELECT (array_agg(p.id ORDER BY p.id))[1] AS id, count(*) AS together,
				array_agg(DISTINCT p.platform) AS platforms, bool_and(`+isReplaced+`) AS replaced,
				`+entryRevisionSQL("")+` AS revision,
				(sum(count(*)) OVER ())::int AS total,
				bool_or(p.status = 'failed' AND NOT bool_and(`+isReplaced+`)) OVER () AS failed
			FROM posts p
			WHERE `+q.whole+` AND p.publish_at IS NOT NULL
				AND `+listTime+` >= span.since AND `+listTime+` < span.until
			GROUP BY `+listTime+`, p.created_at, p.status, CASE WHEN NOT @merge THEN p.id END
			ORDER BY `+listTime+`, 1 LIMIT span.most
		) e JOIN posts p ON p.workspace_id = @ws AND p.id = e.id
		JOIN accounts a ON a.workspace_id = p.workspace_id AND a.id = p.account_id
		ORDER BY span.place, p.publish_at, p.id`, q.args))
}

// PostsInCalendarEntry returns the posts that share an entry of a calendar with a post, including the post itself, but
// at most as many as the filter's limit. It returns none if the post does not exist or has no time.
func (t Tenant) PostsInCalendarEntry(ctx context.Context, f PostFilter, id core.PostID) ([]CalendarPost, error) {
	q := f.buildCalendarQuery()
	q.args["id"] = id
	return queryValues[CalendarPost](t.queryReplanned(ctx, `
		SELECT 1, count(*) OVER ()::int, false, 1, ARRAY[p.platform], `+isReplaced+`, `+entryRevisionSQL("OVER ()")+`,
			`+calendarColumns+`
		FROM posts one JOIN posts p ON `+listTime+` = one.publish_at AND p.created_at = one.created_at
			AND p.status = one.status
		JOIN accounts a ON a.workspace_id = p.workspace_id AND a.id = p.account_id
		WHERE one.workspace_id = @ws AND one.id = @id AND p.publish_at IS NOT NULL AND `+q.whole+`
		ORDER BY p.id LIMIT @limit`, q.args))
}

// buildCalendarQuery is buildQueryExceptContains with only those fields of the filter that a calendar supports.
func (f PostFilter) buildCalendarQuery() postQuery {
	return PostFilter{
		Account: f.Account, Group: f.Group, Platform: f.Platform, Statuses: f.Statuses, Limit: f.Limit,
	}.buildQueryExceptContains()
}
