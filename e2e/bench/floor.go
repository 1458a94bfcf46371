package main

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/gofrs/uuid/v5"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// floorConns is the number of connections that the program has for requests.
const floorConns = 20

// floor contains the bare handlers: only net/http and pgx, and nothing that could be omitted.
type floor struct{ pool *pgxpool.Pool }

// serveFloor serves the bare handlers until ctx ends. It runs in a separate process.
func serveFloor(ctx context.Context, addr, database string) error {
	cfg, err := pgxpool.ParseConfig(database)
	if err != nil {
		return err
	}
	cfg.MaxConns = floorConns
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return err
	}
	defer pool.Close()
	// As in the program, the counter of addresses does not survive a crash.
	if _, err := pool.Exec(ctx, `CREATE UNLOGGED TABLE IF NOT EXISTS bench_addresses (address text PRIMARY KEY, n bigint NOT NULL) WITH (fillfactor = 50)`); err != nil {
		return err
	}
	f := &floor{pool}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /one/{id}", f.one)
	mux.HandleFunc("GET /three/{id}", f.three)
	mux.HandleFunc("POST /create", f.create)
	server := &http.Server{Addr: addr, Handler: mux, ReadHeaderTimeout: time.Hour}
	go func() {
		<-ctx.Done()
		_ = server.Close()
	}()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (f *floor) one(w http.ResponseWriter, r *http.Request) {
	id, err := parseID(r.PathValue("id"))
	if err == nil {
		err = f.show(w, r, id)
	}
	refuse(w, err)
}

func (f *floor) three(w http.ResponseWriter, r *http.Request) {
	refuse(w, func() error {
		if err := f.count(r); err != nil {
			return err
		}
		if _, _, err := f.key(r); err != nil {
			return err
		}
		id, err := parseID(r.PathValue("id"))
		if err != nil {
			return err
		}
		return f.show(w, r, id)
	}())
}

func refuse(w http.ResponseWriter, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// count counts a request toward the limit of its client address.
func (f *floor) count(r *http.Request) error {
	address, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return err
	}
	_, err = f.pool.Exec(r.Context(), `
		INSERT INTO bench_addresses AS a (address, n) VALUES ($1, 1) ON CONFLICT (address) DO UPDATE SET n = a.n + 1`,
		address)
	return err
}

// key returns the workspace and the person of the API key in a request.
func (f *floor) key(r *http.Request) (workspace, user uuid.UUID, err error) {
	hash := sha256.Sum256([]byte(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")))
	err = f.pool.QueryRow(r.Context(), `SELECT workspace_id, user_id FROM api_keys WHERE hash = $1`,
		hash[:]).Scan(&workspace, &user)
	return workspace, user, err
}

type row struct {
	ID         uuid.UUID       `json:"id"`
	Account    uuid.UUID       `json:"accountId"`
	Platform   string          `json:"platform"`
	Text       string          `json:"text"`
	Title      string          `json:"title"`
	Tags       []string        `json:"tags"`
	Settings   json.RawMessage `json:"settings"`
	PublishAt  *time.Time      `json:"publishAt"`
	TZ         string          `json:"tz"`
	Status     string          `json:"status"`
	ExternalID string          `json:"externalId"`
	Attempts   int             `json:"attempts"`
	CreatedVia string          `json:"createdVia"`
	CreatedAt  time.Time       `json:"createdAt"`
	UpdatedAt  time.Time       `json:"updatedAt"`
}

func (f *floor) show(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
	var p row
	err := f.pool.QueryRow(r.Context(), `
		SELECT id, account_id, platform, text, title, tags, settings, publish_at, tz, status, external_id, attempts, created_via,
			created_at, updated_at FROM posts WHERE id = $1`, id).
		Scan(&p.ID, &p.Account, &p.Platform, &p.Text, &p.Title, &p.Tags, &p.Settings, &p.PublishAt, &p.TZ, &p.Status,
			&p.ExternalID, &p.Attempts,
			&p.CreatedVia, &p.CreatedAt, &p.UpdatedAt)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, p)
}

func answer(w http.ResponseWriter, status int, body any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(raw) // if the client has disconnected, there is nothing to do
	return nil
}

// create inserts the same rows as the program does for a scheduled post, in one round trip.
func (f *floor) create(w http.ResponseWriter, r *http.Request) {
	refuse(w, f.created(w, r))
}

func (f *floor) created(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	if err := f.count(r); err != nil {
		return err
	}
	workspace, user, err := f.key(r)
	if err != nil {
		return err
	}
	var creation pgx.Batch
	creation.Queue(`SELECT FROM workspaces WHERE id = $1 FOR NO KEY UPDATE`, workspace)
	creation.Queue(`INSERT INTO create_log (workspace_id, at) SELECT $1, now() WHERE
		(SELECT count(*) FROM create_log WHERE workspace_id = $1 AND at > now() - interval '100 milliseconds') < 100000000`,
		workspace)
	if err := f.pool.SendBatch(ctx, &creation).Close(); err != nil {
		return err
	}
	var in struct {
		Targets struct{ AccountIDs []string }
		Text    string
		When    struct{ PublishAt, Timezone string }
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return err
	}
	account, err := parseID(in.Targets.AccountIDs[0])
	if err != nil {
		return err
	}
	var platform, status string
	if err := f.pool.QueryRow(ctx, `SELECT platform, status FROM accounts WHERE workspace_id = $1 AND id = $2`, workspace,
		account).
		Scan(&platform, &status); err != nil {
		return err
	}
	at, err := time.Parse("2006-01-02T15:04", in.When.PublishAt)
	if err != nil {
		return err
	}
	p := row{
		ID: uuid.Must(uuid.NewV7()), Account: account, Platform: platform, Text: in.Text, PublishAt: &at,
		TZ: in.When.Timezone, Tags: []string{},
		Settings: json.RawMessage("{}"), Status: "queued", CreatedVia: "api", CreatedAt: time.Now(), UpdatedAt: time.Now(),
	}
	if err := f.pool.SendBatch(ctx, inserts(workspace, user, p)).Close(); err != nil {
		return err
	}
	return answer(w, http.StatusCreated, map[string]any{"posts": []row{p}})
}

// inserts returns the inserts of one transaction.
func inserts(workspace, user uuid.UUID, p row) *pgx.Batch {
	var b pgx.Batch
	month := p.CreatedAt.Format("2006-01")
	b.Queue(`INSERT INTO usage_month AS m (workspace_id, period, used) VALUES ($1, $2, 1)
		ON CONFLICT (workspace_id, period) DO UPDATE SET used = m.used + 1`, workspace, month)
	b.Queue(`INSERT INTO posts (id, workspace_id, account_id, platform, text, title, tags, settings, publish_at, tz, status, created_via, created_by,
		created_at, updated_at) VALUES ($1, $2, $3, $4, $5, '', $6, $7, $8, $9, 'queued', 'api', $10, $11, $11)`,
		p.ID, workspace, p.Account, p.Platform, p.Text, p.Tags, p.Settings, p.PublishAt, p.TZ, user, p.CreatedAt)
	for _, kind := range []string{"created", "queued"} {
		b.Queue(`INSERT INTO post_events (workspace_id, post_id, kind, at) VALUES ($1, $2, $3, $4)`, workspace, p.ID, kind,
			p.CreatedAt)
	}
	b.Queue(`INSERT INTO post_slots (post_id, workspace_id, period, state) VALUES ($1, $2, $3, 'held')`, p.ID, workspace,
		month)
	b.Queue(`INSERT INTO publications (post_id, workspace_id, platform, flow, step, rest, due_at, next_action_at, step_since)
		VALUES ($1, $2, $3, 'handle', 'idle', 'queued', $4, $4, now())`, p.ID, workspace, p.Platform, p.PublishAt)
	return &b
}

var crockford = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// parseID returns the UUID in an id of the API, such as post_01jd2v….
func parseID(s string) (uuid.UUID, error) {
	_, body, _ := strings.Cut(s, "_")
	raw, err := crockford.DecodeString("000000" + body)
	if err != nil || len(raw) != 20 {
		return uuid.Nil, fmt.Errorf("%q is no id", s)
	}
	return uuid.UUID(raw[4:]), nil
}
