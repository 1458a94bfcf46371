-- The storage key of this server's own small copy of the account's picture; empty if there is none.
ALTER TABLE accounts ADD COLUMN avatar text NOT NULL DEFAULT '';
CREATE INDEX accounts_avatar ON accounts (avatar) WHERE avatar <> '';

-- The failed post for which an account is reconnected, and which is retried afterwards.
ALTER TABLE connections ADD COLUMN post_id uuid;
