package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/labstack/echo/v4"

	"belfry/api"
	"belfry/internal/app"
	"belfry/internal/config"
	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/internal/sandbox"
	"belfry/internal/secret"
	"belfry/internal/store"
	"belfry/views/link"
	"belfry/web"
)

// httpService is everything that the service's one HTTP address serves.
type httpService struct {
	cfg    *config.Config
	shared app.Config
	verbs  *app.App

	pages    *web.Web         // nil without the role web
	networks *sandbox.Sandbox // nil unless they are the service's own
}

// newServer makes the HTTP server: health always, the dashboard and the API for the role web, and the simulated
// networks where they are the service's own.
func (d *httpService) newServer(pool *pgxpool.Pool) (*httpd.Server, error) {
	public, err := url.Parse(d.cfg.PublicURL)
	if err != nil {
		return nil, fmt.Errorf("read BELFRY_PUBLIC_URL: %w", err)
	}
	media, err := url.Parse(d.cfg.MediaURL)
	if err != nil {
		return nil, fmt.Errorf("read BELFRY_MEDIA_URL: %w", err)
	}
	var pages *web.Web
	server, err := httpd.New(httpd.Config{
		Addr: d.cfg.Addr, Logger: d.shared.Log, PublicURL: public, MediaURL: media, TrustedProxies: d.cfg.TrustedProxies,
		Sandbox: usesOwnSandbox(d.cfg), Version: versionText(),
		// A program's person is led into the dashboard; the dashboard itself would only lead in circles.
		UpgradeURL: cmp.Or(d.cfg.UpgradeURL, d.cfg.PublicURL+link.Settings),
		Ready:      d.verbs.Healthy, Unavailable: store.Away, Drain: d.drainTime(),
		ErrorPage: func(c echo.Context, e *core.Error) error {
			if pages == nil {
				return e
			}
			return pages.ErrorPage(c, e)
		},
	})
	if err != nil || !d.cfg.Roles.Web {
		return server, err
	}
	if pages, err = d.newDashboard(pool, server, public); err != nil {
		return nil, err
	}
	d.pages = pages
	v1, err := api.New(api.Config{
		App: d.verbs, Networks: d.shared.Networks, Log: d.shared.Log, LimitAddress: d.shared.LimitAddress,
		LimitCreate: d.shared.LimitCreate, Session: pages.Session, SessionID: pages.SessionID,
		SameOrigin: server.SameOrigin,
	})
	if err != nil {
		return nil, err
	}
	if err := pages.Mount(server.Echo, v1.Document()); err != nil {
		return nil, err
	}
	v1.Mount(server.Echo)
	return server, d.mountSandbox(server, public)
}

// newDashboard makes the dashboard.
func (d *httpService) newDashboard(pool *pgxpool.Pool, server *httpd.Server, public *url.URL) (*web.Web, error) {
	db, err := store.New(pool)
	if err != nil {
		return nil, err
	}
	cfg := web.Config{
		App: d.verbs, Networks: d.shared.Networks, Sessions: store.NewSessions(db, time.Now), Server: server,
		Log: d.shared.Log, PublicURL: public, Now: time.Now, SetUpCode: setUpCode(d.shared.Ring), Version: versionText(),
		UpgradeURL: d.cfg.UpgradeURL,
	}
	if usesOwnSandbox(d.cfg) {
		cfg.SandboxPath = sandboxPath
	}
	return web.New(cfg)
}

// setUpCode is short enough to be typed. It follows from the service's keys, so that all its processes
// ask for the same.
func setUpCode(ring *secret.Ring) string {
	sum := sha256.Sum256([]byte(ring.Sign("set-up", nil, time.Time{})))
	return base32.StdEncoding.EncodeToString(sum[:])[:10]
}

// drainTime returns how long the stopping service goes on answering after it has said that it is not ready, so
// that load balancers look elsewhere. On loopback nobody balances.
func (d *httpService) drainTime() time.Duration {
	if httpd.IsLoopback(d.cfg.Addr) {
		return 0
	}
	return 5 * time.Second
}

// mountSandbox mounts the service's own simulated networks. Their journal lies in the data folder, so that a
// restart forgets no account and no post; and they load media from the service itself only.
func (d *httpService) mountSandbox(server *httpd.Server, public *url.URL) error {
	if !usesOwnSandbox(d.cfg) {
		return nil
	}
	from := []string{public.String() + "/"}
	if d.cfg.MediaURL != "" && d.cfg.MediaURL != d.cfg.PublicURL {
		from = append(from, strings.TrimSuffix(d.cfg.MediaURL, "/")+"/")
	}
	networks, err := sandbox.New(sandbox.Config{
		Prefix: sandboxPath, JournalDir: sandboxFolder(d.cfg), AppName: "Belfry", Home: "/", MediaPrefixes: from,
	})
	if err != nil {
		return fmt.Errorf("start the simulated networks: %w", err)
	}
	d.networks = networks
	server.Echo.Any(sandboxPath, echo.WrapHandler(networks), httpd.LogAtDebug)
	server.Echo.Any(sandboxPath+"/*", echo.WrapHandler(networks), httpd.LogAtDebug)
	return nil
}

// windDownTime is how long a stopping worker may finish its calls before the simulated networks hang up.
const windDownTime = 5 * time.Second

// shutDown lets the worker finish its calls while the simulated networks still answer, then ends the
// answers that a fault made slow, which the server's stop would wait for.
func (d *httpService) shutDown(worked <-chan struct{}) error {
	if d.networks != nil {
		select {
		case <-worked:
		case <-time.After(windDownTime):
		}
	}
	return d.closeSandbox()
}

func (d *httpService) closeSandbox() error {
	if d.networks == nil {
		return nil
	}
	return d.networks.Close()
}

// setUpURL is the link by which a new server is set up, "" when it is set up already or serves no pages.
func (d *httpService) setUpURL(ctx context.Context) (string, error) {
	if d.pages == nil {
		return "", nil
	}
	return d.pages.SetUpURL(ctx)
}

func sandboxFolder(cfg *config.Config) string { return filepath.Join(cfg.DataDir, "sandbox") }

// workerName returns a name for this process among the workers of all machines.
func workerName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s/%d/%s", host, os.Getpid(), rand.Text()[:8])
}
