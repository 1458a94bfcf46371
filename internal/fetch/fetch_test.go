package fetch

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"belfry/internal/fetch/fetchtest"
)

func TestFileComesWithWhatIsKnownOfIt(t *testing.T) {
	t.Parallel()
	w := fetchtest.New(t, func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("ETag", `"v1"`)
		http.ServeContent(rw, r, "", time.Time{}, strings.NewReader("0123456789"))
	})
	c := client(w, quick())
	f, err := c.Get(t.Context(), "https://example.com:443/some/caf%C3%A9.jpg?token=x#part", 10)
	if err != nil {
		t.Fatal(err)
	}
	if got := readAll(t, f); got != "0123456789" || f.Length != 10 || f.Offset != 0 || f.Name != "café.jpg" ||
		f.Validator != `"v1"` {
		t.Errorf("%q, %+v", got, f)
	}
	sent := w.Asked()[0]
	if sent.UserAgent() != "Belfry" || sent.Header.Get("Accept-Encoding") != "identity" || sent.Header.Get("Range") != "" {
		t.Errorf("sent %v", sent.Header)
	}
	f, err = c.GetRestOrWhole(t.Context(), "https://example.com/", 10, 4, f.Validator)
	if err != nil {
		t.Fatal(err)
	}
	if got := readAll(t, f); got != "456789" || f.Length != 6 || f.Offset != 4 || f.Validator != `"v1"` {
		t.Errorf("resumed: %q, %+v", got, f)
	}
	f, err = c.GetRestOrWhole(t.Context(), "https://example.com/", 10, 4, `"v0"`)
	if err != nil {
		t.Fatal(err)
	}
	if got := readAll(t, f); got != "0123456789" || f.Offset != 0 {
		t.Errorf("a file that changed: %q, %+v", got, f)
	}
}

func TestAnswersThatBringNoFile(t *testing.T) {
	t.Parallel()
	for status, transient := range map[int]bool{
		204: false, 206: false, 300: false, 304: false, 400: false, 401: false, 403: false, 404: false, 408: true, 410: false,
		416: false, 429: true, 500: true, 502: true, 503: true, 504: true,
	} {
		w := fetchtest.New(t, func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Range", "bytes 7-9/10")
			rw.WriteHeader(status)
		})
		_, err := client(w, quick()).GetRestOrWhole(t.Context(), "https://example.com/", 10, 4, `"v1"`)
		if failed := new(Error); !errors.As(err, &failed) || failed.Transient != transient {
			t.Errorf("%d: %v", status, err)
		}
	}
}

func TestFileOfTooManyBytes(t *testing.T) {
	t.Parallel()
	w := fetchtest.New(t, func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/unsaid" {
			rw.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(rw).Flush()
		}
		_, _ = rw.Write(make([]byte, 1001))
	})
	c := client(w, quick())
	if _, err := c.Get(t.Context(), "https://example.com/said", 1000); err != ErrTooLarge { //nolint:errorlint // nothing around it
		t.Errorf("said: %v", err)
	}
	if _, err := c.GetRestOrWhole(t.Context(), "https://example.com/said", 1000, 1001, "x"); err != ErrTooLarge { //nolint:errorlint // nothing around it
		t.Errorf("more than that before: %v", err)
	}
	for limit, want := range map[int64]error{1000: ErrTooLarge, 1001: nil} {
		f, err := c.Get(t.Context(), "https://example.com/unsaid", limit)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(f)
		f.Close()
		if !errors.Is(err, want) || int64(len(got)) != limit || f.Length != -1 {
			t.Errorf("unsaid, %d allowed: %d bytes, %v", limit, len(got), err)
		}
	}
}

// stuck answers with a few bytes, and then with what give does until the client has gone.
func stuck(t *testing.T, give func(rw io.Writer, flush func(), gone <-chan struct{})) *fetchtest.World {
	t.Helper()
	return fetchtest.New(t, func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Length", "1000000")
		_, _ = rw.Write([]byte("start"))
		flush := func() { _ = http.NewResponseController(rw).Flush() }
		flush()
		give(rw, flush, r.Context().Done())
	})
}

func TestDownloadsThatStopOrCrawlEnd(t *testing.T) {
	t.Parallel()
	silent := func(_ io.Writer, _ func(), gone <-chan struct{}) { <-gone }
	crawling := func(rw io.Writer, flush func(), gone <-chan struct{}) {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				_, _ = rw.Write([]byte("x"))
				flush()
			case <-gone:
				return
			}
		}
	}
	broken := func(io.Writer, func(), <-chan struct{}) {}
	for name, c := range map[string]struct {
		give func(io.Writer, func(), <-chan struct{})
		set  func(*limits)
		want error
	}{
		"silent":     {silent, func(b *limits) { b.idleTimeout = 50 * time.Millisecond }, errIdle},
		"crawling":   {crawling, func(b *limits) { b.rateGrace, b.minRate = 50*time.Millisecond, 1<<20 }, errSlow},
		"too long":   {crawling, func(b *limits) { b.totalTimeout = 200 * time.Millisecond }, context.DeadlineExceeded},
		"broken off": {broken, func(*limits) {}, io.ErrUnexpectedEOF},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := quick()
			c.set(&b)
			f, err := client(stuck(t, c.give), b).Get(t.Context(), "https://example.com/", 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			got, err := io.ReadAll(f)
			failed := new(Error)
			if !errors.As(err, &failed) || !failed.Transient || !errors.Is(err, c.want) ||
				!bytes.HasPrefix(got, []byte("start")) {
				t.Errorf("%d bytes, %v (%v)", len(got), err, errors.Unwrap(err))
			}
		})
	}
}

func TestNoAnswerAtAll(t *testing.T) {
	t.Parallel()
	w := fetchtest.New(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	b := quick()
	b.headerTimeout = 50 * time.Millisecond
	_, err := client(w, b).Get(t.Context(), "https://example.com/", 1)
	if failed := new(Error); !errors.As(err, &failed) || !failed.Transient {
		t.Error(err)
	}
}

func TestDownloadEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	f, err := client(stuck(t, func(_ io.Writer, _ func(), gone <-chan struct{}) { <-gone }), quick()).Get(ctx, "https://example.com/", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cancel()
	if _, err := io.ReadAll(f); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ disposition, path, want string }{
		{"", "/a/b.jpg", "b.jpg"},
		{"", "/a/", "a"},
		{"", "/", ""},
		{"", "", ""},
		{`attachment; filename="x.mp4"`, "/b.jpg", "x.mp4"},
		{`attachment; filename*=UTF-8''caf%C3%A9.jpg`, "/b.jpg", "café.jpg"},
		{`attachment; filename="../../etc/passwd"`, "/b.jpg", "passwd"},
		{`attachment; filename="C:\\Users\\me\\x.png"`, "/b.jpg", "x.png"},
		{`attachment; filename=".."`, "/b.jpg", "b.jpg"},
		{`attachment; filename=".htaccess"`, "/b.jpg", "htaccess"},
		{`attachment; filename*=UTF-8''a%00b%0d%0ac%e2%80%aed.jpg`, "/b.jpg", "abcd.jpg"},
		{`attachment; filename*=UTF-8''%ff%fe`, "/b.jpg", "b.jpg"},
		{`;;;`, "/b.jpg", "b.jpg"},
		{"", "/" + strings.Repeat("é", 300), strings.Repeat("é", 200)},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://example.com", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.URL.Path = c.path
		answer := &http.Response{Request: r, Header: http.Header{"Content-Disposition": {c.disposition}}}
		if got := fileName(answer); got != c.want {
			t.Errorf("%q of %q: %q, want %q", c.disposition, c.path, got, c.want)
		}
	}
}

func TestCheckLooksAtTheFormAlone(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"https://example.com", "https://example.com:443/a?b#c", "HTTPS://example.com/ä", "https://93.184.215.14/", "https://localhost/", "https://127.1/"} {
		if _, err := CheckAddressWithoutLookup(address); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	literal := []string{
		"https://127.0.0.1/", "https://10.0.0.1:443/a", "https://[::1]/", "https://[fe80::1%25eth0]/",
		"https://[::ffff:169.254.169.254]/",
	}
	for _, address := range append(literal, fetchtest.Misshapen()...) {
		if _, err := CheckAddressWithoutLookup(address); err != ErrAddress { //nolint:errorlint // nothing around it
			t.Errorf("%q: %v", address, err)
		}
	}
}
