-- Actions of people and operators that matter for security, written in the transaction of the action. Rows never
-- change, stay when what they refer to is deleted, and are deleted after 365 days.
CREATE TABLE audit_log (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at           timestamptz NOT NULL DEFAULT clock(),
    workspace_id uuid, -- null if the action concerns a person or the whole server
    actor        text NOT NULL, -- session, api_key or operator
    user_id      uuid, -- null for an operator
    credential   text NOT NULL DEFAULT '', -- the name of the key or client
    action       text NOT NULL,
    subject      text NOT NULL DEFAULT '', -- the id of what the action changed
    before       jsonb,
    after        jsonb,
    address      text NOT NULL DEFAULT '', -- of the client
    request_id   text NOT NULL DEFAULT ''
);
CREATE INDEX audit_log_by_workspace ON audit_log (workspace_id, id);
CREATE INDEX audit_log_by_user ON audit_log (user_id, id);
CREATE INDEX audit_log_age ON audit_log (at);

CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND OLD.at <= clock() - interval '365 days' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'the audit log cannot be changed';
END
$$;
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE ON audit_log FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
