---- tern: disable-tx ----
-- A question about a post is about what went live since it was sent, so the last thirty days are filled in. Only the rows
-- of live posts are locked meanwhile.
UPDATE posts SET live_at = updated_at WHERE status = 'live' AND live_at IS NULL AND updated_at > now() - interval '30 days';

-- What an account published lately, and live posts whose link is missing: the indexes of steps 9 and 16, on the time when
-- a post went live, which does not change any more.
DROP INDEX CONCURRENTLY IF EXISTS posts_went_live;
CREATE INDEX CONCURRENTLY posts_went_live ON posts (account_id, live_at) WHERE status = 'live' AND external_id <> '';
DROP INDEX CONCURRENTLY IF EXISTS posts_published;

DROP INDEX CONCURRENTLY IF EXISTS posts_live_without_link;
CREATE INDEX CONCURRENTLY posts_live_without_link ON posts (live_at) WHERE status = 'live' AND external_id <> '' AND external_url = '';
DROP INDEX CONCURRENTLY IF EXISTS posts_without_link;
