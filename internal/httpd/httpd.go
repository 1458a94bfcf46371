// Package httpd contains what all HTTP entry points share: the server and its shutdown, client addresses, default
// headers, error responses, health checks and metrics. It contains no operation and no page.
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
	// MediaURL is the address from which pages load media; nil means PublicURL.
	MediaURL *url.URL
	// TrustedProxies are the peers whose X-Forwarded-For and X-Request-Id are trusted; none by default.
	TrustedProxies []netip.Prefix
	// Sandbox reports that the service uses its own simulated networks.
	Sandbox bool
	// Version is shown in the responses of /livez and /readyz; optional.
	Version string
	// UpgradeURL is the address for changing the plan, which is part of a 402 response; optional.
	UpgradeURL string
	// Ready returns why the service cannot serve requests, or nil if it can. The error is only logged. Ready must
	// return when its context ends. Optional.
	Ready func(context.Context) error
	// Unavailable reports whether an error means that the database or the storage is unavailable; optional.
	Unavailable func(error) bool
	// ErrorPage renders an error as a page with the status of its code, for all paths except those of programs. If it is
	// nil or fails, the response is plain text.
	ErrorPage func(echo.Context, *core.Error) error
	// Drain is how long Run keeps serving requests after /readyz begins to fail, so that load balancers can switch. 0
	// means that Run stops at once.
	Drain time.Duration
}

// Server is the HTTP server of all entry points.
type Server struct {
	// Echo is the router. Entry points must add their routes before Run.
	Echo *echo.Echo

	cfg      Config
	proxies  trustedProxies
	origin   *http.CrossOriginProtection
	listen   listener
	draining atomic.Bool
	stopping chan struct{} // closed when Run waits for open requests
	health   health
	// tokenPrefixes returns tokenPathPrefixes. It computes them once, after all routes have been added.
	tokenPrefixes func() []string
}

// New checks the configuration and returns a server that does not listen yet.
func New(cfg Config) (*Server, error) {
	if cfg.Addr == "" || cfg.Logger == nil || cfg.PublicURL == nil || cfg.PublicURL.Host == "" {
		return nil, errors.New("httpd: Addr, Logger and an absolute PublicURL are required")
	}
	s := &Server{
		Echo: echo.New(), cfg: cfg, proxies: trustedProxies(cfg.TrustedProxies), origin: http.NewCrossOriginProtection(),
		listen: listener{addr: cfg.Addr, setting: "BELFRY_ADDR"}, stopping: make(chan struct{}),
	}
	// Without this, the origin would be compared with the Host header, which a proxy may change.
	if err := s.origin.AddTrustedOrigin(originOf(cfg.PublicURL)); err != nil {
		return nil, err
	}
	s.tokenPrefixes = sync.OnceValue(s.tokenPathPrefixes)
	s.health = health{ready: cfg.Ready, logger: cfg.Logger, started: time.Now(), last: readyMessage}
	s.Echo.IPExtractor = func(r *http.Request) string { return s.proxies.clientAddressOrZero(r).String() }
	s.Echo.HTTPErrorHandler = s.logAndWriteErrorResponse
	s.Echo.Binder = noBinder{}
	s.Echo.Pre(s.assignRequestIDAndSource, limitRequestTime, s.logAccess, s.setDefaultHeaders(), s.logErrorsAndRespond,
		s.recoverAndLogPanics, s.redirectToPublicLoopbackHost, addHeadToAllowHeader)
	s.Echo.GET("/livez", s.handleLivez, LogAtDebug)
	s.Echo.GET("/readyz", s.handleReadyz, LogAtDebug)
	return s, nil
}

// noBinder disables echo's Bind, which ignores unknown fields and lets a body overwrite the id in the path.
type noBinder struct{}

func (noBinder) Bind(any, echo.Context) error {
	return errors.New("httpd: echo's Bind is not used here; decode strictly instead")
}
