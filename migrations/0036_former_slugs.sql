-- Slugs that workspaces had before. Their addresses lead on to the workspace that had the slug last.
CREATE TABLE former_slugs (
    slug text PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE
);
CREATE INDEX ON former_slugs (workspace_id);
