---- tern: disable-tx ----
-- A search for a post considers only posts that went live after the post was sent, so only the last thirty days are
-- filled in. During the update, only the rows of live posts are locked.
UPDATE posts SET live_at = updated_at WHERE status = 'live' AND live_at IS NULL AND updated_at > now() - interval '30 days';

-- What an account published recently, and live posts without a link. These are the indexes of migrations 9 and 16, but
-- on the time when a post went live, which never changes.
DROP INDEX CONCURRENTLY IF EXISTS posts_went_live;
CREATE INDEX CONCURRENTLY posts_went_live ON posts (account_id, live_at) WHERE status = 'live' AND external_id <> '';
DROP INDEX CONCURRENTLY IF EXISTS posts_published;

DROP INDEX CONCURRENTLY IF EXISTS posts_live_without_link;
CREATE INDEX CONCURRENTLY posts_live_without_link ON posts (live_at) WHERE status = 'live' AND external_id <> '' AND external_url = '';
DROP INDEX CONCURRENTLY IF EXISTS posts_without_link;
