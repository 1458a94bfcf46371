// Package httpd is what all HTTP entry points share: the server and its stop, who a client is, the
// headers of every answer, errors and their numbers, health and metrics. It knows no verb and no page.
package httpd

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"

	"belfry/internal/core"
)

// Config is the configuration of a Server. Fields are required unless they say otherwise.
type Config struct {
	// Addr is the address to listen on, as HOST:PORT.
	Addr   string
	Logger *slog.Logger
	// PublicURL is the address that people open.
	PublicURL *url.URL
	// MediaURL is the address from which pages load media; nil if it is PublicURL.
	MediaURL *url.URL
	// TrustedProxies are the peers whose X-Forwarded-For and X-Request-Id are trusted; none by default.
	TrustedProxies []netip.Prefix
	// Sandbox reports that the service uses its own simulated networks.
	Sandbox bool
	// Version is shown in the responses of /livez and /readyz; optional.
	Version string
	// UpgradeURL is the address in a 402 for changing the plan; optional.
	UpgradeURL string
	// Ready returns why the service cannot serve requests, for the log only. It must respect its context. Optional.
	Ready func(context.Context) error
	// Unavailable recognizes errors of a database that is unavailable; optional.
	Unavailable func(error) bool
	// ErrorPage renders an error as a page, with the status of its code, for all paths except /v1. Without it, or if it
	// fails, the error is plain text.
	ErrorPage func(echo.Context, *core.Error) error
	// Drain is how long Run still serves requests after it reports that it is not ready, so that load balancers can
	// switch. 0 means not at all.
	Drain time.Duration
}

// Server is the HTTP server of all entry points.
type Server struct {
	// Echo is for the entry points' routes, which must be added before Run.
	Echo *echo.Echo

	cfg      Config
	proxies  trustedProxies
	origin   *http.CrossOriginProtection
	listen   listener
	draining atomic.Bool
	stopping chan struct{} // closed when Run waits for open requests
	health   health
	// beforeSecrets is pathsBeforeSecrets, worked out once all routes are there.
	beforeSecrets func() []string
}

// New checks the configuration and returns a server that does not listen yet.
func New(cfg Config) (*Server, error) {
	if cfg.Addr == "" || cfg.Logger == nil || cfg.PublicURL == nil || cfg.PublicURL.Host == "" {
		return nil, errors.New("httpd: Addr, Logger and an absolute PublicURL are required")
	}
	s := &Server{
		Echo: echo.New(), cfg: cfg, proxies: trustedProxies(cfg.TrustedProxies), origin: http.NewCrossOriginProtection(),
		listen: listener{addr: cfg.Addr, variable: "BELFRY_ADDR"}, stopping: make(chan struct{}),
	}
	// A proxy may change the Host header, with which the origin is compared otherwise.
	if err := s.origin.AddTrustedOrigin(originOf(cfg.PublicURL)); err != nil {
		return nil, err
	}
	s.beforeSecrets = sync.OnceValue(s.pathsBeforeSecrets)
	s.health = health{ready: cfg.Ready, logger: cfg.Logger, started: time.Now(), last: readyMessage}
	s.Echo.IPExtractor = func(r *http.Request) string { return s.proxies.clientAddress(r).String() }
	s.Echo.HTTPErrorHandler = s.handleError
	s.Echo.Binder = noBinder{}
	s.Echo.Pre(s.assignRequestID, limitTime, s.logAccess, s.setHeaders(), s.answerErrors, s.recoverPanics,
		s.redirectLoopback, allowHead)
	s.Echo.GET("/livez", s.livez, LogAtDebug)
	s.Echo.GET("/readyz", s.readyz, LogAtDebug)
	return s, nil
}

// noBinder disables echo's Bind, which ignores unknown fields and lets a body overwrite the id in the path
// (architecture.md, fact 3).
type noBinder struct{}

func (noBinder) Bind(any, echo.Context) error {
	return errors.New("httpd: echo's Bind is not used here; decode strictly instead")
}
