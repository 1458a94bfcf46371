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

// readyTime is how long the checks behind /readyz may take together.
const readyTime = 2 * time.Second

var errStopping = errors.New("the service is stopping")

// livez says that the process answers, and nothing of what it needs.
func (s *Server) livez(c echo.Context) error {
	s.setVersion(c)
	return c.JSON(http.StatusOK, map[string]bool{"live": true})
}

// readyz says whether requests should come here. Why not, only the log knows.
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

// health asks whether the service is ready, and logs each change of the answer once.
type health struct {
	ready  func(context.Context) error
	logger *slog.Logger

	mu   sync.Mutex
	last string
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
	reason := ""
	if err != nil {
		reason = err.Error()
	}
	switch {
	case reason == h.last:
	case err != nil:
		h.logger.WarnContext(ctx, "not ready", "reason", err)
	default:
		h.logger.InfoContext(ctx, "ready")
	}
	h.last = reason
	return err
}
