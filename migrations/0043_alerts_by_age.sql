-- An index for finding alerts that are too old to be emailed.
CREATE INDEX alerts_age ON alerts (at);
