-- Run in one transaction. :posts is how many posts to add.
SET LOCAL session_replication_role = replica; SET LOCAL maintenance_work_mem = '512MB'; SET LOCAL work_mem = '64MB';

-- The indexes of the large tables are built at the end.
CREATE TEMP TABLE fill_indexes ON COMMIT DROP AS
SELECT indexname, indexdef FROM pg_indexes
WHERE schemaname = 'public' AND tablename IN ('posts', 'post_texts', 'post_events', 'publications', 'publish_steps')
    AND indexname NOT IN (SELECT conname FROM pg_constraint);

DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT indexname FROM fill_indexes LOOP EXECUTE format('DROP INDEX %I', name); END LOOP;
END $$;

-- Twenty workspaces, and one that is large if there is none yet.
INSERT INTO workspaces (id, slug, name, plan, tz, created_at)
SELECT gen_random_uuid(), 'fill-' || n, 'Fill ' || n, 'owner', 'UTC', now() + n * interval '1 second'
FROM generate_series(CASE WHEN EXISTS (SELECT FROM workspaces) THEN 1 ELSE 0 END, 20) AS n
ON CONFLICT DO NOTHING;

-- Two accounts for the large workspace, if it has fewer, and five for each other.
INSERT INTO accounts (id, workspace_id, platform, external_id, username, display_name, avatar_url, status, connected_at, token, check_at, created_at)
SELECT gen_random_uuid(), w.id, CASE WHEN n % 2 = 0 THEN 'threads' ELSE 'facebook' END, 'fill-' || n, 'fill' || n, 'Fill ' || n, '', 'revoked', '', '',
    now() + interval '1 year', now() + n * interval '1 second'
FROM (SELECT id, row_number() OVER (ORDER BY created_at, id) AS place FROM workspaces) w, generate_series(1, 5) AS n
WHERE w.place = 1 AND n <= 2 - (SELECT count(*) FROM accounts WHERE workspace_id = w.id) OR w.place > 1
ON CONFLICT DO NOTHING;

CREATE TEMP TABLE fill_accounts ON COMMIT DROP AS
WITH large AS (SELECT id FROM workspaces ORDER BY created_at, id LIMIT 1)
(SELECT row_number() OVER (ORDER BY platform = 'threads' DESC, created_at, id) - 1 AS n, id AS account_id, workspace_id, platform
    FROM accounts WHERE workspace_id = (SELECT id FROM large) AND platform IN ('threads', 'facebook') ORDER BY 1 LIMIT 2)
UNION ALL
SELECT row_number() OVER (ORDER BY a.workspace_id, a.id) + 1, a.id, a.workspace_id, a.platform
FROM accounts a JOIN workspaces w ON w.id = a.workspace_id WHERE w.slug LIKE 'fill-%' AND w.id <> (SELECT id FROM large);

-- A group with one of the large accounts.
WITH made AS (
    INSERT INTO groups (id, workspace_id, name, created_at, updated_at)
    SELECT gen_random_uuid(), workspace_id, 'Fill', now(), now() FROM fill_accounts WHERE n = 0
    ON CONFLICT DO NOTHING RETURNING id, workspace_id
)
INSERT INTO group_accounts (workspace_id, group_id, account_id, position)
SELECT made.workspace_id, made.id, account_id, 0 FROM made, fill_accounts WHERE n = 0;

-- One post every minute or so over six years, the last ones of which are queued. Of a hundred one is a draft, one failed.
-- Some failed posts of the large workspace have a live copy.
CREATE TEMP TABLE fill_posts ON COMMIT DROP AS
SELECT post.n, gen_random_uuid() AS id, a.workspace_id, a.account_id, a.platform, at,
    CASE WHEN at > now() THEN 'queued' WHEN post.n % 100 = 7 THEN 'draft' WHEN post.n % 100 = 13 THEN 'failed' ELSE 'live' END AS status
FROM generate_series(1, :posts) AS post(n)
JOIN (SELECT *, (SELECT count(*) FROM fill_accounts) - 2 AS others FROM fill_accounts) a
    ON a.n = CASE WHEN post.n % 3 = 0 THEN post.n / 3 % 2 ELSE 2 + post.n % a.others END,
LATERAL (SELECT date_trunc('second', now()) + interval '30 days' - (:posts - post.n) * (interval '2190 days' / :posts) AS at) time;

INSERT INTO posts (id, workspace_id, account_id, platform, text, title, tags, settings, publish_at, tz, status, external_id, external_url, error_code,
    error_message, attempts, created_via, created_at, updated_at, live_at, copy_of)
SELECT id, workspace_id, account_id, platform,
    word[1 + n * 7 % 40] || ' ' || word[1 + n * 11 % 37] || ' ' || word[1 + n * 13 % 31] || ' the ' || word[1 + n * 17 % 29] || ' ' || 'item' || n % 5003 || ' '
        || script[1 + n % 8] || ' ' || word[1 + n * 19 % 23] || ' and ' || word[1 + n / 7 % 40] || '. Number ' || n || ' of the day, see https://example.org/' || n,
    CASE WHEN platform = 'facebook' THEN '' ELSE word[1 + n % 40] END, '{}', '{}', CASE WHEN status <> 'draft' THEN at END, 'UTC', status,
    CASE WHEN status = 'live' THEN 'x' || id ELSE '' END, CASE WHEN status = 'live' THEN 'https://example.org/' || n ELSE '' END,
    CASE WHEN status = 'failed' THEN 'rejected' ELSE '' END,
    CASE WHEN status = 'failed' THEN 'The network refused the post.' ELSE '' END, 1, 'api', at - interval '1 day', least(at, now()), CASE WHEN status = 'live' THEN least(at, now()) END,
    original
FROM fill_posts LEFT JOIN (SELECT id AS original, n + 6 AS n_of_copy FROM fill_posts WHERE status = 'failed' AND n % 3 = 0) failed
    ON n = n_of_copy AND id > original AND status = 'live',
(SELECT string_to_array('harbour bakery opens early Monday fresh bread rye oven baker coffee morning street corner market flour butter ' ||
    'almond cake window basket summer winter evening offer recipe family kitchen table wooden golden crust seeds honey apple plum cherry lemon salt warm slice smile', ' ') AS word,
    string_to_array('Brötchen|Свежий хлеб|焼きたてのパン|خبز طازج|ψωμί|新鮮麵包|갓 구운 빵|🍞🥐', '|') AS script) words
ORDER BY n;

INSERT INTO post_texts SELECT workspace_id, p.id, p.text || E'\n' || p.title FROM fill_posts JOIN posts p USING (id, workspace_id) ORDER BY n;

INSERT INTO post_events (workspace_id, post_id, kind, at)
SELECT workspace_id, id, kind, at FROM fill_posts, unnest(ARRAY['created', 'queued', 'publishing', 'live']) WITH ORDINALITY AS e(kind, place)
WHERE place <= CASE status WHEN 'draft' THEN 1 WHEN 'queued' THEN 2 ELSE 4 END ORDER BY n, place;

INSERT INTO post_slots (post_id, workspace_id, period, state)
SELECT id, workspace_id, to_char(at - interval '1 day', 'YYYY-MM'), 'held' FROM fill_posts WHERE status <> 'draft';

INSERT INTO usage_month AS u (workspace_id, period, used)
SELECT workspace_id, to_char(at - interval '1 day', 'YYYY-MM'), count(*) FROM fill_posts WHERE status <> 'draft' GROUP BY 1, 2
ON CONFLICT (workspace_id, period) DO UPDATE SET used = u.used + excluded.used;

INSERT INTO usage_drafts AS u (workspace_id, used)
SELECT workspace_id, count(*) FROM fill_posts WHERE status = 'draft' GROUP BY 1 ON CONFLICT (workspace_id) DO UPDATE SET used = u.used + excluded.used;

-- The row of a post that is live keeps the network's id.
INSERT INTO publications (post_id, workspace_id, platform, flow, step, external_id, rest, due_at, ahead, next_action_at, prepare_at, step_since,
    lease_epoch)
SELECT id, workspace_id, platform, 'handle', CASE status WHEN 'queued' THEN 'idle' WHEN 'live' THEN 'live' ELSE 'rejected' END,
    CASE WHEN status = 'live' THEN 'x' || id ELSE '' END,
    CASE status WHEN 'queued' THEN 'queued' WHEN 'live' THEN 'live' ELSE 'fail' END, at, ahead,
    CASE WHEN status = 'queued' THEN at END, CASE WHEN status = 'queued' AND ahead > '0' THEN greatest(at - ahead, now()) END, at, 1
FROM fill_posts, LATERAL (SELECT CASE WHEN n % 2 = 0 THEN '10 minutes' ELSE '0' END::interval AS ahead) files WHERE status <> 'draft' ORDER BY n;

INSERT INTO publish_steps (workspace_id, post_id, epoch, seq, call, started_at, deadline_at, finished_at, verdict, http_status)
SELECT workspace_id, id, 1, seq, CASE seq WHEN 1 THEN 'create' ELSE 'publish' END, at, at + interval '30 seconds', at + interval '1 second', 'ok', 200
FROM fill_posts, generate_series(1, 2) AS seq WHERE status IN ('live', 'failed') ORDER BY n, seq;

-- 20,000 files of the large workspace: half of them in one folder, one of ten a video, a quarter purged. Posts that are
-- live use seven of eight.
INSERT INTO folders (id, workspace_id, name, name_key, created_at, updated_at)
SELECT gen_random_uuid(), workspace_id, 'Fill', 'fill', now(), now() FROM fill_accounts WHERE n = 0 ON CONFLICT DO NOTHING;

CREATE TEMP TABLE fill_media ON COMMIT DROP AS
SELECT f.n, gen_random_uuid() AS id, a.workspace_id, o.id AS folder_id
FROM generate_series(1, 20000) AS f(n), fill_accounts a JOIN folders o ON o.workspace_id = a.workspace_id AND o.name_key = 'fill' WHERE a.n = 0;

INSERT INTO media (id, workspace_id, folder_id, status, original_name, title, description, tags, kind, mime, size, width, height, duration_ms, charged,
    blob, created_at, published_at, purged_at)
SELECT id, workspace_id, CASE WHEN n % 2 = 0 THEN folder_id END, 'ready',
    (ARRAY['IMG_', 'DSC', 'bakery-', 'video '])[1 + n % 4] || n || CASE WHEN n % 10 = 0 THEN '.mp4' ELSE '.jpg' END,
    CASE WHEN n % 5 = 0 THEN 'Number ' || n || ' of the day' ELSE '' END, CASE WHEN n % 7 = 0 THEN 'Fresh bread on the counter' ELSE '' END,
    ARRAY[(ARRAY['autumn', 'winter', 'spring'])[1 + n % 3], 'tag' || n % 5003], CASE WHEN n % 10 = 0 THEN 'video' ELSE 'image' END,
    CASE WHEN n % 10 = 0 THEN 'video/mp4' ELSE 'image/jpeg' END, 100000 + n * 7919 % 4000000, 1080, 1350, CASE WHEN n % 10 = 0 THEN 12000 ELSE 0 END,
    CASE WHEN n < 5000 THEN 0 ELSE 100000 + n * 7919 % 4000000 END, CASE WHEN n < 5000 THEN '' ELSE 'fill/' || id END,
    now() - (20000 - n) * interval '20 minutes', CASE WHEN n < 5000 THEN now() - interval '200 days' END, CASE WHEN n < 5000 THEN now() - interval '197 days' END
FROM fill_media ORDER BY n;

INSERT INTO usage_storage AS u (workspace_id, used) SELECT workspace_id, sum(charged) FROM fill_media JOIN media USING (id, workspace_id) GROUP BY 1
ON CONFLICT (workspace_id) DO UPDATE SET used = u.used + excluded.used;

INSERT INTO post_media (workspace_id, post_id, media_id)
SELECT m.workspace_id, p.id, m.id FROM fill_media m
JOIN (SELECT row_number() OVER (ORDER BY p.n DESC) - 1 AS place, p.id, p.workspace_id FROM fill_posts p JOIN fill_accounts a USING (account_id)
    WHERE a.n = 0 AND p.status = 'live' LIMIT 5000) p ON p.workspace_id = m.workspace_id AND p.place = m.n % 5000
WHERE m.n % 8 <> 0 ON CONFLICT DO NOTHING;

DO $$ DECLARE def text; BEGIN
    FOR def IN SELECT indexdef FROM fill_indexes LOOP EXECUTE def; END LOOP;
END $$;
