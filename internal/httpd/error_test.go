package httpd_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"belfry/internal/core"
	"belfry/internal/httpd"
)

func TestErrorBodies(t *testing.T) {
	t.Parallel()
	away := errors.New("dial tcp 10.1.1.1:5432: connection refused")
	secret := errors.New(`pq: password "hunter2" is wrong`)
	late := core.Fail(core.CodeRateLimited, "Too many.")
	late.RetryAfter = 7
	for _, c := range []struct {
		name       string
		err        error
		status     int
		body       string
		retryAfter string
		logged     int
	}{
		{"known", core.NotFound(), 404, `{"code":"not_found","message":"Nothing in this workspace has this ID.","hint":"Use an ID from one of this workspace's lists."}`, "", 0},
		{
			"known, wrapped", fmt.Errorf("read post: %w", core.NotFound().WithCause(secret)), 404,
			`{"code":"not_found","message":"Nothing in this workspace has this ID.","hint":"Use an ID from one of this workspace's lists."}`, "", 0,
		},
		{
			"quota", core.NewPostQuotaExceededError(30, 30), 402,
			`{"code":"quota_exceeded","message":"The subscription plan's limit is 30 posts per month, and 30 count toward it.","hint":"Wait until next month, turn posts that were queued this month into drafts, or change the subscription plan.","limit":30,"used":30,"upgradeUrl":"https://example.org/up"}`, "", 0,
		},
		{
			"a plan without it", core.NewFeatureNotIncludedError("the API"), 402,
			`{"code":"quota_exceeded","message":"This workspace's subscription plan does not include the API.","hint":"Change to a subscription plan that includes the API.","limit":0,"used":0,"upgradeUrl":"https://example.org/up"}`, "", 0,
		},
		{"rate", late, 429, `{"code":"rate_limited","message":"Too many."}`, "7", 0},
		{
			"unknown", fmt.Errorf("read post: %w", secret), 500,
			`{"code":"internal","message":"Something went wrong on the server.","hint":"Try again. If it happens again, give the operator the X-Request-Id of this response."}`, "", 1,
		},
		{
			"known as internal, with a cause", core.Fail(core.CodeInternal, "No.").WithCause(secret), 500,
			`{"code":"internal","message":"No."}`, "", 1,
		},
		{
			"database away", fmt.Errorf("read post: %w", away), 503,
			`{"code":"unavailable","message":"The service is temporarily unavailable.","hint":"Try again in a few seconds."}`, "5", 0,
		},
		{
			"body too large", fmt.Errorf("read body: %w", &http.MaxBytesError{Limit: 99}), 413,
			`{"code":"payload_too_large","message":"The body of this request is larger than 99 bytes.","hint":"Send a smaller body. To upload a file, reserve an upload address with POST /media/uploads."}`, "", 0,
		},
		{
			"echo's 400", echo.NewHTTPError(400, "some words of echo"), 400,
			`{"code":"invalid_request","message":"The request is not valid."}`, "", 0,
		},
		{
			"echo's 500", echo.NewHTTPError(502, "hunter2"), 500,
			`{"code":"internal","message":"Something went wrong on the server.","hint":"Try again. If it happens again, give the operator the X-Request-Id of this response."}`, "", 1,
		},
	} {
		s, log := newServer(t, func(cfg *httpd.Config) {
			cfg.UpgradeURL = "https://example.org/up"
			cfg.Unavailable = func(err error) bool { return errors.Is(err, away) }
		})
		s.Echo.GET("/v1/returns", func(echo.Context) error { return c.err })
		answer := ask(s, "GET", "/v1/returns", nil)
		if got := strings.TrimSuffix(body(t, answer), "\n"); answer.StatusCode != c.status || got != c.body {
			t.Errorf("%s: %s\n got %s\nwant %s", c.name, answer.Status, got, c.body)
		}
		if got := answer.Header.Get("Retry-After"); got != c.retryAfter {
			t.Errorf("%s: Retry-After %q, want %q", c.name, got, c.retryAfter)
		}
		failures := log.lines(t, "request failed")
		if len(failures) != c.logged {
			t.Errorf("%s: logged %d times, want %d: %v", c.name, len(failures), c.logged, failures)
		}
		if c.logged > 0 && failures[0]["request_id"] == "" {
			t.Errorf("%s: logged without the request's id", c.name)
		}
		if c.logged > 0 && !strings.Contains(log.text(), "hunter2") {
			t.Errorf("%s: the operator does not learn why", c.name)
		}
	}
}

func TestNobodyIsToldWhenTheClientHasGone(t *testing.T) {
	t.Parallel()
	s, log := newServer(t, nil)
	s.Echo.GET("/v1/x", func(c echo.Context) error { return fmt.Errorf("query: %w", c.Request().Context().Err()) })
	ask(s, "GET", "/v1/x", func(r *http.Request) {
		ctx, cancel := context.WithCancel(r.Context())
		cancel()
		*r = *r.WithContext(ctx)
	})
	if len(log.lines(t, "request failed")) != 0 {
		t.Error(log.text())
	}
}

func TestUnknownPathsAndWrongMethods(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t, func(cfg *httpd.Config) {
		cfg.ErrorPage = func(c echo.Context, e *core.Error) error {
			return c.HTML(httpd.Status(e.Code), "<p>"+string(e.Code)+"</p>")
		}
	})
	noop := func(next echo.HandlerFunc) echo.HandlerFunc { return next }
	api := s.Echo.Group("/v1", noop)
	api.GET("/posts", ok)
	api.POST("/posts", ok)
	api.DELETE("/posts/:id", ok)
	pages := s.Echo.Group("", noop)
	pages.GET("/posts", ok)
	for _, c := range []struct {
		method, path string
		status       int
		allow, body  string
	}{
		{"GET", "/v1/nothing", 404, "", `{"code":"not_found","message":"There is no page or route at this address.","hint":"Check the path. /docs/api lists all routes."}`},
		{"GET", "/v1/posts/", 404, "", `{"code":"not_found","message":"There is no page or route at this address.","hint":"Remove the slash at the end of the path."}`},
		{
			"PUT", "/v1/posts", 405, "GET,POST,HEAD",
			`{"code":"method_not_allowed","message":"This address does not support PUT.","hint":"Use GET, POST."}`,
		},
		{"GET", "/v1/posts/x", 405, "DELETE", ""},
		{"HEAD", "/v1/posts/x", 405, "DELETE", ""},
		{"GET", "/nothing", 404, "", "<p>not_found</p>"},
		{"POST", "/posts", 405, "GET,HEAD", "<p>method_not_allowed</p>"},
		{"GET", "/v1nothing", 404, "", "<p>not_found</p>"},
	} {
		answer := ask(s, c.method, c.path, nil)
		if answer.StatusCode != c.status {
			t.Errorf("%s %s: %s", c.method, c.path, answer.Status)
		}
		allow := strings.Join(answer.Header.Values("Allow"), ",")
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"} {
			want := false
			for m := range strings.SplitSeq(c.allow, ",") {
				want = want || m == method
			}
			if strings.Contains(allow, method) != want {
				t.Errorf("%s %s: Allow is %q, want %q", c.method, c.path, allow, c.allow)
			}
		}
		if got := strings.TrimSpace(body(t, answer)); c.body != "" && got != c.body {
			t.Errorf("%s %s: %s", c.method, c.path, got)
		}
	}
}

func TestErrorPageHasALastResort(t *testing.T) {
	t.Parallel()
	for name, page := range map[string]func(echo.Context, *core.Error) error{
		"none":   nil,
		"fails":  func(echo.Context, *core.Error) error { return errors.New("template") },
		"panics": func(echo.Context, *core.Error) error { panic("template") },
		"headers": func(c echo.Context, _ *core.Error) error {
			c.Response().Header().Set("Content-Type", "text/html")
			return errors.New("x")
		},
	} {
		s, _ := newServer(t, func(cfg *httpd.Config) { cfg.ErrorPage = page })
		answer := ask(s, "GET", "/nothing", nil)
		id := answer.Header.Get("X-Request-Id")
		if got := body(t, answer); answer.StatusCode != 404 ||
			answer.Header.Get("Content-Type") != "text/plain; charset=utf-8" ||
			got != "There is no page or route at this address.\nCheck the path.\n\nRequest "+id+"\n" {
			t.Errorf("%s: %s %v\n%s", name, answer.Status, answer.Header, got)
		}
	}
}

// What a handler said of the answer that it then did not give must not describe the error.
func TestErrorTakesBackTheHandlersHeaders(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t, nil)
	s.Echo.GET("/v1/x", func(c echo.Context) error {
		for _, name := range []string{"Content-Length", "Content-Encoding", "Content-Disposition", "ETag", "Last-Modified", "Cache-Control"} {
			c.Response().Header().Set(name, "1")
		}
		return core.NotFound()
	})
	h := ask(s, "GET", "/v1/x", nil).Header
	for _, name := range []string{"Content-Length", "Content-Encoding", "Content-Disposition", "ETag", "Last-Modified"} {
		if h.Get(name) != "" {
			t.Errorf("%s stays", name)
		}
	}
	if h.Get("Cache-Control") != "no-store" || h.Get("Content-Type") != "application/json" {
		t.Error(h)
	}
}
