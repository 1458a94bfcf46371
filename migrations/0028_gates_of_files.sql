-- The claim and the call that created a post's object at a network that fetches files by itself and then shows the post:
-- the addresses of that call give the files out once the arm of the same object is saved.
ALTER TABLE publications ADD COLUMN gate text NOT NULL DEFAULT '';
