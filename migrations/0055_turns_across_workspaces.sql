-- Only one post of an account of a network at a time makes its irreversible call or a search, even if several workspaces
-- have connected the account: the post that has the turn. A row exists from before the call until its outcome is saved,
-- or until a waiting post has had time to make its own call. After the time in until, the row no longer counts.
-- The previous version uses the table turns, which a later migration can drop.
CREATE TABLE account_turns (
    platform text NOT NULL,
    external_id text NOT NULL,
    post_id uuid NOT NULL REFERENCES publications (post_id) ON DELETE CASCADE,
    until timestamptz NOT NULL,
    PRIMARY KEY (platform, external_id)
) WITH (fillfactor = 50);
CREATE INDEX account_turns_post ON account_turns (post_id);
