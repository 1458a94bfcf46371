package httpd_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/labstack/echo/v4"

	"belfry/internal/httpd"
)

// dial opens a connection to a server, which the test speaks HTTP on by hand.
func dial(t *testing.T, at string) net.Conn {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(at, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func TestBodyLimit(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t, nil)
	s.Echo.POST("/v1/x", func(c echo.Context) error {
		b, err := io.ReadAll(c.Request().Body)
		if err != nil {
			return fmt.Errorf("read body: %w", err)
		}
		return c.String(200, fmt.Sprint(len(b)))
	}, httpd.LimitBody(httpd.MaxJSONBytes))
	at := start(t, s)
	for _, c := range []struct {
		name      string
		size      int
		announced bool
		status    int
	}{
		{"1 MiB", 1 << 20, true, 200},
		{"1 MiB in chunks", 1 << 20, false, 200},
		{"a byte more", 1<<20 + 1, true, 413},
		{"a byte more in chunks", 1<<20 + 1, false, 413},
		{"nothing", 0, true, 200},
	} {
		var sent io.Reader = strings.NewReader(strings.Repeat("a", c.size))
		if !c.announced {
			sent = io.MultiReader(sent) // hides the length
		}
		r, err := http.NewRequestWithContext(t.Context(), "POST", at+"/v1/x", sent)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		got := body(t, answer)
		if answer.StatusCode != c.status ||
			(c.status == 413 && !strings.Contains(got, `"message":"The body of this request is larger than 1048576 bytes."`)) {
			t.Errorf("%s: %s %s", c.name, answer.Status, got)
		}
	}
}

// A client that announces far too much is told so before it sends a byte.
func TestAnnouncedBodyIsRefusedUnread(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t, nil)
	s.Echo.POST("/v1/x", ok, httpd.LimitBody(httpd.MaxJSONBytes))
	conn := dial(t, start(t, s))
	fmt.Fprint(conn, "POST /v1/x HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000000\r\n\r\n")
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != 413 || !answer.Close {
		t.Error(answer.Status, answer.Close)
	}
}

// A client that writes its whole body before it reads must find the answer, not a connection that was reset.
func TestClientThatIsStillWritingSeesThatItsBodyIsTooLarge(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t, nil)
	s.Echo.POST("/v1/x", func(c echo.Context) error {
		_, err := io.ReadAll(c.Request().Body)
		return err
	}, httpd.LimitBody(httpd.MaxJSONBytes))
	at := start(t, s)
	const size = 6 << 20
	chunk := strings.Repeat("a", size/16)
	for i := range 15 {
		conn := dial(t, at)
		var err error
		if i%3 == 0 {
			_, err = fmt.Fprintf(conn, "POST /v1/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
			for range 16 {
				_, written := fmt.Fprintf(conn, "%x\r\n%s\r\n", len(chunk), chunk)
				err = errors.Join(err, written)
			}
			_, written := fmt.Fprint(conn, "0\r\n\r\n")
			err = errors.Join(err, written)
		} else {
			_, err = fmt.Fprintf(conn, "POST /v1/x HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", size, strings.Repeat("a", size))
		}
		if err != nil {
			t.Fatalf("time %d: the body cannot be written: %v", i, err)
		}
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("time %d: no answer: %v", i, err)
		}
		if answer.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("time %d: %s", i, answer.Status)
		}
		_ = answer.Body.Close()
	}
}

func TestClientThatAsksBeforeItSendsIsRefusedUnread(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t, nil)
	s.Echo.POST("/v1/x", ok, httpd.LimitBody(httpd.MaxJSONBytes))
	conn := dial(t, start(t, s))
	fmt.Fprint(conn, "POST /v1/x HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2000000\r\n\r\n")
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusRequestEntityTooLarge {
		t.Error(answer.Status)
	}
}

// closed reads until the server closes, and tells how long that took.
func closed(t *testing.T, conn net.Conn) time.Duration {
	t.Helper()
	begun := time.Now()
	if err := conn.SetReadDeadline(begun.Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	_, err := io.ReadAll(conn)
	if errors.Is(err, net.ErrClosed) || (err != nil && strings.Contains(err.Error(), "timeout")) {
		t.Fatalf("the server keeps the connection: %v", err)
	}
	return time.Since(begun)
}

func TestSlowHeaderIsCut(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t, nil)
	conn := dial(t, start(t, s))
	fmt.Fprint(conn, "GET /livez HTTP/1.1\r\nHost: x\r\nX-Slow: ")
	if took := closed(t, conn); took < 4*time.Second || took > 8*time.Second {
		t.Errorf("cut after %s, want 5 s", took)
	}
}

func TestHugeHeaderIsRefused(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t, nil)
	at := start(t, s)
	for size, want := range map[int]int{20 << 10: 200, 64 << 10: 431} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", at+"/livez", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Huge", strings.Repeat("a", size))
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body(t, answer)
		if answer.StatusCode != want {
			t.Errorf("%d bytes: %s", size, answer.Status)
		}
	}
}

func TestASlowBodyIsCut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, _ := newServer(t, nil)
		read := make(chan error, 1)
		s.Echo.POST("/v1/x", func(c echo.Context) error {
			_, err := io.ReadAll(c.Request().Body)
			read <- err
			return err
		})
		began := time.Now()
		near := piped(t, s)
		fmt.Fprint(near, "POST /v1/x HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf")
		if err := <-read; err == nil || time.Since(began) != 30*time.Second {
			t.Errorf("cut after %s: %v", time.Since(began), err)
		}
	})
}

// lazy is a disk that takes its time for every piece.
type lazy struct{ *strings.Reader }

func (l lazy) Read(b []byte) (int, error) {
	<-time.After(40 * time.Second)
	return l.Reader.Read(b)
}

func (l lazy) Write(b []byte) (int, error) {
	<-time.After(40 * time.Second)
	return len(b), nil
}

// The pace of a transfer is that of the other side: how long a disk or a bucket of ours takes in between costs it
// nothing. An upload broke off when a bucket took half a minute for a part.
func TestATransferIsHeldToTheOtherSidesPace(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	content := strings.Repeat("a", size)
	for name, c := range map[string]struct {
		request string
		cut     bool // after half a minute
	}{
		"an upload to a slow disk": {fmt.Sprintf("PUT /in HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", size,
			content), false},
		"a download from a slow disk": {"GET /out HTTP/1.1\r\nHost: x\r\n\r\n", false},
		"a sender who stops": {
			fmt.Sprintf("PUT /stop HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\nhalf", size),
			true,
		},
		"a receiver who takes nothing": {"GET /stop HTTP/1.1\r\nHost: x\r\n\r\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, _ := newServer(t, nil)
				moved := make(chan int64, 1)
				take := func(to io.Writer) echo.HandlerFunc {
					return func(c echo.Context) error {
						from := httpd.MinRateBody(c)
						n, err := io.Copy(to, from)
						if err == nil { // all has come, as one more look shows, and is still to be made safe
							_, _ = from.Read(make([]byte, 1))
							<-time.After(time.Minute)
							err = c.Request().Context().Err()
						}
						if err != nil && n == size {
							t.Errorf("it has come: %v", err)
						}
						moved <- n
						return err
					}
				}
				give := func(from io.ReadSeeker) echo.HandlerFunc {
					return func(c echo.Context) error {
						http.ServeContent(c.Response(), c.Request(), "", time.Time{}, httpd.MinRateContent(c, from))
						moved <- c.Response().Size
						return nil
					}
				}
				s.Echo.PUT("/in", take(lazy{}), httpd.LiftTimeLimits(0))
				s.Echo.PUT("/stop", take(io.Discard), httpd.LiftTimeLimits(0))
				s.Echo.GET("/out", give(lazy{strings.NewReader(content)}), httpd.LiftTimeLimits(time.Minute))
				s.Echo.GET("/stop", give(strings.NewReader(content)), httpd.LiftTimeLimits(time.Minute))
				began := time.Now()
				near := piped(t, s)
				go func() { _, _ = io.WriteString(near, c.request) }()
				if !c.cut {
					go func() { _, _ = io.Copy(io.Discard, near) }()
				}
				if n := <-moved; c.cut != (n < size) || c.cut && time.Since(began) != 30*time.Second {
					t.Errorf("%d bytes in %s", n, time.Since(began))
				}
				_ = near.Close()
				<-time.After(time.Second) // for which the server keeps a connection that it closes
			})
		})
	}
}

// clocked is a connection that remembers the deadlines set on it.
type clocked struct {
	*httptest.ResponseRecorder
	read, write time.Time
}

func (c *clocked) SetReadDeadline(at time.Time) error  { c.read = at; return nil }
func (c *clocked) SetWriteDeadline(at time.Time) error { c.write = at; return nil }

func TestEveryRequestHasDeadlines(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t, nil)
	s.Echo.GET("/usual", ok)
	s.Echo.GET("/upload", ok, httpd.LiftTimeLimits(0))
	for path, want := range map[string][2]time.Duration{"/usual": {30 * time.Second, time.Minute}, "/nothing": {30 * time.Second, time.Minute}, "/upload": {}} {
		w := &clocked{ResponseRecorder: httptest.NewRecorder()}
		now := time.Now()
		s.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		for i, got := range []time.Time{w.read, w.write} {
			if want[i] == 0 && got.IsZero() {
				continue
			}
			if d := got.Sub(now) - want[i]; d < 0 || d > 5*time.Second {
				t.Errorf("%s: deadline %d is %s away, want %s", path, i, got.Sub(now), want[i])
			}
		}
	}
}

// The time of one request must not be what is left of another's on the same connection.
func TestEachRequestOfAConnectionHasItsOwnTime(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t, nil)
	s.Echo.GET("/short", ok, httpd.LiftTimeLimits(30*time.Millisecond))
	late := make(chan struct{})
	s.Echo.GET("/long", func(c echo.Context) error {
		<-late
		return c.String(200, strings.Repeat("a", 1<<20))
	})
	conn := dial(t, start(t, s))
	reader := bufio.NewReader(conn)
	fmt.Fprint(conn, "GET /short HTTP/1.1\r\nHost: x\r\n\r\n")
	first, err := http.ReadResponse(reader, nil)
	if err != nil {
		t.Fatal(err)
	}
	body(t, first)
	fmt.Fprint(conn, "GET /long HTTP/1.1\r\nHost: x\r\n\r\n")
	time.AfterFunc(100*time.Millisecond, func() { close(late) })
	second, err := http.ReadResponse(reader, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := body(t, second); len(got) != 1<<20 {
		t.Errorf("%d bytes arrived", len(got))
	}
}

func TestRateLimitHeaders(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t, nil)
	s.Echo.GET("/v1/one", func(c echo.Context) error {
		httpd.AddRateLimitHeaders(c, "address", 600, 10*time.Minute, 588, 412*time.Second)
		httpd.AddRateLimitPolicyHeader(c, "post-create", 60, time.Hour)
		return ok(c)
	})
	s.Echo.GET("/v1/both", func(c echo.Context) error {
		httpd.AddRateLimitHeaders(c, "address", 600, 10*time.Minute, 588, 412*time.Second)
		httpd.AddRateLimitPolicyHeader(c, "post-create", 60, time.Hour)
		httpd.AddRateLimitHeaders(c, "post-create", 60, time.Hour, 59, 3599*time.Second+time.Nanosecond)
		return ok(c)
	})
	s.Echo.GET("/v1/refused", func(c echo.Context) error {
		httpd.AddRateLimitHeaders(c, "address", 600, 10*time.Minute, 588, 412*time.Second)
		httpd.AddRateLimitHeaders(c, "post-create", 60, time.Hour, -1, 900*time.Millisecond)
		return limited(0)
	})
	s.Echo.GET("/v1/later", func(c echo.Context) error {
		httpd.AddRateLimitHeaders(c, "address", 600, 10*time.Minute, 0, -time.Second)
		return limited(9)
	})
	for path, want := range map[string][3]string{
		"/v1/one": {`"address";q=600;w=600, "post-create";q=60;w=3600`, `"address";r=588;t=412`, ""},
		"/v1/both": {
			`"address";q=600;w=600, "post-create";q=60;w=3600`,
			`"address";r=588;t=412, "post-create";r=59;t=3600`, "",
		},
		"/v1/refused": {
			`"address";q=600;w=600, "post-create";q=60;w=3600`, `"address";r=588;t=412, "post-create";r=0;t=1`,
			"1",
		},
		"/v1/later": {`"address";q=600;w=600`, `"address";r=0;t=0`, "9"},
		"/livez":    {},
	} {
		h := ask(s, "GET", path, nil).Header
		if got := [3]string{h.Get("RateLimit-Policy"), h.Get("RateLimit"), h.Get("Retry-After")}; got != want {
			t.Errorf("%s:\n got %q\nwant %q", path, got, want)
		}
	}
}

// What a request waits for, such as a database that does not answer, holds it no longer than it may take to
// arrive, whether or not it has a body that nobody has read yet; a route of its own time is left alone.
func TestAHandlerIsNotHeldForEver(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		request string
		status  int
	}{
		{"GET /held HTTP/1.1\r\nHost: x\r\n\r\n", 503},
		{"POST /held HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}", 503},
		{"GET /long HTTP/1.1\r\nHost: x\r\n\r\n", 200},
		{"PUT /long HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}", 200},
	} {
		t.Run(c.request[:9], func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, _ := newServer(t, nil)
				wait := func(c echo.Context) error {
					select {
					case <-c.Request().Context().Done():
						return c.Request().Context().Err()
					case <-time.After(10 * time.Minute):
						return c.NoContent(200)
					}
				}
				s.Echo.Any("/held", wait)
				s.Echo.Any("/long", wait, httpd.LiftTimeLimits(0))
				near := piped(t, s)
				go func() { _, _ = io.WriteString(near, c.request) }()
				answer, err := http.ReadResponse(bufio.NewReader(near), nil)
				if err != nil {
					t.Fatal(err)
				}
				if answer.StatusCode != c.status || c.status == 503 && answer.Header.Get("Retry-After") == "" {
					t.Errorf("answered %s, Retry-After %q", answer.Status, answer.Header.Get("Retry-After"))
				}
			})
		})
	}
}

// piped is a connection to a server within the test's own time.
func piped(t *testing.T, handler http.Handler) net.Conn {
	t.Helper()
	near, far := net.Pipe()
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(&pipe{conn: far, done: make(chan struct{})}) }()
	t.Cleanup(func() { _ = server.Close() })
	return near
}

// pipe is a listener of one connection.
type pipe struct {
	conn net.Conn
	done chan struct{}
	once sync.Once
}

func (p *pipe) Accept() (net.Conn, error) {
	if conn := p.conn; conn != nil {
		p.conn = nil
		return conn, nil
	}
	<-p.done
	return nil, net.ErrClosed
}

func (p *pipe) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

func (p *pipe) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }
