-- Accounts that are revoked only because this server uses other networks than those through which they were connected.
-- Their reason is a sentence, which another version may word differently.
ALTER TABLE accounts ADD COLUMN of_other_networks boolean NOT NULL DEFAULT false;

UPDATE accounts SET of_other_networks = true
WHERE status = 'revoked' AND disconnected_at IS NULL AND length(token) > 0
	AND status_reason LIKE '%this server used other networks%';
