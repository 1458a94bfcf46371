-- The login by which an account was connected, where its network has several: it decides who brings the bytes of files.
-- Empty for accounts that were connected before.
ALTER TABLE accounts ADD COLUMN login text NOT NULL DEFAULT '';
