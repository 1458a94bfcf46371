---- tern: disable-tx ----
-- Fills in the existing posts in parts, so that nobody who edits or deletes a post has to wait for all of them.
DO $$
    DECLARE
        last uuid := '00000000-0000-0000-0000-000000000000';
    BEGIN
        WHILE last IS NOT NULL LOOP
            WITH part AS (
                SELECT id, workspace_id, text, title FROM posts WHERE id > last ORDER BY id LIMIT 10000 FOR KEY SHARE
            ), added AS (
                INSERT INTO post_texts SELECT workspace_id, id, text || E'\n' || title FROM part ON CONFLICT DO NOTHING
            )
            SELECT max(id::text)::uuid INTO last FROM part;
            COMMIT;
        END LOOP;
    END $$;

DROP INDEX CONCURRENTLY IF EXISTS post_texts_grams;
CREATE INDEX CONCURRENTLY post_texts_grams ON post_texts USING gin (workspace_id, search_grams(text));
ANALYZE post_texts;
DROP INDEX CONCURRENTLY IF EXISTS posts_grams;
