---- tern: disable-tx ----
-- An index for finding what has just happened in a workspace, for its open pages.
DROP INDEX CONCURRENTLY IF EXISTS post_events_by_time;
CREATE INDEX CONCURRENTLY post_events_by_time ON post_events (workspace_id, at);
