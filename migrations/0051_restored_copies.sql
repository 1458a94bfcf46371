-- The receipts of copies of failed posts, if the restored database contains the failed post but not the copy.
CREATE TABLE restored_copies (
	post_id uuid PRIMARY KEY,
	workspace_id uuid NOT NULL,
	copy_of uuid NOT NULL,
	armed_at timestamptz NOT NULL,
	live boolean NOT NULL,
	FOREIGN KEY (workspace_id, copy_of) REFERENCES posts (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX restored_copies_copy_of ON restored_copies (workspace_id, copy_of);
