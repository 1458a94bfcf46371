-- A throttle of this server's app on a network. Until it ends, Belfry sends no posts to the network, including those of
-- accounts that are connected later.
CREATE TABLE network_holds (
    platform text PRIMARY KEY,
    held_until timestamptz NOT NULL
);
