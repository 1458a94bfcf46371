package httpd_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"belfry/internal/core"
	"belfry/internal/httpd"
)

const (
	wantPageCSP = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; " +
		"connect-src 'self'; font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
	wantAPICSP = "default-src 'none'; frame-ancestors 'none'"
)

// addRoutes gives a server one route for each way in which an answer comes about.
func addRoutes(s *httpd.Server) {
	for _, at := range []string{"", "/v1"} {
		s.Echo.GET(at+"/fine", ok)
		s.Echo.GET(at+"/refused", func(echo.Context) error { return core.Unauthenticated() })
		s.Echo.GET(at+"/broken", func(echo.Context) error { return errors.New("broken") })
		s.Echo.GET(at+"/panics", func(echo.Context) error { panic("panics") })
		s.Echo.GET(at+"/cached", func(c echo.Context) error {
			c.Response().Header().Set("Cache-Control", "public, max-age=31536000, immutable")
			return core.NotFound()
		})
		s.Echo.POST(at+"/body", ok, httpd.LimitBody(10))
	}
}

func TestHeadersStandOnEveryAnswer(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t, func(c *httpd.Config) {
		c.Sandbox = true
		c.PublicURL = public(t, "https://belfry.example.org")
	})
	addRoutes(s)
	at := start(t, s)
	for _, c := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/fine", 200},
		{"HEAD", "/fine", 200},
		{"OPTIONS", "/fine", 204},
		{"GET", "/refused", 401},
		{"GET", "/broken", 500},
		{"GET", "/panics", 500},
		{"GET", "/cached", 404},
		{"GET", "/nothing", 404},
		{"POST", "/fine", 405},
		{"BREW", "/fine", 405},
		{"POST", "/body", 413},
		{"GET", "/livez", 200},
		{"GET", "/readyz", 200},
		{"POST", "/livez", 405},
		{"GET", "/%2e%2e/fine", 404},
		{"GET", "/fine%00", 404},
		{"GET", "/v1", 404},
		{"GET", "/v1/", 404},
		{"GET", "/v1/fine", 200},
		{"HEAD", "/v1/fine", 200},
		{"OPTIONS", "/v1/fine", 204},
		{"GET", "/v1/refused", 401},
		{"GET", "/v1/broken", 500},
		{"GET", "/v1/panics", 500},
		{"GET", "/v1/cached", 404},
		{"GET", "/v1/nothing", 404},
		{"DELETE", "/v1/fine", 405},
		{"POST", "/v1/body", 413},
		{"GET", "/v1x", 404},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, at+c.path, strings.NewReader(""))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(c.path, "/body") {
			r, _ = http.NewRequestWithContext(t.Context(), c.method, at+c.path, strings.NewReader("more than ten bytes"))
		}
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		text := body(t, answer)
		name := c.method + " " + c.path
		if answer.StatusCode != c.status {
			t.Errorf("%s: %s, want %d\n%s", name, answer.Status, c.status, text)
		}
		api := c.path == "/v1" || strings.HasPrefix(c.path, "/v1/")
		csp, sandbox := wantPageCSP, ""
		if api {
			csp, sandbox = wantAPICSP, "true"
		}
		for header, want := range map[string]string{
			"Content-Security-Policy": csp, "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
			"Referrer-Policy":            "same-origin",
			"Cross-Origin-Opener-Policy": "same-origin", "Cache-Control": "no-store", "Belfry-Sandbox": sandbox,
			"Access-Control-Allow-Origin": "",
			"Strict-Transport-Security":   "max-age=31536000; includeSubDomains", "Server": "",
		} {
			if got := answer.Header.Get(header); got != want {
				t.Errorf("%s: %s is %q, want %q", name, header, got, want)
			}
		}
		if len(answer.Header.Get("X-Request-Id")) < 20 {
			t.Errorf("%s: X-Request-Id is %q", name, answer.Header.Get("X-Request-Id"))
		}
		if api && c.status >= 400 {
			if got := answer.Header.Get("Content-Type"); got != "application/json" {
				t.Errorf("%s: Content-Type %q", name, got)
			}
		}
		if c.method == "HEAD" && text != "" {
			t.Errorf("%s: has the body %q", name, text)
		}
	}
}

func TestHeadersThatDependOnTheConfiguration(t *testing.T) {
	t.Parallel()
	plain, _ := newServer(t, nil)
	addRoutes(plain)
	h := ask(plain, "GET", "/v1/fine", nil).Header
	if h.Get("Strict-Transport-Security") != "" || h.Get("Belfry-Sandbox") != "" {
		t.Errorf("http and real networks: %v", h)
	}
	for media, want := range map[string]string{
		"http://localhost:8080":            "img-src 'self'; media-src 'self'; connect-src",
		"http://LOCALHOST:8080/x":          "img-src 'self'; media-src 'self'; connect-src",
		"https://media.example.org":        "img-src 'self' https://media.example.org; media-src 'self' https://media.example.org; connect-src",
		"https://media.example.org:443/up": "img-src 'self' https://media.example.org; media-src 'self' https://media.example.org; connect-src",
	} {
		s, _ := newServer(t, func(c *httpd.Config) { c.MediaURL = public(t, media) })
		addRoutes(s)
		if got := ask(s, "GET", "/fine", nil).Header.Get("Content-Security-Policy"); !strings.Contains(got, want) {
			t.Errorf("media at %s: %s", media, got)
		}
	}
}

func TestPagesUnderAnotherLoopbackNameRedirect(t *testing.T) {
	t.Parallel()
	const page = "text/html,application/xhtml+xml;q=0.9"
	for _, c := range []struct {
		name, public, method, host, path, accept, want string
	}{
		{
			"address for a name", "http://localhost:8080", "GET", "127.0.0.1:8080", "/posts?x=1&y=%2F", page,
			"http://localhost:8080/posts?x=1&y=%2F",
		},
		{"IPv6", "http://localhost:8080", "GET", "[::1]:8080", "/", page, "http://localhost:8080/"},
		{"another loopback address", "http://localhost:8080", "HEAD", "127.1.2.3:8080", "/", page, "http://localhost:8080/"},
		{"name for an address", "http://127.0.0.1:8080", "GET", "localhost:8080", "/", page, "http://127.0.0.1:8080/"},
		{
			"path that looks like a host", "http://localhost:8080", "GET", "127.0.0.1:8080", "//evil.example/x", page,
			"http://localhost:8080//evil.example/x",
		},
		{
			"escaped path stays escaped", "http://localhost:8080", "GET", "127.0.0.1:8080", "/a%2Fb", page,
			"http://localhost:8080/a%2Fb",
		},
		{"the right name", "http://localhost:8080", "GET", "localhost:8080", "/", page, ""},
		{"the right name in capitals", "http://localhost:8080", "GET", "LOCALHOST:8080", "/", page, ""},
		{"a write", "http://localhost:8080", "POST", "127.0.0.1:8080", "/", page, ""},
		{"the API", "http://localhost:8080", "GET", "127.0.0.1:8080", "/v1/posts", page, ""},
		{"a program", "http://localhost:8080", "GET", "127.0.0.1:8080", "/readyz", "*/*", ""},
		{"no loopback name", "http://localhost:8080", "GET", "belfry.example.org:8080", "/", page, ""},
		{"a port that is a proxy's doing", "http://localhost:3000", "GET", "127.0.0.1:8080", "/", page, ""},
		{"public elsewhere", "https://belfry.example.org", "GET", "127.0.0.1:8080", "/", page, ""},
	} {
		s, _ := newServer(t, func(cfg *httpd.Config) { cfg.PublicURL = public(t, c.public) })
		s.Echo.Any("/*", ok)
		answer := ask(s, c.method, c.path, func(r *http.Request) {
			r.Host = c.host
			r.Header.Set("Accept", c.accept)
		})
		if got := answer.Header.Get("Location"); got != c.want ||
			(answer.StatusCode == http.StatusTemporaryRedirect) != (c.want != "") {
			t.Errorf("%s: %s to %q, want %q", c.name, answer.Status, got, c.want)
		}
	}
}
