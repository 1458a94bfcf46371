-- Posts that were due from unproved_since on may have been published although the file storage has no receipt. It is
-- null where the storage is known to be newer than the database. system names the database that the hold is of.
ALTER TABLE publishing_hold ADD COLUMN unproved_since timestamptz, ADD COLUMN system text NOT NULL DEFAULT '';
