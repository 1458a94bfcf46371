-- Two posts never refer to the same post on the network. If a search mistakes one post for another, its result counts
-- as ambiguous.
CREATE UNIQUE INDEX posts_external_id ON posts (account_id, external_id) WHERE external_id <> '';
