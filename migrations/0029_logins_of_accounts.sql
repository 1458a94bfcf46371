-- The login with which an account was connected, if its network has several. It determines who transfers the bytes of
-- files. Empty for accounts that were connected before this migration.
ALTER TABLE accounts ADD COLUMN login text NOT NULL DEFAULT '';
