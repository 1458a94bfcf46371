-- The claim and the call that created a post's object, on a network that fetches files by itself and then shows the
-- post. The addresses in that call return the files once the arm of the same object is saved.
ALTER TABLE publications ADD COLUMN gate text NOT NULL DEFAULT '';
