package crashtest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/core"
	"belfry/internal/network"
)

// loss is what becomes of a call to the network on its way, besides a kill.
type loss string

const (
	lossNone    loss = "normal"
	lossAnswer  loss = "answer lost"
	lossRequest loss = "request lost"
)

// life is a worker from its start to its end: connections and clients of its own, all of which pass its script.
type life struct {
	*script
	name    string
	app     *app.App
	pool    *pgxpool.Pool
	gateway *httptest.Server
	// networks is where the gateway passes calls on; onCall says what becomes of the next one, and afterCall is told that
	// the network has acted.
	networks  *url.URL
	onCall    func(*http.Request) loss
	afterCall func()
}

// lifeConfig is what a life is made of.
type lifeConfig struct {
	Name        string
	Database    string
	NetworksURL string
	Script      *script
	OnCall      func(*http.Request) loss
	AfterCall   func()
	// NewApp makes its App, with a change of its configuration.
	NewApp func(apptest.Connections, func(*app.Config)) *app.App
}

// startLife opens what a worker has. The caller ends the life.
func startLife(t testing.TB, cfg lifeConfig) *life {
	t.Helper()
	target, err := url.Parse(cfg.NetworksURL)
	must(t, err)
	l := &life{script: cfg.Script, name: cfg.Name, networks: target, onCall: cfg.OnCall, afterCall: cfg.AfterCall}
	l.pool = l.openPool(t, cfg.Database)
	l.gateway = httptest.NewServer(http.HandlerFunc(l.relayCall))
	l.app = cfg.NewApp(apptest.Connections{
		Pool: l.pool, NetworksURL: l.gateway.URL,
		Observe: func(network.Call) { _ = l.passBoundary(fromNetwork) },
	}, func(c *app.Config) { c.Blobs = storage{c.Blobs, l.script} })
	return l
}

// openPool opens a pool as the program's worker has it.
func (l *life) openPool(t testing.TB, address string) *pgxpool.Pool {
	t.Helper()
	cfg, err := pgxpool.ParseConfig(address)
	must(t, err)
	cfg.MaxConns = 4
	maps.Copy(cfg.ConnConfig.RuntimeParams, map[string]string{
		"application_name": l.name, "timezone": "UTC", "lock_timeout": strconv.Itoa(lockTimeout),
	})
	cfg.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return l.addWire(conn)
	}
	cfg.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		conn.PgConn().Conn().(*wire).open.Store(true)
		return nil
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), cfg)
	must(t, err)
	return pool
}

// lockTimeout is how many milliseconds a life waits for a row: one that stands still may have locked it.
const lockTimeout = 500

// publish claims a post and carries it as far as it goes, or until the life is killed.
func (l *life) publish(ws core.WorkspaceID, post core.PostID) {
	// Its errors are what the next claim is for.
	_ = l.app.Engine().PublishOrPrepare(context.Background(), l.name, ws, post)
}

// endQuietly closes what the life has, if it was not killed.
func (l *life) endQuietly() {
	l.mu.Lock()
	l.acts = nil
	l.mu.Unlock()
	l.gateway.Close()
	l.pool.Close()
}

// keepCalls loses no call.
func keepCalls(*http.Request) loss { return lossNone }

// transport calls the networks. It keeps no connection, so that Go repeats no call by itself.
var transport = &http.Transport{DisableKeepAlives: true}

// relayCall passes a call on to the network, and its answer back.
func (l *life) relayCall(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		drop(w)
		return
	}
	lost := l.onCall(r)
	err = l.passBoundary(toNetwork)
	sent := err == nil || errors.As(err, new(sentError))
	if !sent || lost == lossRequest {
		drop(w)
		return
	}
	answer, content, failed := l.forward(r, body)
	l.afterCall()
	if failed != nil || err != nil || l.passBoundary(atNetwork) != nil || lost == lossAnswer {
		drop(w)
		return
	}
	maps.Copy(w.Header(), answer.Header)
	w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	w.WriteHeader(answer.StatusCode)
	_, _ = w.Write(content)
}

// sentError ends a life whose request was on the wire already.
type sentError struct{ error }

// killSent kills a life at a boundary. A request that it is about to make still arrives. It is an act.
func killSent(s *script, at place) error {
	err := killLife(s, at)
	if at == toNetwork {
		err = sentError{err}
	}
	return err
}

func (l *life) forward(r *http.Request, body []byte) (*http.Response, []byte, error) {
	out := r.Clone(context.Background()) // a request that was sent arrives
	out.RequestURI, out.URL.Scheme, out.URL.Host, out.Host = "", l.networks.Scheme, l.networks.Host, ""
	out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	if len(body) == 0 {
		out.Body = http.NoBody
	}
	answer, err := transport.RoundTrip(out)
	if err != nil {
		return nil, nil, err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	return answer, content, err
}

// drop closes a connection without an answer.
func drop(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

// quiet is a log for thousands of lives.
var quiet = slog.New(slog.DiscardHandler)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
