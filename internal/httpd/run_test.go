package httpd_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"

	"belfry/internal/core"
	"belfry/internal/httpd"
)

func limited(after int) error {
	e := core.Fail(core.CodeRateLimited, "Too many requests.")
	e.RetryAfter = after
	return e
}

func get(t *testing.T, address string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", address, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	return answer, body(t, answer)
}

func TestHealth(t *testing.T) {
	t.Parallel()
	sick := make(chan error, 1)
	s, log := newServer(t, func(c *httpd.Config) {
		c.Version = "1.2.3"
		c.Ready = func(context.Context) error { return <-sick }
	})
	at := start(t, s)
	answer, text := get(t, at+"/livez")
	if answer.StatusCode != 200 || answer.Header.Get("Belfry-Version") != "1.2.3" ||
		strings.TrimSpace(text) != `{"live":true}` {
		t.Error(answer.Status, text)
	}
	for _, err := range []error{nil, errors.New("database hunter2 is away"), errors.New("database hunter2 is away"), nil} {
		sick <- err
		status, want := 200, `{"ready":true}`
		if err != nil {
			status, want = 503, `{"ready":false}`
		}
		answer, text := get(t, at+"/readyz")
		if answer.StatusCode != status || strings.TrimSpace(text) != want || answer.Header.Get("Belfry-Version") != "1.2.3" {
			t.Errorf("%v: %s %s", err, answer.Status, text)
		}
	}
	if n := len(log.lines(t, "not ready")); n != 1 || !strings.Contains(log.text(), "hunter2") {
		t.Errorf("the reason was logged %d times, want once", n)
	}
	if n := len(log.lines(t, "ready")); n != 1 {
		t.Errorf("the recovery was logged %d times", n)
	}
}

// Every start logged a warning, because no worker had reported yet.
func TestAServiceThatStartsIsNoReasonToWarn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		answer := errors.New("no worker has reported")
		s, log := newServer(t, func(c *httpd.Config) { c.Ready = func(context.Context) error { return answer } })
		expect := func(when string, warnings int) {
			t.Helper()
			ask(s, "GET", "/readyz", nil)
			if n := strings.Count(log.text(), `"WARN"`); n != warnings {
				t.Errorf("%s: %d warnings, want %d:\n%s", when, n, warnings, log.text())
			}
		}
		expect("at the start", 0)
		time.Sleep(31 * time.Second) //nolint:forbidigo // within synctest, where time passes at once
		expect("after too long a start", 1)
		expect("for the same reason", 1)
		answer = nil
		expect("ready", 1)
		answer = errors.New("no worker has reported")
		expect("not ready again", 2)

		s, log = newServer(t, func(c *httpd.Config) { c.Ready = func(context.Context) error { return answer } })
		answer = nil
		expect("ready at once", 0)
		answer = errors.New("the database is away")
		expect("not ready soon after", 1)
	})
}

func TestAClientThatHangsUpDoesNotMakeTheServiceUnready(t *testing.T) {
	t.Parallel()
	s, log := newServer(t, func(c *httpd.Config) { c.Ready = context.Context.Err })
	gone, hangUp := context.WithCancel(t.Context())
	hangUp()
	ask(s, "GET", "/readyz", func(r *http.Request) { *r = *r.WithContext(gone) })
	if lines := log.lines(t, "not ready"); len(lines) > 0 {
		t.Errorf("it was logged: %v", lines)
	}
}

func TestReadinessGivesUpAfterTwoSeconds(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t, func(c *httpd.Config) {
		c.Ready = func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}
	})
	begun := time.Now()
	if r := ask(s, "GET", "/readyz", nil); r.StatusCode != 503 {
		t.Error(r.Status)
	}
	if took := time.Since(begun); took < 1900*time.Millisecond || took > 4*time.Second {
		t.Errorf("took %s", took)
	}
}

func TestStopIsGentle(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t, func(c *httpd.Config) { c.Drain = 300 * time.Millisecond })
	entered, release := make(chan struct{}), make(chan struct{})
	s.Echo.GET("/slow", func(c echo.Context) error {
		close(entered)
		<-release
		if err := c.Request().Context().Err(); err != nil {
			return err
		}
		return c.String(200, "done")
	})
	if err := s.Listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	at := "http://" + s.Addr()
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- s.Run(ctx) }()

	slow := make(chan string, 1)
	go func() {
		answer, err := http.Get(at + "/slow")
		if err != nil {
			slow <- err.Error()
			return
		}
		defer answer.Body.Close()
		b, _ := io.ReadAll(answer.Body)
		slow <- answer.Status + " " + string(b)
	}()
	<-entered
	stop()
	// While it drains it says that it is not ready, and serves all the same.
	eventually(t, "readyz red", func() bool {
		answer, _ := get(t, at+"/readyz")
		return answer.StatusCode == 503
	})
	if answer, _ := get(t, at+"/livez"); answer.StatusCode != 200 {
		t.Error("a draining server refuses a request")
	}
	// Then it takes no new connection, and waits for the request under way.
	eventually(t, "port closed", func() bool {
		conn, err := net.DialTimeout("tcp", s.Addr(), time.Second)
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	})
	select {
	case err := <-stopped:
		t.Fatalf("stopped (%v) with a request under way", err)
	default:
	}
	close(release)
	if got := <-slow; got != "200 OK done" {
		t.Error(got)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

func TestTakenPortIsToldClearly(t *testing.T) {
	t.Parallel()
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	_, port, _ := net.SplitHostPort(other.Addr().String())
	s, _ := newServer(t, func(c *httpd.Config) { c.Addr = other.Addr().String() })
	want := "port " + port + " is in use: stop the other program, or set BELFRY_ADDR to an address with another port"
	if err := s.Listen(t.Context()); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if err := s.Run(t.Context()); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	m := httpd.NewMetricsServer(other.Addr().String(), prometheus.NewRegistry(), slog.New(slog.DiscardHandler))
	if err := m.Run(t.Context()); err == nil || err.Error() != "port "+port+
		" is in use: stop the other program, or set BELFRY_METRICS_ADDR to an address with another port" {
		t.Error(err)
	}
	for _, bad := range []string{"nowhere", "127.0.0.1:99999", "192.0.2.1:0"} {
		s, _ := newServer(t, func(c *httpd.Config) { c.Addr = bad })
		if err := s.Listen(t.Context()); err == nil || !strings.Contains(err.Error(), "BELFRY_ADDR") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestMetricsHaveTheirOwnAddress(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	count := prometheus.NewCounter(prometheus.CounterOpts{Name: "belfry_test_total", Help: "Test."})
	registry.MustRegister(count)
	count.Inc()
	m := httpd.NewMetricsServer("127.0.0.1:0", registry, slog.New(slog.DiscardHandler))
	if err := m.Listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- m.Run(ctx) }()
	answer, text := get(t, "http://"+m.Addr()+"/metrics")
	if answer.StatusCode != 200 || !strings.Contains(text, "belfry_test_total 1\n") {
		t.Error(answer.Status, text)
	}
	if answer, _ := get(t, "http://"+m.Addr()+"/livez"); answer.StatusCode != 404 {
		t.Error(answer.Status)
	}
	stop()
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	s, _ := newServer(t, nil)
	if answer := ask(s, "GET", "/metrics", nil); answer.StatusCode != 404 {
		t.Errorf("the public address answers /metrics: %s", answer.Status)
	}
}
