-- When a post went live, for the indexes of the next step: they were on updated_at, by which each change of a post
-- changed all indexes of the table. The trigger covers the versions of the program that do not know the column.
ALTER TABLE posts ADD COLUMN live_at timestamptz;

CREATE FUNCTION set_live_at() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.live_at := NEW.updated_at;
    RETURN NEW;
END $$;
CREATE TRIGGER set_live_at BEFORE UPDATE OF status ON posts
    FOR EACH ROW WHEN (NEW.status = 'live' AND OLD.status <> 'live') EXECUTE FUNCTION set_live_at();
