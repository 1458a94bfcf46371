---- tern: disable-tx ----
-- Whether a copy of a failed post is live.
DROP INDEX CONCURRENTLY IF EXISTS posts_copies;
CREATE INDEX CONCURRENTLY posts_copies ON posts (workspace_id, copy_of, id) WHERE copy_of IS NOT NULL;
