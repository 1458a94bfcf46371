-- When a post went live, for the indexes of the next migration. Those were on updated_at, so each change to a post
-- changed all indexes of the table. The trigger sets the column for versions of the program that do not know it.
ALTER TABLE posts ADD COLUMN live_at timestamptz;

CREATE FUNCTION set_live_at() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.live_at := NEW.updated_at;
    RETURN NEW;
END $$;
CREATE TRIGGER set_live_at BEFORE UPDATE OF status ON posts
    FOR EACH ROW WHEN (NEW.status = 'live' AND OLD.status <> 'live') EXECUTE FUNCTION set_live_at();
