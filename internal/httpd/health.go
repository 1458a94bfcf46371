package httpd

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
)

// startTime is how long a service may take to become ready for the first time before the log warns.
const startTime = 30 * time.Second

// readyMessage is logged when the service is ready again. A service that is ready from the start logs nothing.
const readyMessage = "ready"

// readyTime is the time limit for all checks of /readyz.
const readyTime = 2 * time.Second

var errStopping = errors.New("the service is stopping")

// livez reports that the process responds, and checks nothing else.
func (s *Server) livez(c echo.Context) error {
	s.setVersion(c)
	return c.JSON(http.StatusOK, map[string]bool{"live": true})
}

// readyz reports whether the service can serve requests. Only the log says why not.
func (s *Server) readyz(c echo.Context) error {
	s.setVersion(c)
	status, err := http.StatusOK, errStopping
	if !s.draining.Load() {
		err = s.health.checkReady(c.Request().Context())
	}
	if err != nil {
		status = http.StatusServiceUnavailable
	}
	return c.JSON(status, map[string]bool{"ready": err == nil})
}

func (s *Server) setVersion(c echo.Context) {
	if s.cfg.Version != "" {
		c.Response().Header().Set("Belfry-Version", s.cfg.Version)
	}
}

// health checks whether the service is ready, and logs each change once.
type health struct {
	ready  func(context.Context) error
	logger *slog.Logger
	// started is when the service began to start. Until it is ready for the first time, that takes a moment.
	started time.Time

	mu       sync.Mutex
	wasReady bool
	last     string // what was logged last
}

func (h *health) checkReady(ctx context.Context) error {
	if h.ready == nil {
		return nil
	}
	// A client that hangs up says nothing about the service.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readyTime)
	defer cancel()
	err := h.ready(ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	level, message, reason := slog.LevelInfo, readyMessage, ""
	switch {
	case err != nil && !h.wasReady && time.Since(h.started) < startTime:
		message, reason = "not ready yet", err.Error()
	case err != nil:
		level, message, reason = slog.LevelWarn, "not ready", err.Error()
	}
	h.wasReady = h.wasReady || err == nil
	if said := message + reason; said != h.last {
		h.last = said
		var attrs []slog.Attr
		if err != nil {
			attrs = append(attrs, slog.String("reason", reason))
		}
		h.logger.LogAttrs(ctx, level, message, attrs...) //nolint:sloglint // one of the constants above
	}
	return err
}
