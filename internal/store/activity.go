package store

import (
	"context"

	"belfry/internal/core"
)

// Activity shows that a post or a file has changed, or may soon change. When an activity appears, its post or file has
// changed. When an activity with Lasts set disappears, its post or file has changed too.
type Activity struct {
	Workspace core.WorkspaceID
	Post      core.PostID
	Media     core.MediaID
	What      string // what is happening, such as an event or the state of publishing
	Lasts     bool
}

// Bounds of RecentAndOngoingActivity. A queued post is in motion from a few minutes before its time, because it may be
// prepared.
const (
	newestEvents  = 600 // of each workspace
	movingPosts   = 50  // of each workspace
	postsInMotion = `p.status = 'queued' AND ` + listTime + ` < clock() + '11 minutes'::interval`
)

// RecentAndOngoingActivity lists what is happening in workspaces: the events of the last 15 seconds, the progress of
// posts in motion, live posts without a link, and files that are being processed. It writes nothing. It reads the
// events of each workspace separately, so that a busy workspace does not hide the events of another.
func (s *Store) RecentAndOngoingActivity(ctx context.Context, workspaces []core.WorkspaceID) ([]Activity, error) {
	return queryMany[Activity](s.query(ctx, `
		SELECT e.workspace_id AS workspace, e.post_id AS post, NULL::uuid AS media, 'event ' || e.id AS what, false AS lasts
		FROM unnest(@workspaces::uuid[]) AS w(id)
			CROSS JOIN LATERAL (
				SELECT e.* FROM post_events e WHERE e.workspace_id = w.id AND e.at > clock() - '15 seconds'::interval
				ORDER BY e.at DESC LIMIT @events
			) e
		UNION ALL
		SELECT p.workspace_id, p.id, NULL, concat_ws(' ', u.step, u.rest, u.open, u.answer, u.calling,
			u.lease_until > clock(), CASE WHEN u.rest IN ('hold', 'settle') THEN u.next_action_at END), true
		FROM unnest(@workspaces::uuid[]) AS w(id)
			CROSS JOIN LATERAL (
				SELECT p.workspace_id, p.id FROM posts p WHERE p.workspace_id = w.id AND `+postsInMotion+`
				ORDER BY `+listTime+`, p.id LIMIT @posts
			) p
			JOIN publications u ON u.workspace_id = p.workspace_id AND u.post_id = p.id
		UNION ALL
		SELECT p.workspace_id, p.id, NULL, 'without a link', true FROM posts p
		WHERE p.workspace_id = ANY(@workspaces) AND p.status = 'live' AND p.external_id <> '' AND p.external_url = ''
			AND p.live_at > clock() - '2 minutes'::interval
		UNION ALL
		SELECT m.workspace_id, NULL, m.id, m.status, true FROM media m
		WHERE m.workspace_id = ANY(@workspaces) AND m.status = 'processing' AND m.deleted_at IS NULL
			AND m.next_at < clock() + '10 minutes'::interval`,
		args{"workspaces": workspaces, "events": newestEvents, "posts": movingPosts}))
}
