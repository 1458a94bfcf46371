-- A throttle of this server's app at a network: no account's posts go to it until then, those of accounts connected
-- later included.
CREATE TABLE network_holds (
    platform text PRIMARY KEY,
    held_until timestamptz NOT NULL
);
