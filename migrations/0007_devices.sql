-- Browsers that a person has signed in with. Each has its own limit on password checks, so that strangers who use up
-- the account's limit cannot lock out the account's owner.
CREATE TABLE devices (
    hash    bytea PRIMARY KEY, -- of the device cookie
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    seen_at timestamptz NOT NULL -- when the person last signed in
);
CREATE INDEX devices_by_user ON devices (user_id, seen_at);
CREATE INDEX devices_age ON devices (seen_at);
