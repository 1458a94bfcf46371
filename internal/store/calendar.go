package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"belfry/internal/core"
)

// CalendarPost is a post with a time that is within one of a calendar's spans.
type CalendarPost struct {
	Span  int // the number of the span, from 1
	Total int // how many posts the span has
	ID    core.PostID
	// Account is the account's display name.
	Account  string
	Platform core.Platform
	Status   core.PostStatus
	Text     string // the title, or the beginning of the text
	At       time.Time
	Revision string // core.Post.Revision
}

const calendarColumns = `span.place, p.total, p.id, a.display_name, p.platform, p.status,
	left(coalesce(nullif(p.title, ''), p.text), 100), p.publish_at, p.text, p.title, p.tags, p.settings, p.tz, p.media_ids`

// ScanRow reads calendarColumns.
func (c *CalendarPost) ScanRow(rows pgx.Rows) error {
	var p core.Post
	err := rows.Scan(&c.Span, &c.Total, scanID(&c.ID), &c.Account, (*string)(&c.Platform), (*string)(&c.Status), &c.Text,
		scanTime(&c.At), &p.Text, &p.Title, (*pgtype.FlatArray[string])(&p.Tags), (*[]byte)(&p.Settings), &p.Zone,
		(*pgtype.FlatArray[core.MediaID])(&p.MediaIDs))
	p.PublishAt = c.At
	c.Revision = p.Revision()
	return err
}

// CalendarPosts returns the first posts of each span, by time. Of the filter, it applies the account, group, network
// and statuses.
func (t Tenant) CalendarPosts(ctx context.Context, f PostFilter, spans []core.CalendarSpan) ([]CalendarPost, error) {
	q := PostFilter{Account: f.Account, Group: f.Group, Platform: f.Platform, Statuses: f.Statuses}.buildQuery()
	delete(q.args, "limit") // each span has its own
	from, to, most := make([]time.Time, len(spans)), make([]time.Time, len(spans)), make([]int, len(spans))
	for i, s := range spans {
		from[i], to[i], most[i] = s.From, s.To, s.Limit
	}
	q.args["froms"], q.args["tos"], q.args["mosts"] = from, to, most
	return queryValues[CalendarPost](t.queryReplanned(ctx, `
		SELECT `+calendarColumns+`
		FROM unnest(@froms::timestamptz[], @tos::timestamptz[], @mosts::int[])
			WITH ORDINALITY AS span(since, until, most, place)
		CROSS JOIN LATERAL (
			SELECT p.*, count(*) OVER () AS total FROM posts p
			WHERE `+q.whole+` AND p.publish_at IS NOT NULL
				AND `+listTime+` >= span.since AND `+listTime+` < span.until
			ORDER BY `+listTime+`, p.id LIMIT span.most
		) p JOIN accounts a ON a.workspace_id = p.workspace_id AND a.id = p.account_id
		ORDER BY span.place, p.publish_at, p.id`, q.args))
}
