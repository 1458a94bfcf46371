-- A restored database must not publish posts again that were published after the backup. Publishing is on hold while
-- this table has a row.
CREATE TABLE publishing_hold (
	one_row boolean PRIMARY KEY DEFAULT true CHECK (one_row),
	reason text NOT NULL,
	since timestamptz NOT NULL
);

-- The receipts, stored outside the database, of posts whose last call the restored database does not contain.
CREATE TABLE restored_receipts (
	post_id uuid PRIMARY KEY,
	workspace_id uuid NOT NULL,
	handle bytea,
	armed_at timestamptz NOT NULL,
	live boolean NOT NULL,
	external_id text NOT NULL,
	external_url text NOT NULL,
	FOREIGN KEY (workspace_id, post_id) REFERENCES posts (workspace_id, id) ON DELETE CASCADE
);
