-- A person's choices: whether single keys are shortcuts, and whether a workspace still shows its first steps to them.
ALTER TABLE users ADD COLUMN shortcuts boolean NOT NULL DEFAULT true;
ALTER TABLE members ADD COLUMN first_steps boolean NOT NULL DEFAULT true;
