-- Until when one worker alone may renew an account's token: also one that is renewed because it has lapsed, and not
-- because token_refresh_at has come.
ALTER TABLE accounts ADD COLUMN token_claimed_until timestamptz;

-- Since when renewals of the token have been failing: token_refresh_at then says when the next may be tried.
ALTER TABLE accounts ADD COLUMN token_failing_since timestamptz;
