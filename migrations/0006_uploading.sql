-- The few files of a workspace that are on their way: each turn of a file that is fetched counts them, and a full
-- storage looks for those whose time is over. Both read every file there is otherwise.
CREATE INDEX media_uploading ON media (workspace_id) WHERE status = 'uploading';
