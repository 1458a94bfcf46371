---- tern: disable-tx ----
-- An index for searching posts. It contains every sequence of four characters, and finds words of any length and
-- script, several words, and punctuation. ANALYZE creates the planner's statistics for it.

-- search_grams returns, for each position of a text, the four characters that begin there, in lower case. The last
-- three results are shorter.
CREATE OR REPLACE FUNCTION search_grams(t text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT array_to_tsvector(array_remove(string_to_array(
        regexp_replace(lower(t), '(.{4})', E'\\1\x01', 'g') || E'\x01' ||
        regexp_replace(lower(substr(t, 2)), '(.{4})', E'\\1\x01', 'g') || E'\x01' ||
        regexp_replace(lower(substr(t, 3)), '(.{4})', E'\\1\x01', 'g') || E'\x01' ||
        regexp_replace(lower(substr(t, 4)), '(.{4})', E'\\1\x01', 'g'), E'\x01'), ''))
$$;

-- search_query returns grams that the search_grams of every text with q contain: enough grams to cover q, and those
-- that span two words, which are rare even if both words are frequent.
CREATE OR REPLACE FUNCTION search_query(q text) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT string_agg('''' || replace(replace(gram, '\', '\\'), '''', '''''') || '''' ||
        CASE WHEN length(s) < 4 THEN ':*' ELSE '' END, ' & ')::tsquery
    FROM lower(left(q, 100)) AS s, generate_series(1, greatest(length(s) - 3, 1)) AS i, substr(s, i, 4) AS gram
    WHERE i % 4 = 1 OR i = length(s) - 3 OR gram ~ '\S\s\S'
$$;

DROP INDEX CONCURRENTLY IF EXISTS posts_grams;
CREATE INDEX CONCURRENTLY posts_grams ON posts USING gin (workspace_id, search_grams(text || E'\n' || title));
ANALYZE posts;
DROP INDEX CONCURRENTLY IF EXISTS posts_search;
