-- Until when only one worker may renew an account's token, even a token that is renewed because it has lapsed and not
-- because token_refresh_at has passed.
ALTER TABLE accounts ADD COLUMN token_claimed_until timestamptz;

-- Since when renewals of the token have been failing. token_refresh_at then says when the worker can try again.
ALTER TABLE accounts ADD COLUMN token_failing_since timestamptz;
