-- One post of an account at a time makes its irreversible call: the one that has the turn. A row is there from the arm until
-- the outcome of the call is saved, or until a post that waited has had time to make its own; after until, it counts no more.
CREATE TABLE turns (
    account_id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    post_id uuid NOT NULL,
    until timestamptz NOT NULL,
    FOREIGN KEY (workspace_id, account_id) REFERENCES accounts (workspace_id, id) ON DELETE CASCADE
) WITH (fillfactor = 50);

-- The account for whose turn a post waits. It counts where rest is 'turn', because an older version does not clear it.
ALTER TABLE publications ADD COLUMN turn_of uuid;
