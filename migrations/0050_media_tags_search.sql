---- tern: disable-tx ----
-- The search for files also finds their tags. media_words is immutable, as an index needs, because joining an array of
-- texts depends on no setting. The index media_grams stays, because the previous version uses it.
CREATE OR REPLACE FUNCTION media_words(name text, title text, description text, tags text[]) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT name || E'\n' || title || E'\n' || description || E'\n' || array_to_string(tags, E'\n')
    $$;

DROP INDEX CONCURRENTLY IF EXISTS media_words_grams;
CREATE INDEX CONCURRENTLY media_words_grams ON media
    USING gin (workspace_id, search_grams(media_words(original_name, title, description, tags))) WHERE deleted_at IS NULL;
ANALYZE media;
