-- A copy may be lost although the failed post was deleted before the backup, if the database has another copy.
ALTER TABLE restored_copies DROP CONSTRAINT restored_copies_workspace_id_copy_of_fkey,
	ADD FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE;
