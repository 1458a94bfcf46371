-- The database's clock, read for leases, due times and limits only, so that replicas agree. A test
-- may redefine it in its own database.
CREATE FUNCTION clock() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT now()';

CREATE TABLE workspaces (
    id         uuid PRIMARY KEY,
    slug       text NOT NULL UNIQUE,
    name       text NOT NULL,
    plan       text NOT NULL,
    currency   text NOT NULL DEFAULT 'USD',
    tz         text NOT NULL,
    created_at timestamptz NOT NULL
);

CREATE TABLE users (
    id            uuid PRIMARY KEY,
    email         text NOT NULL,
    name          text NOT NULL,
    password_hash text NOT NULL,
    created_at    timestamptz NOT NULL
);
CREATE UNIQUE INDEX users_email ON users (lower(email));

CREATE TABLE members (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    user_id      uuid NOT NULL REFERENCES users,
    role         text NOT NULL,
    created_at   timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, user_id)
);
CREATE INDEX members_user ON members (user_id);

-- Signed-in browsers; the shape is that of the session library's PostgreSQL store.
CREATE TABLE sessions (
    token  text PRIMARY KEY,
    data   bytea NOT NULL,
    expiry timestamptz NOT NULL
);
CREATE INDEX sessions_expiry ON sessions (expiry);

-- A key acts for its maker and dies with the membership.
CREATE TABLE api_keys (
    id           uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    user_id      uuid NOT NULL,
    name         text NOT NULL,
    scope        text NOT NULL,
    hash         bytea NOT NULL UNIQUE,
    hint         text NOT NULL,
    created_at   timestamptz NOT NULL,
    last_used_at timestamptz,
    FOREIGN KEY (workspace_id, user_id) REFERENCES members ON DELETE CASCADE,
    UNIQUE (workspace_id, id)
);

CREATE TABLE accounts (
    id               uuid PRIMARY KEY,
    workspace_id     uuid NOT NULL REFERENCES workspaces,
    platform         text NOT NULL,
    external_id      text NOT NULL,
    username         text NOT NULL,
    display_name     text NOT NULL,
    avatar_url       text NOT NULL,
    status           text NOT NULL,
    status_reason    text NOT NULL DEFAULT '',
    -- '' for the real networks, else the address that stood in for them.
    connected_at     text NOT NULL,
    token            bytea NOT NULL,
    token_expires_at timestamptz,
    token_refresh_at timestamptz,
    check_at         timestamptz NOT NULL, -- when the network is asked next whether the token still works
    created_at       timestamptz NOT NULL,
    disconnected_at  timestamptz,
    UNIQUE (workspace_id, id),
    UNIQUE (workspace_id, platform, external_id)
);
CREATE INDEX accounts_refresh ON accounts (token_refresh_at) WHERE status = 'ok' AND disconnected_at IS NULL;
CREATE INDEX accounts_check ON accounts (check_at) WHERE status = 'ok' AND disconnected_at IS NULL;

-- A consent under way: from the redirect to the network until its way back, and until a profile is chosen.
CREATE TABLE connections (
    state_hash   bytea PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    user_id      uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    platform     text NOT NULL,
    account_id   uuid, -- set when an account is reconnected
    session_hash bytea NOT NULL,
    verifier     bytea NOT NULL,
    profiles     bytea, -- sealed, once the network has answered
    expires_at   timestamptz NOT NULL
);

CREATE TABLE groups (
    id           uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces,
    name         text NOT NULL,
    description  text NOT NULL DEFAULT '',
    color        text NOT NULL DEFAULT '',
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    UNIQUE (workspace_id, id),
    UNIQUE (workspace_id, name)
);

CREATE TABLE group_accounts (
    workspace_id uuid NOT NULL,
    group_id     uuid NOT NULL,
    account_id   uuid NOT NULL,
    position     int NOT NULL,
    PRIMARY KEY (group_id, account_id),
    FOREIGN KEY (workspace_id, group_id) REFERENCES groups (workspace_id, id) ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, account_id) REFERENCES accounts (workspace_id, id)
);

-- Folders nest; one without a parent lies at the root. name_key is the name without regard to case, worked
-- out by the program so that it does not depend on the database's locale.
CREATE TABLE folders (
    id           uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces,
    parent_id    uuid,
    name         text NOT NULL,
    name_key     text NOT NULL,
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    UNIQUE (workspace_id, id),
    FOREIGN KEY (workspace_id, parent_id) REFERENCES folders (workspace_id, id)
);
CREATE UNIQUE INDEX folders_siblings ON folders (workspace_id, parent_id, name_key) NULLS NOT DISTINCT;

-- The bytes that a workspace's files take: always the sum of media.charged.
CREATE TABLE usage_storage (
    workspace_id uuid PRIMARY KEY REFERENCES workspaces,
    used         bigint NOT NULL CHECK (used >= 0)
);

CREATE TABLE media (
    id            uuid PRIMARY KEY,
    workspace_id  uuid NOT NULL REFERENCES workspaces,
    folder_id     uuid,
    status        text NOT NULL CHECK (status IN ('uploading', 'processing', 'ready', 'failed')),
    fail_reason   text NOT NULL DEFAULT '',
    original_name text NOT NULL,
    title         text NOT NULL DEFAULT '',
    description   text NOT NULL DEFAULT '',
    tags          text[] NOT NULL DEFAULT '{}',
    pinned        boolean NOT NULL DEFAULT false,
    -- What is declared, until the bytes have been looked at; then what they say.
    kind          text NOT NULL CHECK (kind IN ('image', 'video')),
    mime          text NOT NULL,
    size          bigint NOT NULL,
    width         int NOT NULL DEFAULT 0,
    height        int NOT NULL DEFAULT 0,
    duration_ms   bigint NOT NULL DEFAULT 0,
    fps           double precision NOT NULL DEFAULT 0,
    video_codec   text NOT NULL DEFAULT '',
    audio_codec   text NOT NULL DEFAULT '',
    bit_rate      bigint NOT NULL DEFAULT 0,
    frames        int NOT NULL DEFAULT 0,
    -- What counts in usage_storage: first what was reserved, then what is kept, 0 once the bytes are gone.
    charged       bigint NOT NULL CHECK (charged >= 0),
    blob          text NOT NULL DEFAULT '', -- where the bytes are; '' when there are none
    thumbnail     text NOT NULL DEFAULT '',
    source        bytea,       -- sealed: the address to fetch the file from, which may hold a secret
    expires_at    timestamptz, -- until when the reservation may be used
    lease_epoch   bigint NOT NULL DEFAULT 0, -- fencing token of whoever brings the bytes or looks at them
    lease_until   timestamptz,
    tries         int NOT NULL DEFAULT 0,
    next_at       timestamptz, -- when the sweep must look at the row; null: never
    created_at    timestamptz NOT NULL,
    published_at  timestamptz, -- when the last post with it went live
    purged_at     timestamptz,
    deleted_at    timestamptz, -- kept only for the posts that went out with it
    UNIQUE (workspace_id, id),
    FOREIGN KEY (workspace_id, folder_id) REFERENCES folders (workspace_id, id)
);
CREATE INDEX media_by_time ON media (workspace_id, created_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX media_by_folder ON media (folder_id) WHERE folder_id IS NOT NULL;
CREATE INDEX media_blob ON media (blob) WHERE blob <> '';
CREATE INDEX media_thumbnail ON media (thumbnail) WHERE thumbnail <> '';
CREATE INDEX media_deleted ON media (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX media_next ON media (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX media_to_purge ON media (published_at) WHERE published_at IS NOT NULL AND purged_at IS NULL AND NOT pinned AND deleted_at IS NULL;

CREATE TABLE posts (
    id            uuid PRIMARY KEY,
    workspace_id  uuid NOT NULL REFERENCES workspaces,
    account_id    uuid NOT NULL,
    platform      text NOT NULL,
    text          text NOT NULL,
    title         text NOT NULL,
    tags          text[] NOT NULL,
    settings      jsonb NOT NULL,
    media_ids     uuid[] NOT NULL DEFAULT '{}', -- its files, in their order
    publish_at    timestamptz,
    tz            text NOT NULL,
    status        text NOT NULL CHECK (status IN ('draft', 'queued', 'live', 'failed')),
    external_id   text NOT NULL DEFAULT '',
    external_url  text NOT NULL DEFAULT '',
    error_code    text NOT NULL DEFAULT '',
    error_message text NOT NULL DEFAULT '',
    error_hint    text NOT NULL DEFAULT '',
    attempts      int NOT NULL DEFAULT 0,
    created_via   text NOT NULL,
    created_by    uuid,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    UNIQUE (workspace_id, id),
    FOREIGN KEY (workspace_id, account_id) REFERENCES accounts (workspace_id, id)
) WITH (fillfactor = 70);
-- The lists' order: a post's time, for a draft without one its creation.
CREATE INDEX posts_by_time ON posts (workspace_id, coalesce(publish_at, created_at) DESC, id DESC);
CREATE INDEX posts_by_status ON posts (workspace_id, status, coalesce(publish_at, created_at) DESC, id DESC);
CREATE INDEX posts_by_account ON posts (account_id, status);

-- Which posts use a file: posts.media_ids, for those who ask of the file.
CREATE TABLE post_media (
    workspace_id uuid NOT NULL,
    post_id      uuid NOT NULL,
    media_id     uuid NOT NULL,
    PRIMARY KEY (post_id, media_id),
    FOREIGN KEY (workspace_id, post_id) REFERENCES posts (workspace_id, id) ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, media_id) REFERENCES media (workspace_id, id)
);
CREATE INDEX post_media_by_media ON post_media (media_id);

CREATE TABLE post_events (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id uuid NOT NULL,
    post_id      uuid NOT NULL,
    kind         text NOT NULL,
    at           timestamptz NOT NULL,
    message      text NOT NULL DEFAULT '',
    notes        text[] NOT NULL DEFAULT '{}',
    FOREIGN KEY (workspace_id, post_id) REFERENCES posts (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX post_events_by_post ON post_events (post_id, id);

-- The month's quota: a counter, and who holds a slot of which month.
CREATE TABLE usage_month (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    period       text NOT NULL,
    used         bigint NOT NULL CHECK (used >= 0),
    PRIMARY KEY (workspace_id, period)
);

-- Kept when the post is deleted: a deleted failed post's slot stays used.
CREATE TABLE post_slots (
    post_id      uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces,
    period       text NOT NULL,
    state        text NOT NULL CHECK (state IN ('held', 'returned'))
);

-- The ledger of publishing: one row per post that ever left draft. docs/publishing.md explains it.
CREATE TABLE publications (
    post_id         uuid PRIMARY KEY,
    workspace_id    uuid NOT NULL,
    platform        text NOT NULL,
    flow            text NOT NULL,
    step            text NOT NULL,
    handle          bytea,  -- sealed: a handle can be a bearer secret
    armed           boolean NOT NULL DEFAULT false,
    open            boolean NOT NULL DEFAULT false,
    answer          text NOT NULL DEFAULT '',
    tries           int NOT NULL DEFAULT 0,
    deaths          int NOT NULL DEFAULT 0,
    polls           int NOT NULL DEFAULT 0,
    due_at          timestamptz NOT NULL,
    next_action_at  timestamptz, -- null: nobody need act
    rest            text NOT NULL, -- how the last claim ended; 'queued' before the first, '' during one
    step_since      timestamptz NOT NULL,
    armed_at        timestamptz, -- the first arm of this handle or call
    quiet_at        timestamptz, -- when a call on the wire must have arrived
    first_call_at   timestamptz,
    lease_epoch     bigint NOT NULL DEFAULT 0, -- fencing token: up by one at each claim, never reset
    lease_owner     text,
    lease_until     timestamptz,
    woken_at        timestamptz, -- when a job of its own is or was due to run
    failure         jsonb,       -- the last refusal of the irreversible call, verbatim
    FOREIGN KEY (workspace_id, post_id) REFERENCES posts (workspace_id, id) ON DELETE CASCADE
) WITH (fillfactor = 50);
CREATE INDEX publications_due ON publications (next_action_at) WHERE next_action_at IS NOT NULL;

-- Every external call: written before it, finished after it.
CREATE TABLE publish_steps (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id uuid NOT NULL,
    post_id      uuid NOT NULL,
    epoch        bigint NOT NULL,
    seq          int NOT NULL,
    call         text NOT NULL,
    started_at   timestamptz NOT NULL,
    deadline_at  timestamptz NOT NULL,
    finished_at  timestamptz,
    verdict      text NOT NULL DEFAULT '',
    http_status  int NOT NULL DEFAULT 0,
    net_code     text NOT NULL DEFAULT '',
    net_trace    text NOT NULL DEFAULT '',
    response     bytea, -- verbatim, secrets cut, at most 64 KiB
    UNIQUE (post_id, epoch, seq),
    FOREIGN KEY (workspace_id, post_id) REFERENCES posts (workspace_id, id) ON DELETE CASCADE
) WITH (fillfactor = 70);

-- Creations of posts in the last hour: an exact sliding log.
CREATE TABLE create_log (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    at           timestamptz NOT NULL
);
CREATE INDEX create_log_by_workspace ON create_log (workspace_id, at);

-- Requests by client address, in parts of the limit's window: those of the newest part, and those of the
-- 60 parts before it with their sum and the number of the first of them that has any. Lost at a crash,
-- which does no harm.
CREATE UNLOGGED TABLE address_log (
    address text PRIMARY KEY,
    newest  bigint NOT NULL,
    here    int NOT NULL,
    before  int NOT NULL,
    oldest  bigint NOT NULL,
    parts   int[] NOT NULL
) WITH (fillfactor = 50); -- room for the row's next version on its page

-- Sign-in and the like: the theoretical arrival time of a leaky bucket for each key.
CREATE UNLOGGED TABLE throttles (
    key text PRIMARY KEY,
    tat timestamptz NOT NULL
);

CREATE TABLE idempotency (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    route        text NOT NULL,
    key          text NOT NULL,
    fingerprint  bytea NOT NULL,
    status       int NOT NULL DEFAULT 0, -- 0 while the first request runs
    body         bytea,
    locked_until timestamptz NOT NULL,
    created_at   timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, route, key)
);
CREATE INDEX idempotency_age ON idempotency (created_at);

-- Who works: a worker that reported lately makes the service ready.
CREATE TABLE workers (
    name    text PRIMARY KEY,
    seen_at timestamptz NOT NULL
);
