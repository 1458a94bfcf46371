-- Trigrams for searching posts, with an index that begins with the workspace.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

-- Ends the transaction with the error BF001 unless ok is true, so that a batch of statements can be sent without
-- waiting for the results of the first ones.
CREATE FUNCTION must(ok boolean, reason text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF ok IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'BF001', MESSAGE = reason;
    END IF;
END $$;

-- The number of a workspace's drafts. Triggers update it, so that it is exact whichever statement changes a post.
CREATE TABLE usage_drafts (
    workspace_id uuid PRIMARY KEY REFERENCES workspaces,
    used         bigint NOT NULL CHECK (used >= 0)
) WITH (fillfactor = 50);

CREATE FUNCTION count_drafts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'DELETE' AND NEW.status = 'draft' THEN
        INSERT INTO usage_drafts AS u (workspace_id, used) VALUES (NEW.workspace_id, 1)
        ON CONFLICT (workspace_id) DO UPDATE SET used = u.used + 1;
    ELSE
        UPDATE usage_drafts SET used = used - 1 WHERE workspace_id = OLD.workspace_id;
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER count_new_drafts AFTER INSERT ON posts
    FOR EACH ROW WHEN (NEW.status = 'draft') EXECUTE FUNCTION count_drafts();
CREATE TRIGGER count_changed_drafts AFTER UPDATE OF status ON posts
    FOR EACH ROW WHEN ((NEW.status = 'draft') <> (OLD.status = 'draft')) EXECUTE FUNCTION count_drafts();
CREATE TRIGGER count_deleted_drafts AFTER DELETE ON posts
    FOR EACH ROW WHEN (OLD.status = 'draft') EXECUTE FUNCTION count_drafts();

INSERT INTO usage_drafts (workspace_id, used) SELECT workspace_id, count(*) FROM posts WHERE status = 'draft' GROUP BY workspace_id;
