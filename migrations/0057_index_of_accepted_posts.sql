---- tern: disable-tx ----
-- Posts of which the network has returned an id, but which are not live. There are few; a search skips their ids.
DROP INDEX CONCURRENTLY IF EXISTS publications_accepted;
CREATE INDEX CONCURRENTLY publications_accepted ON publications (post_id) WHERE external_id <> '' AND step <> 'live';
