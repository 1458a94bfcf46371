-- The few files of a workspace that are being uploaded or downloaded. Each attempt to download a file counts them, and
-- a workspace whose storage is full searches them for expired reservations. Without this index, both read every file.
CREATE INDEX media_uploading ON media (workspace_id) WHERE status = 'uploading';
