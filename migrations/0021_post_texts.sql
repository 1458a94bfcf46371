-- What is searched of a post moves to a table of its own: a post that changes its state no longer changes the index of
-- every four characters.

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

-- A change of state sets the text to what it was.
CREATE TRIGGER change_post_text AFTER UPDATE OF text, title ON posts
    FOR EACH ROW WHEN ((NEW.text, NEW.title) <> (OLD.text, OLD.title)) EXECUTE FUNCTION set_post_text();
