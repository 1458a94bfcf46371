-- The number of the last migration that a program must know to work with this schema. Migrations add and leave what the
-- program before them uses; one that cannot raises this to its own number.
CREATE TABLE schema_floor (version int NOT NULL);
INSERT INTO schema_floor VALUES (12);
