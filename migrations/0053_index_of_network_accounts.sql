---- tern: disable-tx ----
-- The rows of one account of a network. Several workspaces can connect the same account.
DROP INDEX CONCURRENTLY IF EXISTS accounts_external_id;
CREATE INDEX CONCURRENTLY accounts_external_id ON accounts (platform, external_id);
