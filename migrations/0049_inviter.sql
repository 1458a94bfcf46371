-- Who invites a person, for the page of the invitation. Null for an invitation of an earlier version.
ALTER TABLE invitations ADD COLUMN invited_by uuid REFERENCES users ON DELETE SET NULL;
