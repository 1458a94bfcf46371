-- Slugs that workspaces had before. Addresses with such a slug lead to the workspace that had it last.
CREATE TABLE former_slugs (
    slug text PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE
);
CREATE INDEX ON former_slugs (workspace_id);
