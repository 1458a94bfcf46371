-- The hash of the grant that a person has given this server's app on a network. Revoking the grant ends the access of
-- all accounts with the same grant, even in other workspaces. Null for accounts that an older version connected.
ALTER TABLE accounts ADD COLUMN grant_hash bytea;
CREATE INDEX accounts_grant ON accounts (grant_hash);

-- When the account was last connected. What a network reports about an earlier time does not concern the account's
-- token.
ALTER TABLE accounts ADD COLUMN granted_at timestamptz;

-- When the consent was requested. A grant that was revoked since then is not in use, even if the person gave it after
-- that time.
ALTER TABLE connections ADD COLUMN begun_at timestamptz NOT NULL DEFAULT clock();

-- Grants that a network must be asked to revoke, unless an account needs them again.
CREATE TABLE revocations (
	grant_hash bytea PRIMARY KEY,
	platform text NOT NULL,
	connected_at text NOT NULL,
	token bytea NOT NULL, -- empty when nothing is left to do
	asked_at timestamptz NOT NULL,
	-- until when the last call may take effect; null before the first
	quiet_at timestamptz
);
