---- tern: disable-tx ----
-- Rows with a sealed value, which are counted every hour. Few rows of the ledger and of the files have one.
DROP INDEX CONCURRENTLY IF EXISTS publications_sealed;
CREATE INDEX CONCURRENTLY publications_sealed ON publications (post_id) WHERE length(handle) > 2;
DROP INDEX CONCURRENTLY IF EXISTS media_sealed;
CREATE INDEX CONCURRENTLY media_sealed ON media (id) WHERE length(source) > 2;
