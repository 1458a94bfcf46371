-- A restored database must not publish again what went out after its backup: publishing is on hold while there is a row.
CREATE TABLE publishing_hold (
	one_row boolean PRIMARY KEY DEFAULT true CHECK (one_row),
	reason text NOT NULL,
	since timestamptz NOT NULL
);

-- What receipts outside the database say of posts whose last call a restored database has forgotten.
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
