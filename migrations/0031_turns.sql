-- Only one post of an account at a time makes its irreversible call: the post that has the turn. A row exists from the
-- arm until the outcome of the call is saved, or until a waiting post has had time to make its own call. After the time
-- in until, the row no longer counts.
CREATE TABLE turns (
    account_id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    post_id uuid NOT NULL,
    until timestamptz NOT NULL,
    FOREIGN KEY (workspace_id, account_id) REFERENCES accounts (workspace_id, id) ON DELETE CASCADE
) WITH (fillfactor = 50);

-- The account for whose turn a post waits. The column counts only if rest is 'turn', because an older version does not
-- clear it.
ALTER TABLE publications ADD COLUMN turn_of uuid;
