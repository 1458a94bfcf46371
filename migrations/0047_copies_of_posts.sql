-- The failed post that a post replaces, as its copy or as a copy of a copy. The column is not a foreign key, because
-- the other copies still belong together after the failed post has been deleted.
ALTER TABLE posts ADD COLUMN copy_of uuid;
