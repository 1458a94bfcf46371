-- The person to whom a session belongs, so that people can see where they are signed in. Null for an older session
-- until it is used again.
ALTER TABLE sessions
    ADD COLUMN user_id uuid REFERENCES users ON DELETE CASCADE,
    ADD COLUMN id uuid, -- stays the same when the token is renewed
    ADD COLUMN browser text NOT NULL DEFAULT '', -- as it names itself
    ADD COLUMN since timestamptz,
    ADD COLUMN seen_at timestamptz;
CREATE INDEX sessions_by_user ON sessions (user_id) WHERE user_id IS NOT NULL;

-- Indexes for filtering the audit log by person and by action.
CREATE INDEX audit_log_by_person ON audit_log (workspace_id, user_id, id);
CREATE INDEX audit_log_by_action ON audit_log (workspace_id, action, id);
