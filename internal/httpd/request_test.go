package httpd_test

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"belfry/internal/core"
	"belfry/internal/httpd"
)

func TestRequestIDComesFromATrustedProxyOnly(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t, func(c *httpd.Config) { c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")} })
	s.Echo.GET("/id", func(c echo.Context) error { return c.String(200, httpd.RequestID(c.Request().Context())) })
	for _, c := range []struct {
		name, peer, id string
		taken          bool
	}{
		{"of the proxy", "10.0.0.1:1", "7f3c-AB.cd_12", true},
		{"of a stranger", "1.2.3.4:1", "7f3c-AB.cd_12", false},
		{"line break", "10.0.0.1:1", "abcdefgh\nlevel=ERROR", false},
		{"space", "10.0.0.1:1", "abcd efgh", false},
		{"markup", "10.0.0.1:1", "<script>alert()</script>", false},
		{"too short", "10.0.0.1:1", "abc", false},
		{"too long", "10.0.0.1:1", strings.Repeat("a", 129), false},
		{"none", "10.0.0.1:1", "", false},
	} {
		answer := ask(s, "GET", "/id", func(r *http.Request) {
			r.RemoteAddr = c.peer
			r.Header["X-Request-Id"] = []string{c.id}
		})
		got := answer.Header.Get("X-Request-Id")
		if (got == c.id) != c.taken || got == "" || body(t, answer) != got {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

func TestAccessLog(t *testing.T) {
	t.Parallel()
	s, log := newServer(t, nil)
	s.Echo.GET("/posts/:id", func(c echo.Context) error {
		httpd.AddLogAttrs(c, slog.String("workspace", "ws_1"))
		httpd.AddLogAttrs(c, slog.String("key", "key_1"))
		return c.String(201, "four")
	})
	s.Echo.GET("/reset/:token", ok)
	s.Echo.GET("/file/:token/:name", ok)
	s.Echo.GET("/quiet/*", ok, httpd.LogAtDebug)
	s.Echo.GET("/v1/refused", func(echo.Context) error { return core.Unauthenticated() })
	for _, c := range []struct {
		method, target string
		want           map[string]any
	}{
		{"GET", "/posts/7?access_token=hunter2", map[string]any{
			"method": "GET", "path": "/posts/7", "status": 201.0, "bytes": 4.0, "address": "192.0.2.1", "workspace": "ws_1",
			"key": "key_1", "level": "DEBUG",
		}},
		{"HEAD", "/posts/7", map[string]any{"method": "HEAD", "path": "/posts/7"}},
		{"GET", "/reset/hunter2", map[string]any{"path": "/reset/:token", "status": 200.0}},
		{"GET", "/file/hunter2/a.png", map[string]any{"path": "/file/:token/:name", "status": 200.0}},
		{"GET", "/file/hunter2", map[string]any{"path": "/file/:token", "status": 404.0}},
		{"POST", "/reset/hunter2", map[string]any{"path": "/reset/:token", "status": 405.0}},
		{"GET", "/v1/refused", map[string]any{"path": "/v1/refused", "status": 401.0, "level": "INFO"}},
		{"GET", "/quiet/x", map[string]any{"path": "/quiet/x", "level": "DEBUG"}},
		{"GET", "/livez", map[string]any{"path": "/livez", "level": "DEBUG"}},
		{"GET", "/a%0Alevel=ERROR", map[string]any{"path": "/a\nlevel=ERROR", "status": 404.0, "level": "INFO"}},
		{
			"GET", "/" + strings.Repeat("a", 1000),
			map[string]any{"path": "/" + strings.Repeat("a", 255) + "…", "status": 404.0},
		},
	} {
		before := len(log.lines(t, "request"))
		answer := ask(s, c.method, c.target, func(r *http.Request) { r.Header.Set("Authorization", "Bearer hunter2") })
		lines := log.lines(t, "request")[before:]
		if len(lines) != 1 {
			t.Fatalf("%s: %d lines", c.target, len(lines))
		}
		c.want["request_id"] = answer.Header.Get("X-Request-Id")
		for name, want := range c.want {
			if lines[0][name] != want {
				t.Errorf("%s: %s is %v, want %v", c.target, name, lines[0][name], want)
			}
		}
	}
	if strings.Contains(log.text(), "hunter2") {
		t.Error("the log holds a secret")
	}
}

func TestPanicIsLoggedOnceWithItsStack(t *testing.T) {
	t.Parallel()
	s, log := newServer(t, nil)
	s.Echo.GET("/v1/panics", func(echo.Context) error { panic("hunter2") })
	answer := ask(s, "GET", "/v1/panics", nil)
	if got := body(t, answer); answer.StatusCode != 500 || strings.Contains(got, "hunter2") ||
		!strings.Contains(got, `"internal"`) {
		t.Errorf("%s %s", answer.Status, got)
	}
	lines := log.lines(t, "request panicked")
	if len(lines) != 1 || len(log.lines(t, "request failed")) != 0 {
		t.Fatal(log.text())
	}
	if stack, _ := lines[0]["stack"].(string); lines[0]["panic"] != "hunter2" ||
		!strings.Contains(stack, "request_test.go") {
		t.Error(lines[0])
	}
	if status := log.lines(t, "request")[0]["status"]; status != 500.0 {
		t.Errorf("the access log says %v", status)
	}
}

// A page that ends in its middle must not look whole.
func TestPanicInTheMiddleOfAnAnswerCutsTheConnection(t *testing.T) {
	t.Parallel()
	s, log := newServer(t, nil)
	s.Echo.GET("/half", func(c echo.Context) error {
		if err := c.String(200, "half"); err != nil {
			return err
		}
		c.Response().Flush()
		panic("in the middle")
	})
	at := start(t, s)
	answer, err := http.Get(at + "/half")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if b, err := io.ReadAll(answer.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%q, %v", b, err)
	}
	eventually(t, "access log", func() bool { return len(log.lines(t, "request")) == 1 })
	if len(log.lines(t, "request panicked")) != 1 {
		t.Error(log.text())
	}
}
