---- tern: disable-tx ----
-- Built beside the traffic. What a run that was cut off left behind is dropped first: it would be invalid.

DROP INDEX CONCURRENTLY IF EXISTS posts_search;
CREATE INDEX CONCURRENTLY posts_search ON posts USING gin (workspace_id, text gin_trgm_ops, title gin_trgm_ops);

-- The lists of an account's posts, in the lists' order.
DROP INDEX CONCURRENTLY IF EXISTS posts_by_account_status;
CREATE INDEX CONCURRENTLY posts_by_account_status ON posts (account_id, status, coalesce(publish_at, created_at) DESC, id DESC);
DROP INDEX CONCURRENTLY IF EXISTS posts_by_account;

-- What an account published lately.
DROP INDEX CONCURRENTLY IF EXISTS posts_published;
CREATE INDEX CONCURRENTLY posts_published ON posts (account_id, updated_at) WHERE status = 'live' AND external_id <> '';
