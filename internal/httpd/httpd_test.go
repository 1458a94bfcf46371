package httpd_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"belfry/internal/httpd"
)

// journal keeps what a server logs.
type journal struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.Write(p)
}

func (j *journal) text() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.String()
}

// lines are the entries with a message, decoded.
func (j *journal) lines(t *testing.T, message string) []map[string]any {
	t.Helper()
	var found []map[string]any
	for line := range strings.Lines(j.text()) {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("log line %q: %v", line, err)
		}
		if entry["msg"] == message {
			found = append(found, entry)
		}
	}
	return found
}

func public(t *testing.T, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// newServer makes one for http://localhost:8080 on a free port, changed by the test as it likes.
func newServer(t *testing.T, change func(*httpd.Config)) (*httpd.Server, *journal) {
	t.Helper()
	log := &journal{}
	cfg := httpd.Config{
		Addr: "127.0.0.1:0", PublicURL: public(t, "http://localhost:8080"),
		Logger: slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	if change != nil {
		change(&cfg)
	}
	s, err := httpd.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s, log
}

// start runs the server until the test ends, and returns its address.
func start(t *testing.T, s *httpd.Server) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	if err := s.Listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return "http://" + s.Addr()
}

// ask sends a request to the routes without a network between.
func ask(s *httpd.Server, method, target string, change func(*http.Request)) *http.Response {
	r := httptest.NewRequest(method, target, nil)
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(time.Minute)
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("%s: not within 10 s", what)
		}
	}
}

func ok(c echo.Context) error { return c.String(http.StatusOK, "ok") }

func TestConfigIsChecked(t *testing.T) {
	t.Parallel()
	good := httpd.Config{Addr: ":0", Logger: slog.New(slog.DiscardHandler), PublicURL: public(t, "http://localhost")}
	for name, change := range map[string]func(*httpd.Config){
		"no address": func(c *httpd.Config) { c.Addr = "" }, "no logger": func(c *httpd.Config) { c.Logger = nil },
		"no public address":     func(c *httpd.Config) { c.PublicURL = nil },
		"a path for an address": func(c *httpd.Config) { c.PublicURL = &url.URL{Path: "/x"} },
	} {
		cfg := good
		change(&cfg)
		if _, err := httpd.New(cfg); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, err := httpd.New(good); err != nil {
		t.Error(err)
	}
}

// echo's Bind lets a body overwrite the id of the path, so nobody may use it by mistake.
func TestBindIsRefused(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t, nil)
	s.Echo.GET("/x", func(c echo.Context) error { return c.Bind(&struct{}{}) }) //nolint:forbidigo // what is tested
	if r := ask(s, "GET", "/x", nil); r.StatusCode != http.StatusInternalServerError {
		t.Error(r.Status)
	}
}
