-- A slug belongs to the workspace that had it first, for as long as that workspace exists, because old links must not
-- lead to strangers. former_slugs also contains the current slugs, so that two workspaces cannot take the same slug at
-- the same time.
CREATE FUNCTION reserve_slug() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO former_slugs AS f (slug, workspace_id) VALUES (NEW.slug, NEW.id)
        ON CONFLICT (slug) DO UPDATE SET slug = f.slug WHERE f.workspace_id = NEW.id;
    IF NOT FOUND THEN
        RAISE unique_violation USING MESSAGE = 'another workspace had the slug', CONSTRAINT = 'workspaces_slug_key';
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER workspaces_slug AFTER INSERT OR UPDATE OF slug ON workspaces
    FOR EACH ROW EXECUTE FUNCTION reserve_slug();

-- Creating the trigger blocks changes to slugs until this transaction ends.
INSERT INTO former_slugs (slug, workspace_id) SELECT slug, id FROM workspaces
    ON CONFLICT (slug) DO UPDATE SET workspace_id = excluded.workspace_id;
