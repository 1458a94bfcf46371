-- Until when an account's posts are held. A throttle of one post applies to all of them, on every replica.
ALTER TABLE accounts ADD COLUMN held_until timestamptz;

-- Whether the message of a post's error is the network's own.
ALTER TABLE posts ADD COLUMN error_from_network boolean NOT NULL DEFAULT false;
