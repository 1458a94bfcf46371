-- What a person has given this server's app at a network, as a hash: revoking it ends the access of all accounts with the
-- same one, also in other workspaces. Null for accounts that an older version connected.
ALTER TABLE accounts ADD COLUMN grant_hash bytea;
CREATE INDEX accounts_grant ON accounts (grant_hash);

-- When the account was connected last: what a network reports of an earlier time does not concern its token.
ALTER TABLE accounts ADD COLUMN granted_at timestamptz;

-- When the consent was asked for. A grant that was revoked since is not in use, even if it was given after that.
ALTER TABLE connections ADD COLUMN begun_at timestamptz NOT NULL DEFAULT clock();

-- Grants that a network must be told to end, unless an account needs them again.
CREATE TABLE revocations (
	grant_hash bytea PRIMARY KEY,
	platform text NOT NULL,
	connected_at text NOT NULL,
	token bytea NOT NULL, -- empty when nothing is left to do
	asked_at timestamptz NOT NULL,
	-- until when the last call may take effect; null before the first
	quiet_at timestamptz
);
