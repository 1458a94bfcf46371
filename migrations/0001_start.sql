-- The database's clock, which is used only for leases, due times and limits, so that replicas agree. A test can
-- redefine it in its own database.
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

-- Signed-in browsers. The columns are those of the session library's PostgreSQL store.
CREATE TABLE sessions (
    token  text PRIMARY KEY,
    data   bytea NOT NULL,
    expiry timestamptz NOT NULL
);
CREATE INDEX sessions_expiry ON sessions (expiry);

-- A key acts for its creator, and is deleted together with the creator's membership.
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
    -- The address of the simulated networks, or '' for the real ones.
    connected_at     text NOT NULL,
    token            bytea NOT NULL,
    token_expires_at timestamptz,
    token_refresh_at timestamptz,
    check_at         timestamptz NOT NULL, -- when Belfry next asks the network whether the token still works
    created_at       timestamptz NOT NULL,
    disconnected_at  timestamptz,
    UNIQUE (workspace_id, id),
    UNIQUE (workspace_id, platform, external_id)
);
CREATE INDEX accounts_refresh ON accounts (token_refresh_at) WHERE status = 'ok' AND disconnected_at IS NULL;
CREATE INDEX accounts_check ON accounts (check_at) WHERE status = 'ok' AND disconnected_at IS NULL;

-- A consent in progress: from the redirect to the network until the redirect back, and then until a profile is chosen.
CREATE TABLE connections (
    state_hash   bytea PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    user_id      uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    platform     text NOT NULL,
    account_id   uuid, -- set when an account is reconnected
    session_hash bytea NOT NULL,
    verifier     bytea NOT NULL,
    profiles     bytea, -- sealed; set once the network has responded
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

-- Folders can contain folders. A folder without a parent is at the top level. name_key is the name in the form in which
-- names are compared; the program computes it, so that it does not depend on the database's locale.
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

-- The number of bytes that a workspace's files use: always the sum of media.charged.
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
    -- As declared until the bytes have been examined; then as the bytes show.
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
    -- How much counts in usage_storage: first the reserved size, then the stored size, and 0 once the bytes are
    -- deleted.
    charged       bigint NOT NULL CHECK (charged >= 0),
    blob          text NOT NULL DEFAULT '', -- the storage key of the bytes; '' if there are none
    thumbnail     text NOT NULL DEFAULT '',
    source        bytea,       -- sealed, because the address from which the file is downloaded may contain a secret
    expires_at    timestamptz, -- when the reservation expires
    lease_epoch   bigint NOT NULL DEFAULT 0, -- fencing token of the worker that stores or examines the bytes
    lease_until   timestamptz,
    tries         int NOT NULL DEFAULT 0,
    next_at       timestamptz, -- when the sweep must check the row; null for never
    created_at    timestamptz NOT NULL,
    published_at  timestamptz, -- when the last post with the file went live
    purged_at     timestamptz,
    deleted_at    timestamptz, -- set if the row is kept only for posts that refer to it
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
    media_ids     uuid[] NOT NULL DEFAULT '{}', -- the post's files, in order
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
-- The order of lists: by the post's time or, for a draft without a time, by its creation.
CREATE INDEX posts_by_time ON posts (workspace_id, coalesce(publish_at, created_at) DESC, id DESC);
CREATE INDEX posts_by_status ON posts (workspace_id, status, coalesce(publish_at, created_at) DESC, id DESC);
CREATE INDEX posts_by_account ON posts (account_id, status);

-- Which posts use a file: posts.media_ids, for queries by file.
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

-- The monthly quota: a counter for each month, and the posts that hold a slot.
CREATE TABLE usage_month (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    period       text NOT NULL,
    used         bigint NOT NULL CHECK (used >= 0),
    PRIMARY KEY (workspace_id, period)
);

-- The row stays when the post is deleted, because a deleted failed post's slot stays used.
CREATE TABLE post_slots (
    post_id      uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces,
    period       text NOT NULL,
    state        text NOT NULL CHECK (state IN ('held', 'returned'))
);

-- The publishing ledger: one row for each post that was ever queued. docs/publishing.md explains it.
CREATE TABLE publications (
    post_id         uuid PRIMARY KEY,
    workspace_id    uuid NOT NULL,
    platform        text NOT NULL,
    flow            text NOT NULL,
    step            text NOT NULL,
    handle          bytea,  -- sealed, because a handle can be a credential
    armed           boolean NOT NULL DEFAULT false,
    open            boolean NOT NULL DEFAULT false,
    answer          text NOT NULL DEFAULT '',
    tries           int NOT NULL DEFAULT 0,
    deaths          int NOT NULL DEFAULT 0,
    polls           int NOT NULL DEFAULT 0,
    due_at          timestamptz NOT NULL,
    next_action_at  timestamptz, -- null if no worker needs to act
    rest            text NOT NULL, -- how the last claim ended; 'queued' before the first claim, '' during a claim
    step_since      timestamptz NOT NULL,
    armed_at        timestamptz, -- the first arm of this handle or call
    quiet_at        timestamptz, -- when a call can no longer take effect
    first_call_at   timestamptz,
    lease_epoch     bigint NOT NULL DEFAULT 0, -- fencing token: increases by one with each claim, and is never reset
    lease_owner     text,
    lease_until     timestamptz,
    woken_at        timestamptz, -- when the post's own job is or was due
    failure         jsonb,       -- the last refusal of the irreversible call, unchanged
    FOREIGN KEY (workspace_id, post_id) REFERENCES posts (workspace_id, id) ON DELETE CASCADE
) WITH (fillfactor = 50);
CREATE INDEX publications_due ON publications (next_action_at) WHERE next_action_at IS NOT NULL;

-- Every call to a network: the row is written before the call, and completed after it.
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
    response     bytea, -- unchanged except that secrets are removed; at most 64 KiB
    UNIQUE (post_id, epoch, seq),
    FOREIGN KEY (workspace_id, post_id) REFERENCES posts (workspace_id, id) ON DELETE CASCADE
) WITH (fillfactor = 70);

-- The creations of posts in the last hour: an exact log with a sliding window.
CREATE TABLE create_log (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    at           timestamptz NOT NULL
);
CREATE INDEX create_log_by_workspace ON create_log (workspace_id, at);

-- Requests by client address, in parts of the limit's window: the number in the newest part, the numbers in the 60
-- parts before it, their sum, and the number of the oldest part that has any. A crash loses these rows, which does no
-- harm.
CREATE UNLOGGED TABLE address_log (
    address text PRIMARY KEY,
    newest  bigint NOT NULL,
    here    int NOT NULL,
    before  int NOT NULL,
    oldest  bigint NOT NULL,
    parts   int[] NOT NULL
) WITH (fillfactor = 50); -- leaves room for the row's next version on the same page

-- Limits on sign-ins and similar actions: for each key, the theoretical arrival time of a leaky bucket.
CREATE UNLOGGED TABLE throttles (
    key text PRIMARY KEY,
    tat timestamptz NOT NULL
);

CREATE TABLE idempotency (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    route        text NOT NULL,
    key          text NOT NULL,
    fingerprint  bytea NOT NULL,
    status       int NOT NULL DEFAULT 0, -- 0 while the first request is running
    body         bytea,
    locked_until timestamptz NOT NULL,
    created_at   timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, route, key)
);
CREATE INDEX idempotency_age ON idempotency (created_at);

-- The workers. The service is ready only if a worker has reported recently.
CREATE TABLE workers (
    name    text PRIMARY KEY,
    seen_at timestamptz NOT NULL
);
