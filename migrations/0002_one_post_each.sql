-- Two posts never claim one post of the network: a search that took one for the other is ambiguous.
CREATE UNIQUE INDEX posts_external_id ON posts (account_id, external_id) WHERE external_id <> '';
