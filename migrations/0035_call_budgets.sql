-- The calls of a kind that a network lets an account (scope is its id) or this server's app (scope is empty) make within a
-- time, as often as each counts. Calls that are older than that time are dropped with the next one.
CREATE TABLE call_budgets (
    platform text NOT NULL,
    scope text NOT NULL,
    name text NOT NULL,
    calls timestamptz[] NOT NULL,
    PRIMARY KEY (platform, scope, name)
) WITH (fillfactor = 50);
