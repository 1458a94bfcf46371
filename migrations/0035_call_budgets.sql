-- The calls of one kind that an account (scope is its id) or this server's app (scope is empty) has made within the
-- period that a network limits. A call is listed as many times as it counts. The next call removes calls that are older
-- than the period.
CREATE TABLE call_budgets (
    platform text NOT NULL,
    scope text NOT NULL,
    name text NOT NULL,
    calls timestamptz[] NOT NULL,
    PRIMARY KEY (platform, scope, name)
) WITH (fillfactor = 50);
