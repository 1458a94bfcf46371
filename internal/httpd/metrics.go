package httpd

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

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
