package store

import (
	"context"

	"belfry/internal/core"
)

// Activity is a sign that a post or a file looks different now, or may soon. One that was not there at the last look is
// a change of its object; so is the end of one that Lasts.
type Activity struct {
	Workspace core.WorkspaceID
	Post      core.PostID
	Media     core.MediaID
	Sign      string
	Lasts     bool
}

// Bounds of what Activity looks at. A queued post is in motion some minutes before its time, when it is prepared.
const (
	newestEvents  = 600 // of each workspace
	movingPosts   = 50  // of each workspace
	postsInMotion = `p.status = 'queued' AND ` + listTime + ` < clock() + '11 minutes'::interval`
)

// RecentActivity lists what goes on in workspaces: the events of the last 15 seconds, how far posts in motion are, live
// posts whose link is yet to come, and files that are being processed. Nothing is written for it. Each workspace's
// events are read by themselves, so that what happens in one hides nothing of another.
func (s *Store) RecentActivity(ctx context.Context, workspaces []core.WorkspaceID) ([]Activity, error) {
	return queryMany[Activity](s.query(ctx, `
		SELECT e.workspace_id AS workspace, e.post_id AS post, NULL::uuid AS media, 'event ' || e.id AS sign, false AS lasts
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
