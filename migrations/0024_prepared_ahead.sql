-- Posts are prepared before their time. ahead is how long before due_at a worker may begin, prepare_at is when a worker
-- next acts before due_at, preparing says that the last claim began before due_at, and external_id is the network's id
-- of the post before the post is live. next_action_at is never before due_at: a post that was not prepared is published
-- then, even by a version that prepares nothing.
ALTER TABLE publications
    ADD COLUMN ahead interval NOT NULL DEFAULT '0',
    ADD COLUMN prepare_at timestamptz,
    ADD COLUMN preparing boolean NOT NULL DEFAULT false,
    ADD COLUMN external_id text NOT NULL DEFAULT '';
