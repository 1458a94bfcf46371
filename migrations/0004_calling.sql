-- Whether the call that publishes is what the present claim is doing: until it returns nothing is in doubt.
ALTER TABLE publications ADD COLUMN calling boolean NOT NULL DEFAULT false;
