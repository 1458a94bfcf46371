-- The schema after all migrations, including River's tables. `make schema` writes this file: do not edit it.
CREATE EXTENSION IF NOT EXISTS btree_gin WITH SCHEMA public;

COMMENT ON EXTENSION btree_gin IS 'support for indexing common datatypes in GIN';

CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;

COMMENT ON EXTENSION pg_trgm IS 'text similarity measurement and index searching based on trigrams';

CREATE TYPE public.river_job_state AS ENUM (
    'available',
    'cancelled',
    'completed',
    'discarded',
    'pending',
    'retryable',
    'running',
    'scheduled'
);

CREATE FUNCTION public.clock() RETURNS timestamp with time zone
    LANGUAGE sql STABLE
    AS $$SELECT now()$$;

CREATE FUNCTION public.count_drafts() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP <> 'DELETE' AND NEW.status = 'draft' THEN
        INSERT INTO usage_drafts AS u (workspace_id, used) VALUES (NEW.workspace_id, 1)
        ON CONFLICT (workspace_id) DO UPDATE SET used = u.used + 1;
    ELSE
        UPDATE usage_drafts SET used = used - 1 WHERE workspace_id = OLD.workspace_id;
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION public.media_words(name text, title text, description text, tags text[]) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT name || E'\n' || title || E'\n' || description || E'\n' || array_to_string(tags, E'\n')
    $$;

CREATE FUNCTION public.must(ok boolean, reason text) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF ok IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'BF001', MESSAGE = reason;
    END IF;
END $$;

CREATE FUNCTION public.note_failed_post() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO alerts (workspace_id, kind, reason, subject) VALUES (NEW.workspace_id, 'post', NEW.error_code, NEW.id);
    IF NEW.error_code IN ('account_expired', 'account_revoked') THEN
        INSERT INTO alerts (workspace_id, kind, reason, subject) VALUES (NEW.workspace_id, 'account', '', NEW.account_id);
    END IF;
    RETURN NULL;
END
$$;

CREATE FUNCTION public.note_lost_account() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO alerts (workspace_id, kind, reason, subject) VALUES (NEW.workspace_id, 'account', '', NEW.id);
    RETURN NULL;
END
$$;

CREATE FUNCTION public.refuse_audit_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP = 'DELETE' AND OLD.at <= clock() - interval '365 days' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'the audit log cannot be changed';
END
$$;

CREATE FUNCTION public.reserve_slug() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO former_slugs AS f (slug, workspace_id) VALUES (NEW.slug, NEW.id)
        ON CONFLICT (slug) DO UPDATE SET slug = f.slug WHERE f.workspace_id = NEW.id;
    IF NOT FOUND THEN
        RAISE unique_violation USING MESSAGE = 'another workspace had the slug', CONSTRAINT = 'workspaces_slug_key';
    END IF;
    RETURN NULL;
END
$$;

CREATE FUNCTION public.river_job_state_in_bitmask(bitmask bit, state public.river_job_state) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$
    SELECT CASE state
        WHEN 'available' THEN get_bit(bitmask, 7)
        WHEN 'cancelled' THEN get_bit(bitmask, 6)
        WHEN 'completed' THEN get_bit(bitmask, 5)
        WHEN 'discarded' THEN get_bit(bitmask, 4)
        WHEN 'pending'   THEN get_bit(bitmask, 3)
        WHEN 'retryable' THEN get_bit(bitmask, 2)
        WHEN 'running'   THEN get_bit(bitmask, 1)
        WHEN 'scheduled' THEN get_bit(bitmask, 0)
        ELSE 0
    END = 1;
$$;

CREATE FUNCTION public.search_grams(t text) RETURNS tsvector
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT array_to_tsvector(array_remove(string_to_array(
        regexp_replace(lower(t), '(.{4})', E'\\1\x01', 'g') || E'\x01' ||
        regexp_replace(lower(substr(t, 2)), '(.{4})', E'\\1\x01', 'g') || E'\x01' ||
        regexp_replace(lower(substr(t, 3)), '(.{4})', E'\\1\x01', 'g') || E'\x01' ||
        regexp_replace(lower(substr(t, 4)), '(.{4})', E'\\1\x01', 'g'), E'\x01'), ''))
$$;

CREATE FUNCTION public.search_query(q text) RETURNS tsquery
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT string_agg('''' || replace(replace(gram, '\', '\\'), '''', '''''') || '''' ||
        CASE WHEN length(s) < 4 THEN ':*' ELSE '' END, ' & ')::tsquery
    FROM lower(left(q, 100)) AS s, generate_series(1, greatest(length(s) - 3, 1)) AS i, substr(s, i, 4) AS gram
    WHERE i % 4 = 1 OR i = length(s) - 3 OR gram ~ '\S\s\S'
$$;

CREATE FUNCTION public.set_live_at() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    NEW.live_at := NEW.updated_at;
    RETURN NEW;
END $$;

CREATE FUNCTION public.set_post_text() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO post_texts VALUES (NEW.workspace_id, NEW.id, NEW.text || E'\n' || NEW.title)
    ON CONFLICT (post_id) DO UPDATE SET text = excluded.text;
    RETURN NULL;
END $$;

CREATE TABLE public.account_facts (
    workspace_id uuid NOT NULL,
    account_id uuid NOT NULL,
    facts jsonb NOT NULL,
    told_at timestamp with time zone NOT NULL
);

CREATE TABLE public.account_turns (
    platform text NOT NULL,
    external_id text NOT NULL,
    post_id uuid NOT NULL,
    until timestamp with time zone NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE public.accounts (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    platform text NOT NULL,
    external_id text NOT NULL,
    username text NOT NULL,
    display_name text NOT NULL,
    avatar_url text NOT NULL,
    status text NOT NULL,
    status_reason text DEFAULT ''::text NOT NULL,
    connected_at text NOT NULL,
    token bytea NOT NULL,
    token_expires_at timestamp with time zone,
    token_refresh_at timestamp with time zone,
    check_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    disconnected_at timestamp with time zone,
    held_until timestamp with time zone,
    token_claimed_until timestamp with time zone,
    token_failing_since timestamp with time zone,
    login text DEFAULT ''::text NOT NULL,
    grant_hash bytea,
    granted_at timestamp with time zone,
    avatar text DEFAULT ''::text NOT NULL,
    of_other_networks boolean DEFAULT false NOT NULL
);

CREATE UNLOGGED TABLE public.address_log (
    address text NOT NULL,
    newest bigint NOT NULL,
    here integer NOT NULL,
    before integer NOT NULL,
    oldest bigint NOT NULL,
    parts integer[] NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE public.alerts (
    id bigint NOT NULL,
    workspace_id uuid NOT NULL,
    kind text NOT NULL,
    reason text NOT NULL,
    subject uuid NOT NULL,
    at timestamp with time zone DEFAULT public.clock() NOT NULL
);

ALTER TABLE public.alerts ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.alerts_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.alerts_told (
    workspace_id uuid NOT NULL,
    kind text NOT NULL,
    reason text NOT NULL,
    told_at timestamp with time zone NOT NULL
);

CREATE TABLE public.api_keys (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    user_id uuid NOT NULL,
    name text NOT NULL,
    scope text NOT NULL,
    hash bytea NOT NULL,
    hint text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone
);

CREATE TABLE public.audit_log (
    id bigint NOT NULL,
    at timestamp with time zone DEFAULT public.clock() NOT NULL,
    workspace_id uuid,
    actor text NOT NULL,
    user_id uuid,
    credential text DEFAULT ''::text NOT NULL,
    action text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    before jsonb,
    after jsonb,
    address text DEFAULT ''::text NOT NULL,
    request_id text DEFAULT ''::text NOT NULL
);

ALTER TABLE public.audit_log ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.audit_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.blob_sweep (
    single boolean DEFAULT true NOT NULL,
    after_key text DEFAULT ''::text NOT NULL,
    next_at timestamp with time zone NOT NULL,
    CONSTRAINT blob_sweep_single_check CHECK (single)
);

CREATE TABLE public.call_budgets (
    platform text NOT NULL,
    scope text NOT NULL,
    name text NOT NULL,
    calls timestamp with time zone[] NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE public.connections (
    state_hash bytea NOT NULL,
    workspace_id uuid NOT NULL,
    user_id uuid NOT NULL,
    platform text NOT NULL,
    account_id uuid,
    session_hash bytea NOT NULL,
    verifier bytea NOT NULL,
    profiles bytea,
    expires_at timestamp with time zone NOT NULL,
    begun_at timestamp with time zone DEFAULT public.clock() NOT NULL,
    post_id uuid
);

CREATE TABLE public.create_log (
    workspace_id uuid NOT NULL,
    at timestamp with time zone NOT NULL
);

CREATE TABLE public.devices (
    hash bytea NOT NULL,
    user_id uuid NOT NULL,
    seen_at timestamp with time zone NOT NULL
);

CREATE TABLE public.erasures (
    code text NOT NULL,
    grant_hash bytea NOT NULL,
    connected_at text NOT NULL,
    asked_at timestamp with time zone NOT NULL,
    done_at timestamp with time zone
);

CREATE TABLE public.folders (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    parent_id uuid,
    name text NOT NULL,
    name_key text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);

CREATE TABLE public.former_slugs (
    slug text NOT NULL,
    workspace_id uuid NOT NULL
);

CREATE TABLE public.group_accounts (
    workspace_id uuid NOT NULL,
    group_id uuid NOT NULL,
    account_id uuid NOT NULL,
    "position" integer NOT NULL
);

CREATE TABLE public.groups (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    name text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    color text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);

CREATE TABLE public.idempotency (
    workspace_id uuid NOT NULL,
    route text NOT NULL,
    key text NOT NULL,
    fingerprint bytea NOT NULL,
    status integer DEFAULT 0 NOT NULL,
    body bytea,
    locked_until timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL
);

CREATE TABLE public.invitations (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    email text NOT NULL,
    name text NOT NULL,
    role text NOT NULL,
    hash bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    invited_by uuid
);

CREATE TABLE public.mails (
    id uuid NOT NULL,
    workspace_id uuid,
    sealed bytea NOT NULL,
    created_at timestamp with time zone DEFAULT public.clock() NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

CREATE TABLE public.media (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    folder_id uuid,
    status text NOT NULL,
    fail_reason text DEFAULT ''::text NOT NULL,
    original_name text NOT NULL,
    title text DEFAULT ''::text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    pinned boolean DEFAULT false NOT NULL,
    kind text NOT NULL,
    mime text NOT NULL,
    size bigint NOT NULL,
    width integer DEFAULT 0 NOT NULL,
    height integer DEFAULT 0 NOT NULL,
    duration_ms bigint DEFAULT 0 NOT NULL,
    fps double precision DEFAULT 0 NOT NULL,
    video_codec text DEFAULT ''::text NOT NULL,
    audio_codec text DEFAULT ''::text NOT NULL,
    bit_rate bigint DEFAULT 0 NOT NULL,
    frames integer DEFAULT 0 NOT NULL,
    charged bigint NOT NULL,
    blob text DEFAULT ''::text NOT NULL,
    thumbnail text DEFAULT ''::text NOT NULL,
    source bytea,
    expires_at timestamp with time zone,
    lease_epoch bigint DEFAULT 0 NOT NULL,
    lease_until timestamp with time zone,
    tries integer DEFAULT 0 NOT NULL,
    next_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    published_at timestamp with time zone,
    purged_at timestamp with time zone,
    deleted_at timestamp with time zone,
    audio_rate integer DEFAULT 0 NOT NULL,
    audio_channels integer DEFAULT 0 NOT NULL,
    convertible boolean DEFAULT false NOT NULL,
    CONSTRAINT media_charged_check CHECK ((charged >= 0)),
    CONSTRAINT media_kind_check CHECK ((kind = ANY (ARRAY['image'::text, 'video'::text]))),
    CONSTRAINT media_status_check CHECK ((status = ANY (ARRAY['uploading'::text, 'processing'::text, 'ready'::text, 'failed'::text])))
);

CREATE TABLE public.members (
    workspace_id uuid NOT NULL,
    user_id uuid NOT NULL,
    role text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    mail text DEFAULT ''::text NOT NULL,
    first_steps boolean DEFAULT true NOT NULL
);

CREATE TABLE public.network_holds (
    platform text NOT NULL,
    held_until timestamp with time zone NOT NULL
);

CREATE TABLE public.password_resets (
    hash bytea NOT NULL,
    user_id uuid NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

CREATE TABLE public.post_events (
    id bigint NOT NULL,
    workspace_id uuid NOT NULL,
    post_id uuid NOT NULL,
    kind text NOT NULL,
    at timestamp with time zone NOT NULL,
    message text DEFAULT ''::text NOT NULL,
    notes text[] DEFAULT '{}'::text[] NOT NULL
);

ALTER TABLE public.post_events ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.post_events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.post_media (
    workspace_id uuid NOT NULL,
    post_id uuid NOT NULL,
    media_id uuid NOT NULL
);

CREATE TABLE public.post_slots (
    post_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    period text NOT NULL,
    state text NOT NULL,
    CONSTRAINT post_slots_state_check CHECK ((state = ANY (ARRAY['held'::text, 'returned'::text])))
);

CREATE TABLE public.post_texts (
    workspace_id uuid NOT NULL,
    post_id uuid NOT NULL,
    text text NOT NULL
);

CREATE TABLE public.posts (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    account_id uuid NOT NULL,
    platform text NOT NULL,
    text text NOT NULL,
    title text NOT NULL,
    tags text[] NOT NULL,
    settings jsonb NOT NULL,
    media_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    publish_at timestamp with time zone,
    tz text NOT NULL,
    status text NOT NULL,
    external_id text DEFAULT ''::text NOT NULL,
    external_url text DEFAULT ''::text NOT NULL,
    error_code text DEFAULT ''::text NOT NULL,
    error_message text DEFAULT ''::text NOT NULL,
    error_hint text DEFAULT ''::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    created_via text NOT NULL,
    created_by uuid,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    error_from_network boolean DEFAULT false NOT NULL,
    live_at timestamp with time zone,
    copy_of uuid,
    CONSTRAINT posts_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'queued'::text, 'live'::text, 'failed'::text])))
)
WITH (fillfactor='70');

CREATE TABLE public.publications (
    post_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    platform text NOT NULL,
    flow text NOT NULL,
    step text NOT NULL,
    handle bytea,
    armed boolean DEFAULT false NOT NULL,
    open boolean DEFAULT false NOT NULL,
    answer text DEFAULT ''::text NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    deaths integer DEFAULT 0 NOT NULL,
    polls integer DEFAULT 0 NOT NULL,
    due_at timestamp with time zone NOT NULL,
    next_action_at timestamp with time zone,
    rest text NOT NULL,
    step_since timestamp with time zone NOT NULL,
    armed_at timestamp with time zone,
    quiet_at timestamp with time zone,
    first_call_at timestamp with time zone,
    lease_epoch bigint DEFAULT 0 NOT NULL,
    lease_owner text,
    lease_until timestamp with time zone,
    woken_at timestamp with time zone,
    failure jsonb,
    calling boolean DEFAULT false NOT NULL,
    ahead interval DEFAULT '00:00:00'::interval NOT NULL,
    prepare_at timestamp with time zone,
    preparing boolean DEFAULT false NOT NULL,
    external_id text DEFAULT ''::text NOT NULL,
    gate text DEFAULT ''::text NOT NULL,
    turn_of uuid
)
WITH (fillfactor='50');

COMMENT ON COLUMN public.publications.woken_at IS 'unused since migration 15; kept for programs that are older';

CREATE TABLE public.publish_steps (
    id bigint NOT NULL,
    workspace_id uuid NOT NULL,
    post_id uuid NOT NULL,
    epoch bigint NOT NULL,
    seq integer NOT NULL,
    call text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    deadline_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    verdict text DEFAULT ''::text NOT NULL,
    http_status integer DEFAULT 0 NOT NULL,
    net_code text DEFAULT ''::text NOT NULL,
    net_trace text DEFAULT ''::text NOT NULL,
    response bytea
)
WITH (fillfactor='70');

ALTER TABLE public.publish_steps ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.publish_steps_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.publishing_hold (
    one_row boolean DEFAULT true NOT NULL,
    reason text NOT NULL,
    since timestamp with time zone NOT NULL,
    unproved_since timestamp with time zone,
    system text DEFAULT ''::text NOT NULL,
    receipts_read boolean DEFAULT true NOT NULL,
    CONSTRAINT publishing_hold_one_row_check CHECK (one_row)
);

CREATE TABLE public.restored_copies (
    post_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    copy_of uuid NOT NULL,
    armed_at timestamp with time zone NOT NULL,
    live boolean NOT NULL,
    step_id bigint DEFAULT 0 NOT NULL
);

CREATE TABLE public.restored_receipts (
    post_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    handle bytea,
    armed_at timestamp with time zone NOT NULL,
    live boolean NOT NULL,
    external_id text NOT NULL,
    external_url text NOT NULL,
    step_id bigint DEFAULT 0 NOT NULL
);

CREATE TABLE public.revocations (
    grant_hash bytea NOT NULL,
    platform text NOT NULL,
    connected_at text NOT NULL,
    token bytea NOT NULL,
    asked_at timestamp with time zone NOT NULL,
    quiet_at timestamp with time zone
);

CREATE TABLE public.river_job (
    id bigint NOT NULL,
    state public.river_job_state DEFAULT 'available'::public.river_job_state NOT NULL,
    attempt smallint DEFAULT 0 NOT NULL,
    max_attempts smallint DEFAULT 25 NOT NULL,
    attempted_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    finalized_at timestamp with time zone,
    scheduled_at timestamp with time zone DEFAULT now() NOT NULL,
    priority smallint DEFAULT 1 NOT NULL,
    args jsonb NOT NULL,
    attempted_by text[],
    errors jsonb[],
    kind text NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    queue text DEFAULT 'default'::text NOT NULL,
    tags character varying(255)[] DEFAULT '{}'::character varying[] NOT NULL,
    unique_key bytea,
    unique_states bit(8),
    CONSTRAINT finalized_or_finalized_at_null CHECK ((((finalized_at IS NULL) AND (state <> ALL (ARRAY['cancelled'::public.river_job_state, 'completed'::public.river_job_state, 'discarded'::public.river_job_state]))) OR ((finalized_at IS NOT NULL) AND (state = ANY (ARRAY['cancelled'::public.river_job_state, 'completed'::public.river_job_state, 'discarded'::public.river_job_state]))))),
    CONSTRAINT kind_length CHECK (((char_length(kind) > 0) AND (char_length(kind) < 128))),
    CONSTRAINT max_attempts_is_positive CHECK ((max_attempts > 0)),
    CONSTRAINT priority_in_range CHECK (((priority >= 1) AND (priority <= 4))),
    CONSTRAINT queue_length CHECK (((char_length(queue) > 0) AND (char_length(queue) < 128)))
);

CREATE SEQUENCE public.river_job_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.river_job_id_seq OWNED BY public.river_job.id;

CREATE UNLOGGED TABLE public.river_leader (
    elected_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    leader_id text NOT NULL,
    name text DEFAULT 'default'::text NOT NULL,
    CONSTRAINT leader_id_length CHECK (((char_length(leader_id) > 0) AND (char_length(leader_id) < 128))),
    CONSTRAINT name_length CHECK ((name = 'default'::text))
);

CREATE TABLE public.river_migration (
    line text NOT NULL,
    version bigint NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT line_length CHECK (((char_length(line) > 0) AND (char_length(line) < 128))),
    CONSTRAINT version_gte_1 CHECK ((version >= 1))
);

CREATE TABLE public.river_notification (
    id bigint NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    payload text NOT NULL,
    topic text NOT NULL,
    CONSTRAINT topic_length CHECK (((length(topic) > 0) AND (length(topic) < 128)))
);

CREATE SEQUENCE public.river_notification_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.river_notification_id_seq OWNED BY public.river_notification.id;

CREATE TABLE public.river_queue (
    name text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    paused_at timestamp with time zone,
    updated_at timestamp with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL
);

CREATE TABLE public.schema_floor (
    version integer NOT NULL
);

CREATE TABLE public.schema_version (
    version integer NOT NULL
);

CREATE TABLE public.sessions (
    token text NOT NULL,
    data bytea NOT NULL,
    expiry timestamp with time zone NOT NULL,
    user_id uuid,
    id uuid,
    browser text DEFAULT ''::text NOT NULL,
    since timestamp with time zone,
    seen_at timestamp with time zone
);

CREATE TABLE public.settled_receipts (
    one_row boolean DEFAULT true NOT NULL,
    step_id bigint NOT NULL,
    CONSTRAINT settled_receipts_one_row_check CHECK (one_row)
);

CREATE UNLOGGED TABLE public.throttles (
    key text NOT NULL,
    tat timestamp with time zone NOT NULL
);

CREATE TABLE public.turns (
    account_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    post_id uuid NOT NULL,
    until timestamp with time zone NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE public.usage_drafts (
    workspace_id uuid NOT NULL,
    used bigint NOT NULL,
    CONSTRAINT usage_drafts_used_check CHECK ((used >= 0))
)
WITH (fillfactor='50');

CREATE TABLE public.usage_month (
    workspace_id uuid NOT NULL,
    period text NOT NULL,
    used bigint NOT NULL,
    CONSTRAINT usage_month_used_check CHECK ((used >= 0))
);

CREATE TABLE public.usage_storage (
    workspace_id uuid NOT NULL,
    used bigint NOT NULL,
    CONSTRAINT usage_storage_used_check CHECK ((used >= 0))
);

CREATE TABLE public.users (
    id uuid NOT NULL,
    email text NOT NULL,
    name text NOT NULL,
    password_hash text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    shortcuts boolean DEFAULT true NOT NULL
);

CREATE TABLE public.workers (
    name text NOT NULL,
    seen_at timestamp with time zone NOT NULL
);

CREATE TABLE public.workspaces (
    id uuid NOT NULL,
    slug text NOT NULL,
    name text NOT NULL,
    plan text NOT NULL,
    currency text DEFAULT 'USD'::text NOT NULL,
    tz text NOT NULL,
    created_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.river_job ALTER COLUMN id SET DEFAULT nextval('public.river_job_id_seq'::regclass);

ALTER TABLE ONLY public.river_notification ALTER COLUMN id SET DEFAULT nextval('public.river_notification_id_seq'::regclass);

ALTER TABLE ONLY public.account_facts
    ADD CONSTRAINT account_facts_pkey PRIMARY KEY (workspace_id, account_id);

ALTER TABLE ONLY public.account_turns
    ADD CONSTRAINT account_turns_pkey PRIMARY KEY (platform, external_id);

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_workspace_id_id_key UNIQUE (workspace_id, id);

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_workspace_id_platform_external_id_key UNIQUE (workspace_id, platform, external_id);

ALTER TABLE ONLY public.address_log
    ADD CONSTRAINT address_log_pkey PRIMARY KEY (address);

ALTER TABLE ONLY public.alerts
    ADD CONSTRAINT alerts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.alerts_told
    ADD CONSTRAINT alerts_told_pkey PRIMARY KEY (workspace_id, kind, reason);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_hash_key UNIQUE (hash);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_workspace_id_id_key UNIQUE (workspace_id, id);

ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.blob_sweep
    ADD CONSTRAINT blob_sweep_pkey PRIMARY KEY (single);

ALTER TABLE ONLY public.call_budgets
    ADD CONSTRAINT call_budgets_pkey PRIMARY KEY (platform, scope, name);

ALTER TABLE ONLY public.connections
    ADD CONSTRAINT connections_pkey PRIMARY KEY (state_hash);

ALTER TABLE ONLY public.devices
    ADD CONSTRAINT devices_pkey PRIMARY KEY (hash);

ALTER TABLE ONLY public.erasures
    ADD CONSTRAINT erasures_pkey PRIMARY KEY (code);

ALTER TABLE ONLY public.folders
    ADD CONSTRAINT folders_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.folders
    ADD CONSTRAINT folders_workspace_id_id_key UNIQUE (workspace_id, id);

ALTER TABLE ONLY public.former_slugs
    ADD CONSTRAINT former_slugs_pkey PRIMARY KEY (slug);

ALTER TABLE ONLY public.group_accounts
    ADD CONSTRAINT group_accounts_pkey PRIMARY KEY (group_id, account_id);

ALTER TABLE ONLY public.groups
    ADD CONSTRAINT groups_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.groups
    ADD CONSTRAINT groups_workspace_id_id_key UNIQUE (workspace_id, id);

ALTER TABLE ONLY public.groups
    ADD CONSTRAINT groups_workspace_id_name_key UNIQUE (workspace_id, name);

ALTER TABLE ONLY public.idempotency
    ADD CONSTRAINT idempotency_pkey PRIMARY KEY (workspace_id, route, key);

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_hash_key UNIQUE (hash);

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.mails
    ADD CONSTRAINT mails_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.media
    ADD CONSTRAINT media_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.media
    ADD CONSTRAINT media_workspace_id_id_key UNIQUE (workspace_id, id);

ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_pkey PRIMARY KEY (workspace_id, user_id);

ALTER TABLE ONLY public.network_holds
    ADD CONSTRAINT network_holds_pkey PRIMARY KEY (platform);

ALTER TABLE ONLY public.password_resets
    ADD CONSTRAINT password_resets_pkey PRIMARY KEY (hash);

ALTER TABLE ONLY public.post_events
    ADD CONSTRAINT post_events_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.post_media
    ADD CONSTRAINT post_media_pkey PRIMARY KEY (post_id, media_id);

ALTER TABLE ONLY public.post_slots
    ADD CONSTRAINT post_slots_pkey PRIMARY KEY (post_id);

ALTER TABLE ONLY public.post_texts
    ADD CONSTRAINT post_texts_pkey PRIMARY KEY (post_id);

ALTER TABLE ONLY public.posts
    ADD CONSTRAINT posts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.posts
    ADD CONSTRAINT posts_workspace_id_id_key UNIQUE (workspace_id, id);

ALTER TABLE ONLY public.publications
    ADD CONSTRAINT publications_pkey PRIMARY KEY (post_id);

ALTER TABLE ONLY public.publish_steps
    ADD CONSTRAINT publish_steps_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.publish_steps
    ADD CONSTRAINT publish_steps_post_id_epoch_seq_key UNIQUE (post_id, epoch, seq);

ALTER TABLE ONLY public.publishing_hold
    ADD CONSTRAINT publishing_hold_pkey PRIMARY KEY (one_row);

ALTER TABLE ONLY public.restored_copies
    ADD CONSTRAINT restored_copies_pkey PRIMARY KEY (post_id);

ALTER TABLE ONLY public.restored_receipts
    ADD CONSTRAINT restored_receipts_pkey PRIMARY KEY (post_id);

ALTER TABLE ONLY public.revocations
    ADD CONSTRAINT revocations_pkey PRIMARY KEY (grant_hash);

ALTER TABLE ONLY public.river_job
    ADD CONSTRAINT river_job_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.river_leader
    ADD CONSTRAINT river_leader_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.river_migration
    ADD CONSTRAINT river_migration_pkey1 PRIMARY KEY (line, version);

ALTER TABLE ONLY public.river_notification
    ADD CONSTRAINT river_notification_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.river_queue
    ADD CONSTRAINT river_queue_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (token);

ALTER TABLE ONLY public.settled_receipts
    ADD CONSTRAINT settled_receipts_pkey PRIMARY KEY (one_row);

ALTER TABLE ONLY public.throttles
    ADD CONSTRAINT throttles_pkey PRIMARY KEY (key);

ALTER TABLE ONLY public.turns
    ADD CONSTRAINT turns_pkey PRIMARY KEY (account_id);

ALTER TABLE ONLY public.usage_drafts
    ADD CONSTRAINT usage_drafts_pkey PRIMARY KEY (workspace_id);

ALTER TABLE ONLY public.usage_month
    ADD CONSTRAINT usage_month_pkey PRIMARY KEY (workspace_id, period);

ALTER TABLE ONLY public.usage_storage
    ADD CONSTRAINT usage_storage_pkey PRIMARY KEY (workspace_id);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.workers
    ADD CONSTRAINT workers_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.workspaces
    ADD CONSTRAINT workspaces_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.workspaces
    ADD CONSTRAINT workspaces_slug_key UNIQUE (slug);

CREATE INDEX account_turns_post ON public.account_turns USING btree (post_id);

CREATE INDEX accounts_avatar ON public.accounts USING btree (avatar) WHERE (avatar <> ''::text);

CREATE INDEX accounts_check ON public.accounts USING btree (check_at) WHERE ((status = 'ok'::text) AND (disconnected_at IS NULL));

CREATE INDEX accounts_external_id ON public.accounts USING btree (platform, external_id);

CREATE INDEX accounts_grant ON public.accounts USING btree (grant_hash);

CREATE INDEX accounts_refresh ON public.accounts USING btree (token_refresh_at) WHERE ((status = 'ok'::text) AND (disconnected_at IS NULL));

CREATE INDEX alerts_age ON public.alerts USING btree (at);

CREATE INDEX alerts_by_reason ON public.alerts USING btree (workspace_id, kind, reason, at);

CREATE INDEX alerts_told_age ON public.alerts_told USING btree (told_at);

CREATE INDEX audit_log_age ON public.audit_log USING btree (at);

CREATE INDEX audit_log_by_action ON public.audit_log USING btree (workspace_id, action, id);

CREATE INDEX audit_log_by_person ON public.audit_log USING btree (workspace_id, user_id, id);

CREATE INDEX audit_log_by_user ON public.audit_log USING btree (user_id, id);

CREATE INDEX audit_log_by_workspace ON public.audit_log USING btree (workspace_id, id);

CREATE INDEX create_log_by_workspace ON public.create_log USING btree (workspace_id, at);

CREATE INDEX devices_age ON public.devices USING btree (seen_at);

CREATE INDEX devices_by_user ON public.devices USING btree (user_id, seen_at);

CREATE UNIQUE INDEX folders_siblings ON public.folders USING btree (workspace_id, parent_id, name_key) NULLS NOT DISTINCT;

CREATE INDEX former_slugs_workspace_id_idx ON public.former_slugs USING btree (workspace_id);

CREATE INDEX idempotency_age ON public.idempotency USING btree (created_at);

CREATE UNIQUE INDEX invitations_email ON public.invitations USING btree (workspace_id, lower(email));

CREATE INDEX mails_age ON public.mails USING btree (expires_at);

CREATE INDEX mails_by_time ON public.mails USING btree (created_at);

CREATE INDEX media_blob ON public.media USING btree (blob) WHERE (blob <> ''::text);

CREATE INDEX media_by_age ON public.media USING btree (workspace_id, (((purged_at IS NULL))::integer), created_at DESC, id DESC) WHERE (deleted_at IS NULL);

CREATE INDEX media_by_folder ON public.media USING btree (folder_id) WHERE (folder_id IS NOT NULL);

CREATE INDEX media_by_kind ON public.media USING btree (workspace_id, kind, created_at DESC, id DESC) WHERE (deleted_at IS NULL);

CREATE INDEX media_by_name ON public.media USING btree (workspace_id, (((purged_at IS NULL))::integer), lower(original_name), id) WHERE (deleted_at IS NULL);

CREATE INDEX media_by_size ON public.media USING btree (workspace_id, (((purged_at IS NULL))::integer), size DESC, id DESC) WHERE (deleted_at IS NULL);

CREATE INDEX media_by_tag ON public.media USING gin (workspace_id, tags) WHERE (deleted_at IS NULL);

CREATE INDEX media_by_time ON public.media USING btree (workspace_id, created_at DESC, id DESC) WHERE (deleted_at IS NULL);

CREATE INDEX media_deleted ON public.media USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);

CREATE INDEX media_grams ON public.media USING gin (workspace_id, public.search_grams(((((original_name || '
'::text) || title) || '
'::text) || description))) WHERE (deleted_at IS NULL);

CREATE INDEX media_in_folder ON public.media USING btree (workspace_id, folder_id, created_at DESC, id DESC) WHERE (deleted_at IS NULL);

CREATE INDEX media_next ON public.media USING btree (next_at) WHERE (next_at IS NOT NULL);

CREATE INDEX media_sealed ON public.media USING btree (id) WHERE (length(source) > 2);

CREATE INDEX media_thumbnail ON public.media USING btree (thumbnail) WHERE (thumbnail <> ''::text);

CREATE INDEX media_to_purge ON public.media USING btree (published_at) WHERE ((published_at IS NOT NULL) AND (purged_at IS NULL) AND (NOT pinned) AND (deleted_at IS NULL));

CREATE INDEX media_uploading ON public.media USING btree (workspace_id) WHERE (status = 'uploading'::text);

CREATE INDEX media_words_grams ON public.media USING gin (workspace_id, public.search_grams(public.media_words(original_name, title, description, tags))) WHERE (deleted_at IS NULL);

CREATE INDEX members_user ON public.members USING btree (user_id);

CREATE INDEX password_resets_age ON public.password_resets USING btree (expires_at);

CREATE INDEX password_resets_by_user ON public.password_resets USING btree (user_id);

CREATE INDEX post_events_by_post ON public.post_events USING btree (post_id, id);

CREATE INDEX post_events_by_time ON public.post_events USING btree (workspace_id, at);

CREATE INDEX post_media_by_media ON public.post_media USING btree (media_id);

CREATE INDEX post_texts_grams ON public.post_texts USING gin (workspace_id, public.search_grams(text));

CREATE INDEX posts_by_account_status ON public.posts USING btree (account_id, status, COALESCE(publish_at, created_at) DESC, id DESC);

CREATE INDEX posts_by_status ON public.posts USING btree (workspace_id, status, COALESCE(publish_at, created_at) DESC, id DESC);

CREATE INDEX posts_by_time ON public.posts USING btree (workspace_id, COALESCE(publish_at, created_at) DESC, id DESC);

CREATE INDEX posts_copies ON public.posts USING btree (workspace_id, copy_of, id) WHERE (copy_of IS NOT NULL);

CREATE UNIQUE INDEX posts_external_id ON public.posts USING btree (account_id, external_id) WHERE (external_id <> ''::text);

CREATE INDEX posts_live_without_link ON public.posts USING btree (live_at) WHERE ((status = 'live'::text) AND (external_id <> ''::text) AND (external_url = ''::text));

CREATE INDEX posts_went_live ON public.posts USING btree (account_id, live_at) WHERE ((status = 'live'::text) AND (external_id <> ''::text));

CREATE INDEX publications_accepted ON public.publications USING btree (post_id) WHERE ((external_id <> ''::text) AND (step <> 'live'::text));

CREATE INDEX publications_due ON public.publications USING btree (next_action_at) WHERE (next_action_at IS NOT NULL);

CREATE INDEX publications_sealed ON public.publications USING btree (post_id) WHERE (length(handle) > 2);

CREATE INDEX publications_to_prepare ON public.publications USING btree (prepare_at) WHERE (prepare_at IS NOT NULL);

CREATE INDEX publications_waiting ON public.publications USING btree (turn_of, due_at, post_id) WHERE (turn_of IS NOT NULL);

CREATE INDEX restored_copies_copy_of ON public.restored_copies USING btree (workspace_id, copy_of);

CREATE INDEX river_job_args_index ON public.river_job USING gin (args);

CREATE INDEX river_job_kind ON public.river_job USING btree (kind);

CREATE INDEX river_job_metadata_index ON public.river_job USING gin (metadata);

CREATE INDEX river_job_prioritized_fetching_index ON public.river_job USING btree (state, queue, priority, scheduled_at, id);

CREATE INDEX river_job_state_and_finalized_at_index ON public.river_job USING btree (state, finalized_at) WHERE (finalized_at IS NOT NULL);

CREATE UNIQUE INDEX river_job_unique_idx ON public.river_job USING btree (unique_key) WHERE ((unique_key IS NOT NULL) AND (unique_states IS NOT NULL) AND public.river_job_state_in_bitmask(unique_states, state));

CREATE INDEX river_notification_created_at_idx ON public.river_notification USING btree (created_at);

CREATE INDEX river_notification_topic_id_idx ON public.river_notification USING btree (topic, id);

CREATE INDEX sessions_by_user ON public.sessions USING btree (user_id) WHERE (user_id IS NOT NULL);

CREATE INDEX sessions_expiry ON public.sessions USING btree (expiry);

CREATE UNIQUE INDEX users_email ON public.users USING btree (lower(email));

CREATE TRIGGER accounts_lost AFTER UPDATE OF status ON public.accounts FOR EACH ROW WHEN (((new.status <> 'ok'::text) AND (old.status = 'ok'::text) AND (new.disconnected_at IS NULL))) EXECUTE FUNCTION public.note_lost_account();

CREATE TRIGGER add_post_text AFTER INSERT ON public.posts FOR EACH ROW EXECUTE FUNCTION public.set_post_text();

CREATE TRIGGER audit_log_append_only BEFORE DELETE OR UPDATE ON public.audit_log FOR EACH ROW EXECUTE FUNCTION public.refuse_audit_change();

CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_audit_change();

CREATE TRIGGER change_post_text AFTER UPDATE OF text, title ON public.posts FOR EACH ROW WHEN (((new.text <> old.text) OR (new.title <> old.title))) EXECUTE FUNCTION public.set_post_text();

CREATE TRIGGER count_changed_drafts AFTER UPDATE OF status ON public.posts FOR EACH ROW WHEN (((new.status = 'draft'::text) <> (old.status = 'draft'::text))) EXECUTE FUNCTION public.count_drafts();

CREATE TRIGGER count_deleted_drafts AFTER DELETE ON public.posts FOR EACH ROW WHEN ((old.status = 'draft'::text)) EXECUTE FUNCTION public.count_drafts();

CREATE TRIGGER count_new_drafts AFTER INSERT ON public.posts FOR EACH ROW WHEN ((new.status = 'draft'::text)) EXECUTE FUNCTION public.count_drafts();

CREATE TRIGGER posts_failed AFTER UPDATE OF status ON public.posts FOR EACH ROW WHEN (((new.status = 'failed'::text) AND (old.status <> 'failed'::text))) EXECUTE FUNCTION public.note_failed_post();

CREATE TRIGGER set_live_at BEFORE UPDATE OF status ON public.posts FOR EACH ROW WHEN (((new.status = 'live'::text) AND (old.status <> 'live'::text))) EXECUTE FUNCTION public.set_live_at();

CREATE TRIGGER workspaces_slug AFTER INSERT OR UPDATE OF slug ON public.workspaces FOR EACH ROW EXECUTE FUNCTION public.reserve_slug();

ALTER TABLE ONLY public.account_facts
    ADD CONSTRAINT account_facts_workspace_id_account_id_fkey FOREIGN KEY (workspace_id, account_id) REFERENCES public.accounts(workspace_id, id);

ALTER TABLE ONLY public.account_turns
    ADD CONSTRAINT account_turns_post_id_fkey FOREIGN KEY (post_id) REFERENCES public.publications(post_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id);

ALTER TABLE ONLY public.alerts_told
    ADD CONSTRAINT alerts_told_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.alerts
    ADD CONSTRAINT alerts_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_workspace_id_user_id_fkey FOREIGN KEY (workspace_id, user_id) REFERENCES public.members(workspace_id, user_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.connections
    ADD CONSTRAINT connections_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.connections
    ADD CONSTRAINT connections_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.create_log
    ADD CONSTRAINT create_log_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id);

ALTER TABLE ONLY public.devices
    ADD CONSTRAINT devices_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.folders
    ADD CONSTRAINT folders_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id);

ALTER TABLE ONLY public.folders
    ADD CONSTRAINT folders_workspace_id_parent_id_fkey FOREIGN KEY (workspace_id, parent_id) REFERENCES public.folders(workspace_id, id);

ALTER TABLE ONLY public.former_slugs
    ADD CONSTRAINT former_slugs_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.group_accounts
    ADD CONSTRAINT group_accounts_workspace_id_account_id_fkey FOREIGN KEY (workspace_id, account_id) REFERENCES public.accounts(workspace_id, id);

ALTER TABLE ONLY public.group_accounts
    ADD CONSTRAINT group_accounts_workspace_id_group_id_fkey FOREIGN KEY (workspace_id, group_id) REFERENCES public.groups(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.groups
    ADD CONSTRAINT groups_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id);

ALTER TABLE ONLY public.idempotency
    ADD CONSTRAINT idempotency_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id);

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES public.users(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id);

ALTER TABLE ONLY public.mails
    ADD CONSTRAINT mails_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.media
    ADD CONSTRAINT media_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id);

ALTER TABLE ONLY public.media
    ADD CONSTRAINT media_workspace_id_folder_id_fkey FOREIGN KEY (workspace_id, folder_id) REFERENCES public.folders(workspace_id, id);

ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);

ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id);

ALTER TABLE ONLY public.password_resets
    ADD CONSTRAINT password_resets_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.post_events
    ADD CONSTRAINT post_events_workspace_id_post_id_fkey FOREIGN KEY (workspace_id, post_id) REFERENCES public.posts(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.post_media
    ADD CONSTRAINT post_media_workspace_id_media_id_fkey FOREIGN KEY (workspace_id, media_id) REFERENCES public.media(workspace_id, id);

ALTER TABLE ONLY public.post_media
    ADD CONSTRAINT post_media_workspace_id_post_id_fkey FOREIGN KEY (workspace_id, post_id) REFERENCES public.posts(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.post_slots
    ADD CONSTRAINT post_slots_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id);

ALTER TABLE ONLY public.post_texts
    ADD CONSTRAINT post_texts_workspace_id_post_id_fkey FOREIGN KEY (workspace_id, post_id) REFERENCES public.posts(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.posts
    ADD CONSTRAINT posts_workspace_id_account_id_fkey FOREIGN KEY (workspace_id, account_id) REFERENCES public.accounts(workspace_id, id);

ALTER TABLE ONLY public.posts
    ADD CONSTRAINT posts_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id);

ALTER TABLE ONLY public.publications
    ADD CONSTRAINT publications_workspace_id_post_id_fkey FOREIGN KEY (workspace_id, post_id) REFERENCES public.posts(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.publish_steps
    ADD CONSTRAINT publish_steps_workspace_id_post_id_fkey FOREIGN KEY (workspace_id, post_id) REFERENCES public.posts(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.restored_copies
    ADD CONSTRAINT restored_copies_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.restored_receipts
    ADD CONSTRAINT restored_receipts_workspace_id_post_id_fkey FOREIGN KEY (workspace_id, post_id) REFERENCES public.posts(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.turns
    ADD CONSTRAINT turns_workspace_id_account_id_fkey FOREIGN KEY (workspace_id, account_id) REFERENCES public.accounts(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.usage_drafts
    ADD CONSTRAINT usage_drafts_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id);

ALTER TABLE ONLY public.usage_month
    ADD CONSTRAINT usage_month_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id);

ALTER TABLE ONLY public.usage_storage
    ADD CONSTRAINT usage_storage_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id);
