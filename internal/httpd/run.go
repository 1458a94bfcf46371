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

// Listen takes the port, so that a start can fail before anything else has begun. Run does it otherwise.
func (s *Server) Listen(ctx context.Context) error { return s.listen.listen(ctx) }

// Addr is where the server listens: with port 0 in the configuration, the port it got.
func (s *Server) Addr() string { return s.listen.String() }

// Run serves until ctx ends, then stops gently: /readyz answers no, requests are still taken for
// Config.Drain, and those under way have 20 seconds to end. It returns nil after such a stop.
func (s *Server) Run(ctx context.Context) error {
	return s.listen.run(ctx, s, s.cfg.Logger, func() {
		s.draining.Store(true)
		s.cfg.Logger.Info("stopping", "drain", s.cfg.Drain)
		timer := time.NewTimer(s.cfg.Drain)
		defer timer.Stop()
		<-timer.C
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

// CheckPortFree returns the error that a server on addr would end with, as when the port is taken. It leaves the port
// free. variable is the setting that the address comes from.
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

// run serves until ctx ends, calls drain, and waits for the requests under way.
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

// Serve serves a handler on an address of its own until ctx ends. variable is the setting that the
// address comes from, for the error of a port that is taken.
func Serve(ctx context.Context, addr, variable string, handler http.Handler, logger *slog.Logger) error {
	l := listener{addr: addr, variable: variable}
	return l.run(ctx, handler, logger, func() {})
}

// Metrics serves /metrics on an address of its own, which the world need not reach.
type Metrics struct {
	listen  listener
	handler http.Handler
	logger  *slog.Logger
}

// NewMetrics makes the metrics' server, which listens to nothing yet.
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
