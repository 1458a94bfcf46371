---- tern: disable-tx ----
-- Posts that wait for their account's turn, in the order in which they get it.
DROP INDEX CONCURRENTLY IF EXISTS publications_waiting;
CREATE INDEX CONCURRENTLY publications_waiting ON publications (turn_of, due_at, post_id) WHERE turn_of IS NOT NULL;
