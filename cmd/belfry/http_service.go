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
	"belfry/static"
	"belfry/views/link"
	"belfry/web"
)

// httpService is everything that the service serves at its HTTP address.
type httpService struct {
	cfg    *config.Config
	shared app.Config
	app    *app.App

	pages    *web.Web         // nil without the role web
	networks *sandbox.Sandbox // nil unless the service has its own simulated networks
}

// newServerAndStartSandbox creates the HTTP server with health checks and, for the role web, the dashboard, the API and
// the service's own simulated networks, which it starts.
func (d *httpService) newServerAndStartSandbox(pool *pgxpool.Pool) (*httpd.Server, error) {
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
		// Only for the API: a link to the dashboard would be of no use in the dashboard itself.
		UpgradeURL: cmp.Or(d.cfg.UpgradeURL, d.cfg.PublicURL+link.Workspace("").Usage()),
		Ready:      d.app.CheckDatabaseAndWorkers, Unavailable: store.IsUnavailable, Drain: d.drainTime(),
		ErrorPage: func(c echo.Context, e *core.Error) error {
			if pages == nil {
				return e
			}
			return pages.RenderErrorPageOrAskToSignIn(c, e)
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
		App: d.app, Networks: d.shared.Networks, Log: d.shared.Log, LimitAddress: d.shared.LimitAddress,
		LimitCreate: d.shared.LimitCreate, Session: pages.FindCallerByCookieInRefererWorkspace,
		SameOrigin: server.CheckSameOrigin, VerificationFiles: d.cfg.ProofFiles,
	})
	if err != nil {
		return nil, err
	}
	if err := pages.Mount(server.Echo, v1.Document()); err != nil {
		return nil, err
	}
	v1.Mount(server.Echo)
	return server, d.startOwnSandboxIfAny(server, public)
}

// newDashboard creates the dashboard.
func (d *httpService) newDashboard(pool *pgxpool.Pool, server *httpd.Server, public *url.URL) (*web.Web, error) {
	db, err := store.New(pool)
	if err != nil {
		return nil, err
	}
	cfg := web.Config{
		App: d.app, Networks: d.shared.Networks, Sessions: store.NewSessions(db, time.Now), Server: server,
		Log: d.shared.Log, PublicURL: public, Now: time.Now, SetUpCode: deriveSetUpCode(d.shared.Ring),
		UpgradeURL: d.cfg.UpgradeURL,
	}
	if usesOwnSandbox(d.cfg) {
		cfg.SandboxPath = sandboxPath
	}
	return web.New(cfg)
}

// deriveSetUpCode returns a code that is short enough to type. It is derived from the service's keys, so that all
// processes of the service have the same code.
func deriveSetUpCode(ring *secret.Ring) string {
	sum := sha256.Sum256([]byte(ring.Sign("set-up", nil, time.Time{})))
	return base32.StdEncoding.EncodeToString(sum[:])[:10]
}

// drainTime returns how long a stopping service still serves requests after it reports that it is not ready, so that
// load balancers can react. It is zero on loopback, where there is no load balancer.
func (d *httpService) drainTime() time.Duration {
	if core.IsLoopback(d.cfg.Addr) {
		return 0
	}
	return 5 * time.Second
}

// startOwnSandboxIfAny starts the service's own simulated networks, if it has any, and adds their routes to the server.
// Their journal is in the data folder, so that accounts and posts survive a restart. They download media only from this
// service.
func (d *httpService) startOwnSandboxIfAny(server *httpd.Server, public *url.URL) error {
	if !usesOwnSandbox(d.cfg) {
		return nil
	}
	from := []string{public.String() + "/"}
	if d.cfg.MediaURL != "" && d.cfg.MediaURL != d.cfg.PublicURL {
		from = append(from, strings.TrimSuffix(d.cfg.MediaURL, "/")+"/")
	}
	outbox := ""
	if d.app.MailMode() == app.MailKept {
		outbox = link.Outbox
	}
	networks, err := sandbox.New(sandbox.Config{
		Prefix: sandboxPath, JournalDir: sandboxFolder(d.cfg), AppName: "Belfry", Home: "/", Outbox: outbox,
		Tokens: static.URL("css/tokens.css"), Icon: static.URL("icon.svg"), MediaPrefixes: from,
		CallbackURL: public.JoinPath("callbacks").String(),
	})
	if err != nil {
		return fmt.Errorf("start the simulated networks: %w", err)
	}
	d.networks = networks
	server.Echo.Any(sandboxPath, echo.WrapHandler(networks), httpd.LogAtDebug)
	server.Echo.Any(sandboxPath+"/*", echo.WrapHandler(networks), httpd.LogAtDebug)
	return nil
}

// maxWorkerWait is how long a stopping worker may take to finish its calls before the simulated networks close.
const maxWorkerWait = 5 * time.Second

// awaitWorkerAndCloseSandbox waits until workerDone is closed, so that the worker can finish its calls, but not longer
// than maxWait, and not at all if the service has no simulated networks. It then closes them, which ends delayed
// responses. Otherwise, the server's shutdown would wait for these responses.
func (d *httpService) awaitWorkerAndCloseSandbox(workerDone <-chan struct{}, maxWait time.Duration) error {
	if d.networks != nil {
		select {
		case <-workerDone:
		case <-time.After(maxWait):
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

// findSetUpURL returns the link for setting up a new server, or "" if the server has been set up or has no dashboard.
func (d *httpService) findSetUpURL(ctx context.Context) (urlOrEmpty string, err error) {
	if d.pages == nil {
		return "", nil
	}
	return d.pages.FindSetUpURL(ctx)
}

func sandboxFolder(cfg *config.Config) string { return filepath.Join(cfg.DataDir, "sandbox") }

// newWorkerName returns a unique name for a worker, with the machine's name and the process id.
func newWorkerName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s/%d/%s", host, os.Getpid(), rand.Text()[:8])
}
