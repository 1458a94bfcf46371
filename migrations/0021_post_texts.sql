-- The text that a search finds moves to its own table, so that a post that changes its state no longer changes the
-- search index.

CREATE TABLE post_texts (
    workspace_id uuid NOT NULL,
    post_id uuid PRIMARY KEY,
    text text NOT NULL,
    FOREIGN KEY (workspace_id, post_id) REFERENCES posts (workspace_id, id) ON DELETE CASCADE
);

CREATE FUNCTION set_post_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO post_texts VALUES (NEW.workspace_id, NEW.id, NEW.text || E'\n' || NEW.title)
    ON CONFLICT (post_id) DO UPDATE SET text = excluded.text;
    RETURN NULL;
END $$;

CREATE TRIGGER add_post_text AFTER INSERT ON posts
    FOR EACH ROW EXECUTE FUNCTION set_post_text();

-- An update of a post's state also sets its text, to the same value. The condition ignores such updates.
CREATE TRIGGER change_post_text AFTER UPDATE OF text, title ON posts
    FOR EACH ROW WHEN ((NEW.text, NEW.title) <> (OLD.text, OLD.title)) EXECUTE FUNCTION set_post_text();
