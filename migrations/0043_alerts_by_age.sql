-- The alerts that are too old to tell members about.
CREATE INDEX alerts_age ON alerts (at);
