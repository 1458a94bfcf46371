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

// httpService is everything that the service serves at its HTTP address.
type httpService struct {
	cfg    *config.Config
	shared app.Config
	verbs  *app.App

	pages    *web.Web         // nil without the role web
	networks *sandbox.Sandbox // nil unless they are the service's own
}

// newServer creates the HTTP server. It always serves health checks; for the role web also the dashboard and the API;
// and the simulated networks if the service runs its own.
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
		UpgradeURL: cmp.Or(d.cfg.UpgradeURL, d.cfg.PublicURL+link.Workspace("").Usage()),
		Ready:      d.verbs.CheckHealth, Unavailable: store.IsUnavailable, Drain: d.drainTime(),
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
		LimitCreate: d.shared.LimitCreate, Session: pages.Session,
		SameOrigin: server.CheckSameOrigin, VerificationFiles: d.cfg.ProofFiles,
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

// newDashboard creates the dashboard.
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

// setUpCode returns a code that is short enough to type. It is derived from the service's keys, so that all its
// processes have the same code.
func setUpCode(ring *secret.Ring) string {
	sum := sha256.Sum256([]byte(ring.Sign("set-up", nil, time.Time{})))
	return base32.StdEncoding.EncodeToString(sum[:])[:10]
}

// drainTime returns how long the stopping service still serves requests after it reports that it is not ready, so
// that load balancers can switch. It is zero on loopback, where there is no load balancer.
func (d *httpService) drainTime() time.Duration {
	if httpd.IsLoopback(d.cfg.Addr) {
		return 0
	}
	return 5 * time.Second
}

// mountSandbox mounts the service's own simulated networks. Their journal is in the data folder, so that accounts and
// posts survive a restart. They download media only from the service itself.
func (d *httpService) mountSandbox(server *httpd.Server, public *url.URL) error {
	if !usesOwnSandbox(d.cfg) {
		return nil
	}
	from := []string{public.String() + "/"}
	if d.cfg.MediaURL != "" && d.cfg.MediaURL != d.cfg.PublicURL {
		from = append(from, strings.TrimSuffix(d.cfg.MediaURL, "/")+"/")
	}
	outbox := ""
	if d.verbs.MailMode() == app.MailKept {
		outbox = link.Outbox
	}
	networks, err := sandbox.New(sandbox.Config{
		Prefix: sandboxPath, JournalDir: sandboxFolder(d.cfg), AppName: "Belfry", Home: "/", Outbox: outbox,
		MediaPrefixes: from,
		CallbackURL:   public.JoinPath("callbacks").String(),
	})
	if err != nil {
		return fmt.Errorf("start the simulated networks: %w", err)
	}
	d.networks = networks
	server.Echo.Any(sandboxPath, echo.WrapHandler(networks), httpd.LogAtDebug)
	server.Echo.Any(sandboxPath+"/*", echo.WrapHandler(networks), httpd.LogAtDebug)
	return nil
}

// windDownTime is how long a stopping worker may take to finish its calls before the simulated networks close.
const windDownTime = 5 * time.Second

// shutDown waits until the worker has finished its calls, while the simulated networks still respond. Then it ends
// responses that a fault delays, for which the server's stop would wait.
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

// setUpURL returns the link for setting up a new server, or "" if it is already set up or serves no pages.
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
