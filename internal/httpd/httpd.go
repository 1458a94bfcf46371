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

// Config is what a Server is made of. Fields are required unless they say otherwise.
type Config struct {
	// Addr is where to listen, as HOST:PORT.
	Addr   string
	Logger *slog.Logger
	// PublicURL is the address that people open.
	PublicURL *url.URL
	// MediaURL is where pages load media from; nil when that is PublicURL.
	MediaURL *url.URL
	// TrustedProxies are the peers whose X-Forwarded-For and X-Request-Id are believed; none by default.
	TrustedProxies []netip.Prefix
	// Sandbox says that the service runs on its own simulated networks.
	Sandbox bool
	// Version stands in the answers of /livez and /readyz; optional.
	Version string
	// UpgradeURL is the way out of a 402; optional.
	UpgradeURL string
	// Ready tells why the service cannot serve now, for the log only. It must heed its context. Optional.
	Ready func(context.Context) error
	// Unavailable recognises errors of a database that is away; optional.
	Unavailable func(error) bool
	// ErrorPage draws an error below any path but /v1, with the status of its code; without it, or when
	// it fails, the error is plain text.
	ErrorPage func(echo.Context, *core.Error) error
	// Drain is how long Run goes on serving after it has begun to answer that it is not ready, so that
	// load balancers look elsewhere first. 0 stops at once.
	Drain time.Duration
}

// Server is the HTTP server of all entry points, and the handler that it serves.
type Server struct {
	// Echo takes the entry points' routes. They are added before Run.
	Echo *echo.Echo

	cfg      Config
	proxies  trustedProxies
	origin   *http.CrossOriginProtection
	listen   listener
	draining atomic.Bool
	health   health
	// beforeSecrets is pathsBeforeSecrets, worked out once all routes are there.
	beforeSecrets func() []string
}

// New checks the configuration and makes a server, which listens to nothing yet.
func New(cfg Config) (*Server, error) {
	if cfg.Addr == "" || cfg.Logger == nil || cfg.PublicURL == nil || cfg.PublicURL.Host == "" {
		return nil, errors.New("httpd: Addr, Logger and an absolute PublicURL are required")
	}
	s := &Server{
		Echo: echo.New(), cfg: cfg, proxies: trustedProxies(cfg.TrustedProxies), origin: http.NewCrossOriginProtection(),
		listen: listener{addr: cfg.Addr, variable: "BELFRY_ADDR"},
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

// noBinder stands in the way of echo's Bind, which drops unknown fields and lets a body overwrite the
// id of the path (architecture.md, fact 3).
type noBinder struct{}

func (noBinder) Bind(any, echo.Context) error {
	return errors.New("httpd: echo's Bind is not used here; decode strictly instead")
}
