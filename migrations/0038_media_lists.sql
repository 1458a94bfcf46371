---- tern: disable-tx ----
-- Indexes for the lists of the media library: by folder, kind of file, tag or text, and for stored and purged files by
-- time, name and size.
DROP INDEX CONCURRENTLY IF EXISTS media_in_folder;
CREATE INDEX CONCURRENTLY media_in_folder ON media (workspace_id, folder_id, created_at DESC, id DESC) WHERE deleted_at IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS media_by_kind;
CREATE INDEX CONCURRENTLY media_by_kind ON media (workspace_id, kind, created_at DESC, id DESC) WHERE deleted_at IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS media_by_age;
CREATE INDEX CONCURRENTLY media_by_age ON media (workspace_id, ((purged_at IS NULL)::integer), created_at DESC, id DESC) WHERE deleted_at IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS media_by_name;
CREATE INDEX CONCURRENTLY media_by_name ON media (workspace_id, ((purged_at IS NULL)::integer), lower(original_name), id) WHERE deleted_at IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS media_by_size;
CREATE INDEX CONCURRENTLY media_by_size ON media (workspace_id, ((purged_at IS NULL)::integer), size DESC, id DESC) WHERE deleted_at IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS media_by_tag;
CREATE INDEX CONCURRENTLY media_by_tag ON media USING gin (workspace_id, tags) WHERE deleted_at IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS media_grams;
CREATE INDEX CONCURRENTLY media_grams ON media
    USING gin (workspace_id, search_grams(original_name || E'\n' || title || E'\n' || description)) WHERE deleted_at IS NULL;
ANALYZE media;
