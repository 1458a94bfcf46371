-- The number of the last migration that a program must know to work with this schema. Migrations only add to what the
-- previous version uses. A migration that cannot do so raises this number to its own.
CREATE TABLE schema_floor (version int NOT NULL);
INSERT INTO schema_floor VALUES (12);
