package httpd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Bounds of a connection (security.md 4.10) and of a stop.
const (
	readHeaderTime = 5 * time.Second
	idleTime       = 60 * time.Second
	maxHeader      = 32 << 10
	stopTime       = 20 * time.Second
)

// Listen opens the port, so that a start can fail before anything else has begun. Otherwise, Run does it.
func (s *Server) Listen(ctx context.Context) error { return s.listen.listen(ctx) }

// Addr returns the address of the server, with the actual port if the configuration says 0.
func (s *Server) Addr() string { return s.listen.String() }

// Run serves requests until ctx ends. Then /readyz fails, requests are still served for Config.Drain, and open
// requests have 20 seconds to finish. It returns nil after such a stop.
func (s *Server) Run(ctx context.Context) error {
	return s.listen.run(ctx, s, s.cfg.Logger, func() {
		s.draining.Store(true)
		s.cfg.Logger.Info("stopping", "drain", s.cfg.Drain)
		timer := time.NewTimer(s.cfg.Drain)
		defer timer.Stop()
		<-timer.C
		close(s.stopping)
	})
}

// listener is an address that is served.
type listener struct {
	addr     string
	variable string // the setting that the address comes from

	mu  sync.Mutex
	net net.Listener
}

func (l *listener) listen(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.net != nil {
		return nil
	}
	bound, err := new(net.ListenConfig).Listen(ctx, "tcp", l.addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		_, port, _ := net.SplitHostPort(l.addr)
		return fmt.Errorf("port %s is in use: stop the other program or set %s", port, l.variable)
	}
	if errors.Is(err, syscall.EACCES) {
		_, port, _ := net.SplitHostPort(l.addr)
		return fmt.Errorf("this user may not listen on port %s: set %s to a port above 1023", port, l.variable)
	}
	if err != nil {
		return fmt.Errorf("listen on %s, set by %s: %w", l.addr, l.variable, err)
	}
	l.net = bound
	return nil
}

// CheckPortFree returns the error with which a server on addr would fail, for example because the port is in use.
// variable is the setting that contains the address.
func CheckPortFree(ctx context.Context, addr, variable string) error {
	l := listener{addr: addr, variable: variable}
	if err := l.listen(ctx); err != nil {
		return err
	}
	return l.net.Close()
}

func (l *listener) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.net == nil {
		return l.addr
	}
	return l.net.Addr().String()
}

// run serves requests until ctx ends, calls drain, and waits for open requests.
func (l *listener) run(ctx context.Context, handler http.Handler, logger *slog.Logger, drain func()) error {
	if err := l.listen(ctx); err != nil {
		return err
	}
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: readHeaderTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
		// `OPTIONS *` goes the way of all requests too.
		DisableGeneralOptionsHandler: true,
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l.net) }()
	select {
	case err := <-served:
		return fmt.Errorf("serve %s: %w", l, err)
	case <-ctx.Done():
	}
	drain()
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	err := server.Shutdown(stop)
	if err != nil {
		err = errors.Join(fmt.Errorf("requests were still in progress after %s: %w", stopTime, err), server.Close())
	}
	if last := <-served; !errors.Is(last, http.ErrServerClosed) {
		err = errors.Join(err, last)
	}
	return err
}

// Serve serves a handler on a separate address until ctx ends. variable is the setting that contains the address, for
// the error if the port is in use.
func Serve(ctx context.Context, addr, variable string, handler http.Handler, logger *slog.Logger) error {
	l := listener{addr: addr, variable: variable}
	return l.run(ctx, handler, logger, func() {})
}

// Metrics serves /metrics on a separate address, which need not be public.
type Metrics struct {
	listen  listener
	handler http.Handler
	logger  *slog.Logger
}

// NewMetrics returns a server for metrics that does not listen yet.
func NewMetrics(addr string, registry *prometheus.Registry, logger *slog.Logger) *Metrics {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		Registry: registry, ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelError),
	}))
	return &Metrics{listen: listener{addr: addr, variable: "BELFRY_METRICS_ADDR"}, handler: mux, logger: logger}
}

// Listen takes the port, so that a start can fail before anything else has begun. Run does it otherwise.
func (m *Metrics) Listen(ctx context.Context) error { return m.listen.listen(ctx) }

// Addr is where the server listens.
func (m *Metrics) Addr() string { return m.listen.String() }

// Run serves until ctx ends.
func (m *Metrics) Run(ctx context.Context) error {
	return m.listen.run(ctx, m.handler, m.logger, func() {})
}
