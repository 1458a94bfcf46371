---- tern: disable-tx ----
-- Live posts without a link. There are few, and a task searches for them every ten minutes.
DROP INDEX CONCURRENTLY IF EXISTS posts_without_link;
CREATE INDEX CONCURRENTLY posts_without_link ON posts (updated_at) WHERE status = 'live' AND external_id <> '' AND external_url = '';
