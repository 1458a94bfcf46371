---- tern: disable-tx ----
-- An index for finding the live copies of a failed post.
DROP INDEX CONCURRENTLY IF EXISTS posts_copies;
CREATE INDEX CONCURRENTLY posts_copies ON posts (workspace_id, copy_of, id) WHERE copy_of IS NOT NULL;
