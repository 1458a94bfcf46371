---- tern: disable-tx ----
-- These indexes are built while the service runs. An index that an interrupted run left behind is invalid, so it is
-- dropped first.

DROP INDEX CONCURRENTLY IF EXISTS posts_search;
CREATE INDEX CONCURRENTLY posts_search ON posts USING gin (workspace_id, text gin_trgm_ops, title gin_trgm_ops);

-- The posts of an account, in the order of lists.
DROP INDEX CONCURRENTLY IF EXISTS posts_by_account_status;
CREATE INDEX CONCURRENTLY posts_by_account_status ON posts (account_id, status, coalesce(publish_at, created_at) DESC, id DESC);
DROP INDEX CONCURRENTLY IF EXISTS posts_by_account;

-- What an account published recently.
DROP INDEX CONCURRENTLY IF EXISTS posts_published;
CREATE INDEX CONCURRENTLY posts_published ON posts (account_id, updated_at) WHERE status = 'live' AND external_id <> '';
