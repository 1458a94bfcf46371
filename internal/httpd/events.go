package httpd

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

// EventStream is a response of server-sent events, which ends when its handler returns. Its route needs LiftTimeLimits.
// The handler must return when Server.Stopping is closed; otherwise, it delays the server's stop.
type EventStream struct{ c echo.Context }

// eventWriteTime is how long a client may take to accept an event.
const eventWriteTime = 10 * time.Second

// StartEventStream sends the response's headers and a first heartbeat.
func StartEventStream(c echo.Context) (EventStream, error) {
	h := c.Response().Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // makes nginx pass each event on immediately
	c.Response().WriteHeader(http.StatusOK)
	s := EventStream{c}
	return s, s.SendHeartbeat()
}

// Send sends an event with its data as JSON.
func (s EventStream) Send(event string, data any) error {
	body, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("encode the event %s: %w", event, err)
	}
	return s.writeAndFlush(fmt.Sprintf("event: %s\ndata: %s\n\n", event, body))
}

// SendHeartbeat sends a comment. It keeps browsers and proxies from closing an idle connection.
func (s EventStream) SendHeartbeat() error { return s.writeAndFlush(":\n\n") }

func (s EventStream) writeAndFlush(text string) error {
	control := http.NewResponseController(s.c.Response())
	err := control.SetWriteDeadline(time.Now().Add(eventWriteTime))
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if _, err := s.c.Response().Write([]byte(text)); err != nil {
		return err
	}
	return control.Flush()
}

// Stopping returns a channel that is closed when the server stops and waits for open requests.
func (s *Server) Stopping() <-chan struct{} { return s.stopping }
