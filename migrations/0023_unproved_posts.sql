-- Posts that were due at unproved_since or later may have been published although the file storage has no receipt. The
-- column is null if the storage is known to be newer than the database. system identifies the database to which the
-- hold applies.
ALTER TABLE publishing_hold ADD COLUMN unproved_since timestamptz, ADD COLUMN system text NOT NULL DEFAULT '';
