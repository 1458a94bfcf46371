-- People who can become members with an invitation link. The id becomes the person's id, unless a person with the email
-- address already exists. Nothing shows whether one does before they join.
CREATE TABLE invitations (
    id           uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces,
    email        text NOT NULL,
    name         text NOT NULL,
    role         text NOT NULL,
    hash         bytea NOT NULL UNIQUE, -- of the link's token
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL
);
CREATE UNIQUE INDEX invitations_email ON invitations (workspace_id, lower(email));
