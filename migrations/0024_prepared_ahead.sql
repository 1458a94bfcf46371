-- Posts are prepared before their time. ahead is how long before due_at a worker may begin, preparing tells that the last
-- claim began before due_at, and external_id is what the network calls the post before it is live.
ALTER TABLE publications
    ADD COLUMN ahead interval NOT NULL DEFAULT '0',
    ADD COLUMN preparing boolean NOT NULL DEFAULT false,
    ADD COLUMN external_id text NOT NULL DEFAULT '';
