-- Whether an account is revoked only because this server no longer uses the networks through which the account was
-- connected. The reason itself is a sentence, which another version may word differently.
ALTER TABLE accounts ADD COLUMN of_other_networks boolean NOT NULL DEFAULT false;

UPDATE accounts SET of_other_networks = true
WHERE status = 'revoked' AND disconnected_at IS NULL AND length(token) > 0
	AND status_reason LIKE '%this server used other networks%';
