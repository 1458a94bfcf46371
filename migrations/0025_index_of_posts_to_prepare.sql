---- tern: disable-tx ----
-- Posts that can be prepared before they are due.
DROP INDEX CONCURRENTLY IF EXISTS publications_to_prepare;
CREATE INDEX CONCURRENTLY publications_to_prepare ON publications (prepare_at) WHERE prepare_at IS NOT NULL;
