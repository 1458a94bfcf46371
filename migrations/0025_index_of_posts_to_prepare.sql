---- tern: disable-tx ----
-- Posts that may be prepared before they are due.
DROP INDEX CONCURRENTLY IF EXISTS publications_to_prepare;
CREATE INDEX CONCURRENTLY publications_to_prepare ON publications (next_action_at) WHERE next_action_at < due_at;
