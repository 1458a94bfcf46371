package main

import (
	"crypto/rand"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/labstack/echo/v4"

	"belfry/api"
	"belfry/internal/app"
	"belfry/internal/config"
	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/internal/sandbox"
	"belfry/internal/store"
	"belfry/web"
)

// doors are what stands behind the service's one HTTP address.
type doors struct {
	cfg    *config.Config
	shared *services
	verbs  *app.App
}

// http makes the server: health always, the dashboard and the API for the role web, the simulated
// networks where they are the service's own.
func (d *doors) http(pool *pgxpool.Pool) (*httpd.Server, error) {
	public, err := url.Parse(d.cfg.PublicURL)
	if err != nil {
		return nil, fmt.Errorf("read BELFRY_PUBLIC_URL: %w", err)
	}
	var pages *web.Web
	server, err := httpd.New(httpd.Config{
		Addr: d.cfg.Addr, Logger: d.shared.log, PublicURL: public, TrustedProxies: d.cfg.TrustedProxies,
		Sandbox: usesOwnSandbox(d.cfg), Version: versionText(), UpgradeURL: d.cfg.UpgradeURL,
		Ready: d.verbs.Healthy, Unavailable: store.Away, Drain: d.drain(),
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
	pages, err = web.New(web.Config{
		App: d.verbs, Networks: d.shared.networks, Pool: pool, Server: server, Log: d.shared.log, PublicURL: public,
		Sandbox: usesOwnSandbox(d.cfg), SandboxPath: sandboxPath, Version: versionText(),
	})
	if err != nil {
		return nil, err
	}
	pages.Mount(server.Echo)
	v1, err := api.New(api.Config{
		App: d.verbs, Networks: d.shared.networks, Log: d.shared.log, LimitAddress: d.shared.cfg.LimitAddress,
		LimitCreate: d.shared.cfg.LimitCreate, Session: pages.Session, SessionID: pages.SessionID,
	})
	if err != nil {
		return nil, err
	}
	v1.Mount(server)
	return server, d.sandbox(server)
}

// drain is how long the stopping service goes on answering after it has said that it is not ready, so
// that load balancers look elsewhere. On loopback nobody balances.
func (d *doors) drain() time.Duration {
	if at, err := netip.ParseAddrPort(d.cfg.Addr); err == nil && at.Addr().IsLoopback() {
		return 0
	}
	return 5 * time.Second
}

// sandbox mounts the service's own simulated networks. Their journal lies in the data folder, so that a
// restart forgets no account and no post.
func (d *doors) sandbox(server *httpd.Server) error {
	if !usesOwnSandbox(d.cfg) {
		return nil
	}
	networks, err := sandbox.New(sandbox.Config{Prefix: sandboxPath, JournalDir: sandboxFolder(d.cfg), AppName: "Belfry"})
	if err != nil {
		return fmt.Errorf("start the simulated networks: %w", err)
	}
	server.Echo.Any(sandboxPath, echo.WrapHandler(networks))
	server.Echo.Any(sandboxPath+"/*", echo.WrapHandler(networks))
	return nil
}

func sandboxFolder(cfg *config.Config) string { return filepath.Join(cfg.DataDir, "sandbox") }

// owner names this process among the workers of all machines.
func owner() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s/%d/%s", host, os.Getpid(), rand.Text()[:8])
}
