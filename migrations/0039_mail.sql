-- Emails that wait to be sent. Without a mail server, the sandbox keeps them here to show them.
CREATE TABLE mails (
    id           uuid PRIMARY KEY,
    workspace_id uuid REFERENCES workspaces ON DELETE CASCADE, -- null if the email concerns a person
    sealed       bytea NOT NULL, -- the letter and its recipient; sealed, because the links are secrets
    created_at   timestamptz NOT NULL DEFAULT clock(),
    expires_at   timestamptz NOT NULL -- after this, the letter is useless
);
CREATE INDEX mails_age ON mails (expires_at);
CREATE INDEX mails_by_time ON mails (created_at);

-- Links for choosing a new password. Each works once.
CREATE TABLE password_resets (
    hash       bytea PRIMARY KEY, -- of the link's token
    user_id    uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    expires_at timestamptz NOT NULL
);
CREATE INDEX password_resets_by_user ON password_resets (user_id);
CREATE INDEX password_resets_age ON password_resets (expires_at);

-- Problems that members have not been emailed about yet: failed posts (subject is the post), and accounts that must be
-- reconnected (subject is the account). Problems of one kind and reason share an email.
CREATE TABLE alerts (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    kind         text NOT NULL,
    reason       text NOT NULL,
    subject      uuid NOT NULL,
    at           timestamptz NOT NULL DEFAULT clock()
);
CREATE INDEX alerts_by_reason ON alerts (workspace_id, kind, reason, at);

-- When members were last emailed about a kind of problem and its reason.
CREATE TABLE alerts_told (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    kind         text NOT NULL,
    reason       text NOT NULL,
    told_at      timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, kind, reason)
);
CREATE INDEX alerts_told_age ON alerts_told (told_at);

-- Which problems the member gets emails about: all, own (those of their own posts) or none. Empty for the default of
-- the role.
ALTER TABLE members ADD COLUMN mail text NOT NULL DEFAULT '';

-- Several statements can end the access to an account. A trigger covers all of them.
CREATE FUNCTION note_failed_post() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO alerts (workspace_id, kind, reason, subject) VALUES (NEW.workspace_id, 'post', NEW.error_code, NEW.id);
    IF NEW.error_code IN ('account_expired', 'account_revoked') THEN
        INSERT INTO alerts (workspace_id, kind, reason, subject) VALUES (NEW.workspace_id, 'account', '', NEW.account_id);
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER posts_failed AFTER UPDATE OF status ON posts FOR EACH ROW
    WHEN (NEW.status = 'failed' AND OLD.status <> 'failed') EXECUTE FUNCTION note_failed_post();

CREATE FUNCTION note_lost_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO alerts (workspace_id, kind, reason, subject) VALUES (NEW.workspace_id, 'account', '', NEW.id);
    RETURN NULL;
END
$$;
CREATE TRIGGER accounts_lost AFTER UPDATE OF status ON accounts FOR EACH ROW
    WHEN (NEW.status <> 'ok' AND OLD.status = 'ok' AND NEW.disconnected_at IS NULL) EXECUTE FUNCTION note_lost_account();
