-- What the network has reported about each account (core.Facts), for the checks of plans.
CREATE TABLE account_facts (
    workspace_id uuid NOT NULL,
    account_id   uuid NOT NULL,
    facts        jsonb NOT NULL,
    told_at      timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, account_id),
    FOREIGN KEY (workspace_id, account_id) REFERENCES accounts (workspace_id, id)
);
