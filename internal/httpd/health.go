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

// startTime is how long a service may take to become ready for the first time before a warning is logged.
const startTime = 30 * time.Second

// readyMessage is logged when the service becomes ready again. A service that is ready from the start does not log it.
const readyMessage = "ready"

// readyTime is the time limit for all checks of /readyz.
const readyTime = 2 * time.Second

var errStopping = errors.New("the service is stopping")

// handleLivez responds that the process is alive. It checks nothing.
func (s *Server) handleLivez(c echo.Context) error {
	s.setVersionHeader(c)
	return c.JSON(http.StatusOK, map[string]bool{"live": true})
}

// handleReadyz responds whether the service can serve requests. If it cannot, only the log says why.
func (s *Server) handleReadyz(c echo.Context) error {
	s.setVersionHeader(c)
	status, err := http.StatusOK, errStopping
	if !s.draining.Load() {
		err = s.health.checkReadyAndLogChange(c.Request().Context())
	}
	if err != nil {
		status = http.StatusServiceUnavailable
	}
	return c.JSON(status, map[string]bool{"ready": err == nil})
}

func (s *Server) setVersionHeader(c echo.Context) {
	if s.cfg.Version != "" {
		c.Response().Header().Set("Belfry-Version", s.cfg.Version)
	}
}

// health checks whether the service is ready, and logs each change once.
type health struct {
	ready  func(context.Context) error
	logger *slog.Logger
	// started is when the service began to start. Becoming ready for the first time takes a moment.
	started time.Time

	mu       sync.Mutex
	wasReady bool
	last     string // what was logged last
}

// checkReadyAndLogChange returns why the service is not ready, or nil if it is ready. It logs the result only if it has
// changed.
func (h *health) checkReadyAndLogChange(ctx context.Context) error {
	if h.ready == nil {
		return nil
	}
	// A client that disconnects must not make the check fail.
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
