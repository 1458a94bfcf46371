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

// Limits of a connection (security.md 4.10) and of a shutdown.
const (
	readHeaderTime = 5 * time.Second
	idleTime       = 60 * time.Second
	maxHeader      = 32 << 10
	stopTime       = 20 * time.Second
)

// Listen opens the port. Call it before Run to learn early that the port is in use; otherwise, Run opens the port.
func (s *Server) Listen(ctx context.Context) error { return s.listen.listenUnlessListening(ctx) }

// Addr returns the address of the server. If the configured port is 0, it contains the actual port once the server
// listens.
func (s *Server) Addr() string { return s.listen.String() }

// Run serves requests until ctx ends. It then makes /readyz fail, serves requests for another Config.Drain, and gives
// open requests 20 seconds to finish. It returns nil if all of them do.
func (s *Server) Run(ctx context.Context) error {
	return s.listen.listenAndServe(ctx, s, s.cfg.Logger, func() {
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
	addr    string
	setting string // the variable or option that sets the address

	mu  sync.Mutex
	net net.Listener
}

// listenUnlessListening opens the port. It does nothing if the port has already been opened.
func (l *listener) listenUnlessListening(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.net != nil {
		return nil
	}
	bound, err := new(net.ListenConfig).Listen(ctx, "tcp", l.addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		_, port, _ := net.SplitHostPort(l.addr)
		return fmt.Errorf("port %s is in use: stop the other program, or set %s to an address with another port", port, l.setting)
	}
	if errors.Is(err, syscall.EACCES) {
		_, port, _ := net.SplitHostPort(l.addr)
		return fmt.Errorf("the user who runs Belfry is not allowed to listen on port %s: set %s to an address with a port above 1023", port, l.setting)
	}
	if err != nil {
		return fmt.Errorf("listen on %s, set by %s: %w", l.addr, l.setting, err)
	}
	l.net = bound
	return nil
}

// CheckPortFree returns the error with which a server would fail to listen on addr, for example because the port is in
// use. settingName is the environment variable or the option that sets the address.
func CheckPortFree(ctx context.Context, addr, settingName string) error {
	l := listener{addr: addr, setting: settingName}
	if err := l.listenUnlessListening(ctx); err != nil {
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

// listenAndServe serves requests until ctx ends, and then until beforeShutdown returns. Afterwards, it waits up to
// stopTime for open requests.
func (l *listener) listenAndServe(
	ctx context.Context, handler http.Handler, logger *slog.Logger, beforeShutdown func(),
) error {
	if err := l.listenUnlessListening(ctx); err != nil {
		return err
	}
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: readHeaderTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
		// The router handles `OPTIONS *` too.
		DisableGeneralOptionsHandler: true,
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l.net) }()
	select {
	case err := <-served:
		return fmt.Errorf("serve %s: %w", l, err)
	case <-ctx.Done():
	}
	beforeShutdown()
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

// Serve serves a handler on a separate address until ctx ends. If the port is in use, the error names
// settingName, the environment variable or the option that sets the address.
func Serve(ctx context.Context, addr, settingName string, handler http.Handler, logger *slog.Logger) error {
	l := listener{addr: addr, setting: settingName}
	return l.listenAndServe(ctx, handler, logger, func() {})
}

// MetricsServer serves /metrics on a separate address, which need not be public.
type MetricsServer struct {
	listen  listener
	handler http.Handler
	logger  *slog.Logger
}

// NewMetricsServer returns a server for the registry's metrics. It does not listen yet.
func NewMetricsServer(addr string, registry *prometheus.Registry, logger *slog.Logger) *MetricsServer {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		Registry: registry, ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelError),
	}))
	return &MetricsServer{listen: listener{addr: addr, setting: "BELFRY_METRICS_ADDR"}, handler: mux, logger: logger}
}

// Listen opens the port. Call it before Run to learn early that the port is in use; otherwise, Run opens the port.
func (m *MetricsServer) Listen(ctx context.Context) error { return m.listen.listenUnlessListening(ctx) }

// Addr returns the address of the server. If the configured port is 0, it contains the actual port once the server
// listens.
func (m *MetricsServer) Addr() string { return m.listen.String() }

// Run serves metrics until ctx ends.
func (m *MetricsServer) Run(ctx context.Context) error {
	return m.listen.listenAndServe(ctx, m.handler, m.logger, func() {})
}
