-- Until when an account's posts are held back: a throttle of one is one of all, on every replica.
ALTER TABLE accounts ADD COLUMN held_until timestamptz;

-- Whether the words of a post's error are the network's own.
ALTER TABLE posts ADD COLUMN error_from_network boolean NOT NULL DEFAULT false;
