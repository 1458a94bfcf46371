-- Workers claim due posts from the ledger, and no longer run the jobs that announced them.
DO $$ BEGIN
    IF to_regclass('river_job') IS NOT NULL THEN
        DELETE FROM river_job WHERE kind = 'publish' AND state <> 'running';
    END IF;
END $$;
COMMENT ON COLUMN publications.woken_at IS 'unused since migration 15; kept for programs that are older';
