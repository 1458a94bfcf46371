package network_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
)

func parsed(t *testing.T, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func serve(t *testing.T, answer http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	return s
}

func client(t *testing.T, cfg network.ClientConfig) *network.Client {
	t.Helper()
	c := network.NewClient(cfg)
	t.Cleanup(c.CloseIdleConnections)
	return c
}

func kindOf(t *testing.T, err error) network.ErrorKind {
	t.Helper()
	var e *network.Error
	if !errors.As(err, &e) {
		t.Fatalf("want an error of a network, got %T: %v", err, err)
	}
	return e.Kind
}

const ok = `{"ok": true}`

func TestCallsGoBehindNetworksURL(t *testing.T) {
	t.Parallel()
	var seen string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen = r.Method + " " + r.RequestURI + " " + r.Header.Get("Authorization") + " " + r.FormValue("text")
		_, _ = io.WriteString(w, ok)
	})
	for _, base := range []string{s.URL, s.URL + "/", s.URL + "/sandbox", s.URL + "/sandbox/"} {
		c := client(t, network.ClientConfig{NetworksURL: parsed(t, base)})
		resp, err := c.CallOnce(t.Context(), network.Request{
			Method: http.MethodPost, URL: "https://graph.example.net/v1.0/a%2Fb/../c?x=1&y=%2F", Query: url.Values{"z": {"2"}},
			Form: url.Values{"text": {"a&b"}}, Token: "the-token-itself",
		})
		if err != nil || resp.Status != http.StatusOK {
			t.Fatalf("%s: %v", base, err)
		}
		prefix := strings.TrimSuffix(strings.TrimPrefix(base, s.URL), "/")
		want := "POST " + prefix + "/graph.example.net/v1.0/a%2Fb/../c?x=1&y=%2F&z=2 Bearer the-token-itself a&b"
		if seen != want {
			t.Errorf("%s: want %q, got %q", base, want, seen)
		}
	}
}

func TestBrowseMapsNetworksOnly(t *testing.T) {
	t.Parallel()
	onReal := client(t, network.ClientConfig{})
	inside := client(t,
		network.ClientConfig{
			NetworksURL: parsed(t, "http://127.0.0.1:8081"),
			BrowseURL:   parsed(t, "https://belfry.example/sandbox"),
		})
	same := client(t, network.ClientConfig{NetworksURL: parsed(t, "http://127.0.0.1:8081/")})
	for _, c := range []struct {
		client     *network.Client
		give, want string
	}{
		{onReal, "https://www.threads.net/@a/post/B", "https://www.threads.net/@a/post/B"},
		{
			inside, "https://www.threads.net/@a/post/B?x=%20#c",
			"https://belfry.example/sandbox/www.threads.net/@a/post/B?x=%20#c",
		},
		{inside, "https://belfry.example/sandbox/www.threads.net/@a", "https://belfry.example/sandbox/www.threads.net/@a"},
		{same, "https://www.threads.net/@a", "http://127.0.0.1:8081/www.threads.net/@a"},
		{same, "http://localhost:8080/accounts", "http://localhost:8080/accounts"},
		{same, "", ""},
		{same, "https://", "https://"},
		{same, "://", "://"},
	} {
		if got := c.client.BrowserURL(c.give); got != c.want {
			t.Errorf("%s: want %s, got %s", c.give, c.want, got)
		}
	}
}

func TestWhatMustNotBeSentIsNotSent(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		_, _ = io.WriteString(w, ok)
	})
	c := client(t, network.ClientConfig{NetworksURL: parsed(t, s.URL)})
	past, cancel := network.WithMonotonicAndWallDeadline(t.Context(), time.Now(), time.Now().Add(-time.Millisecond))
	defer cancel()
	cancelled, stop := context.WithCancel(t.Context())
	stop()
	for name, call := range map[string]struct {
		ctx context.Context
		r   network.Request
	}{
		"Idempotency-Key": {
			t.Context(),
			network.Request{URL: "https://a.example/", Header: http.Header{"Idempotency-Key": {"1"}}},
		},
		"X-Idempotency-Key": {
			t.Context(),
			network.Request{URL: "https://a.example/", Header: http.Header{"X-Idempotency-Key": {"1"}}},
		},
		"plain http":        {t.Context(), network.Request{URL: "http://a.example/"}},
		"no host":           {t.Context(), network.Request{URL: "https:///path"}},
		"no address":        {t.Context(), network.Request{URL: "https://a.example/%zz"}},
		"a passed deadline": {past, network.Request{URL: "https://a.example/"}},
		"cancelled":         {cancelled, network.Request{URL: "https://a.example/"}},
	} {
		call.r.Method = http.MethodPost
		_, err := c.CallOnce(call.ctx, call.r)
		if kind := kindOf(t, err); kind != network.NotSent {
			t.Errorf("%s: want not_sent, got %v", name, err)
		}
	}
	if n := requests.Load(); n != 0 {
		t.Errorf("%d requests arrived", n)
	}
}

// A machine that slept has a wall clock that jumped while the monotonic one stood still.
func TestNothingIsSentWhenTheWallClockHasPassedTheDeadline(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		_, _ = io.WriteString(w, ok)
	})
	var jump atomic.Int64
	c := client(t,
		network.ClientConfig{
			NetworksURL: parsed(t, s.URL),
			Now:         func() time.Time { return time.Now().Add(time.Duration(jump.Load())) },
		})
	ctx, cancel := network.WithMonotonicAndWallDeadline(t.Context(), time.Now(), time.Now().Add(time.Minute))
	defer cancel()
	r := network.Request{Method: http.MethodPost, URL: "https://a.example/"}
	if _, err := c.CallOnce(ctx, r); err != nil {
		t.Fatal(err)
	}
	jump.Store(int64(2 * time.Minute))
	_, err := c.CallOnce(ctx, r)
	if kindOf(t, err) != network.NotSent || requests.Load() != 1 {
		t.Errorf("want not_sent after one request, got %v after %d", err, requests.Load())
	}
}

func TestACallThatHangsEndsUnknown(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan struct{}), make(chan struct{})
	s := serve(t, func(http.ResponseWriter, *http.Request) {
		close(arrived)
		<-release
	})
	t.Cleanup(func() { close(release) })
	var calls []network.Call
	c := client(t,
		network.ClientConfig{NetworksURL: parsed(t, s.URL), Observe: func(call network.Call) { calls = append(calls, call) }})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := c.CallOnce(ctx, network.Request{Method: http.MethodPost, URL: "https://a.example/"})
		done <- err
	}()
	select {
	case <-arrived:
		cancel()
	case err := <-done:
		t.Fatalf("the call ended before it arrived: %v", err)
	}
	err := <-done
	if kindOf(t, err) != network.Unknown || !errors.Is(err, context.Canceled) {
		t.Errorf("want unknown, got %v", err)
	}
	if len(calls) != 1 || calls[0].Kind != network.Unknown || calls[0].Host != "a.example" || calls[0].Took <= 0 {
		t.Errorf("observed %+v", calls)
	}
}

func TestOnlyAWholeAnswerIsAnAnswer(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"a redirect": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(http.StatusTemporaryRedirect)
			_, _ = io.WriteString(w, ok)
		},
		"too much": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, ok+strings.Repeat(" ", 1<<20)) },
		"a page":   func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") },
	} {
		var requests atomic.Int64
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			requests.Add(1)
			answer(w, r)
		})
		c := client(t, network.ClientConfig{NetworksURL: parsed(t, s.URL)})
		_, err := c.CallOnce(t.Context(), network.Request{Method: http.MethodPost, URL: "https://a.example/", Form: url.Values{"a": {"b"}}})
		if kindOf(t, err) != network.Unknown || requests.Load() != 1 {
			t.Errorf("%s: want unknown after one request, got %v after %d", name, err, requests.Load())
		}
	}
}

// PostgreSQL stores no U+0000; whatever else an answer says stays as it was said.
func TestOnlyAnEscapedNULIsReplaced(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		`{"a":"x\u0000y"}`: "x\ufffdy", `{"a":"x\\u0000y"}`: `x\u0000y`, `{"a":"x\\\u0000y"}`: "x\\\ufffdy",
		`{"a":"\u0000\u0000"}`: "\ufffd\ufffd", `{"a":"\"\u0000\n"}`: "\"\ufffd\n", `{"a":"u0000"}`: "u0000",
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, sent) })
		c := client(t, network.ClientConfig{NetworksURL: parsed(t, s.URL)})
		resp, err := c.CallOnce(t.Context(), network.Request{Method: http.MethodGet, URL: "https://a.example/"})
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			A string `json:"a"`
		}
		if err := json.Unmarshal(resp.Body, &got); err != nil || got.A != want {
			t.Errorf("%s: want %q, got %q, %v", sent, want, got.A, err)
		}
	}
}

func TestEveryCallHasATimeout(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	s := serve(t, func(http.ResponseWriter, *http.Request) { <-release })
	t.Cleanup(func() { close(release) })
	c := client(t, network.ClientConfig{NetworksURL: parsed(t, s.URL), Timeout: 20 * time.Millisecond})
	_, err := c.CallOnce(t.Context(), network.Request{Method: http.MethodPost, URL: "https://a.example/"})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("want the deadline, got %v", err)
	}
}

func TestTheEnvironmentsProxyIsNotObeyed(t *testing.T) {
	proxied := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	t.Setenv("HTTP_PROXY", proxied.URL)
	t.Setenv("HTTPS_PROXY", proxied.URL)
	c := client(t, network.ClientConfig{NetworksURL: parsed(t, "http://nowhere.invalid")})
	_, err := c.CallOnce(t.Context(), network.Request{Method: http.MethodGet, URL: "https://a.example/"})
	if kind := kindOf(t, err); kind != network.NotSent || !strings.Contains(err.Error(), "a.example could not be reached (") {
		t.Errorf("want not_sent in words for a person, got %v", err)
	}
}

// A thousand posts due in one second call one host at once, and again a second later.
func TestAThousandCallsKeepTheirConnections(t *testing.T) {
	t.Parallel()
	const many = 1000
	var opened, waiting atomic.Int64
	gate := make(chan struct{})
	open := sync.OnceFunc(func() { close(gate) })
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if waiting.Add(1) == many {
			open()
		}
		<-gate
		_, _ = io.WriteString(w, ok)
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	c := client(t, network.ClientConfig{NetworksURL: parsed(t, s.URL)})
	wave := func() {
		var calls sync.WaitGroup
		for range many {
			calls.Go(func() {
				if _, err := c.CallOnce(t.Context(), network.Request{Method: http.MethodPost, URL: "https://a.example/"}); err != nil {
					open() // so that a failure ends the test instead of hanging it
					t.Error(err)
				}
			})
		}
		calls.Wait()
	}
	wave()
	if n := opened.Load(); n != many {
		t.Fatalf("%d calls at once opened %d connections", many, n)
	}
	wave()
	if n := opened.Load(); n > many+many/20 {
		t.Errorf("the second wave opened %d more connections", n-many)
	}
}

func TestSecretsDoNotComeBack(t *testing.T) {
	t.Parallel()
	made := "THQ-a-token-the-network-has-just-made"
	for name, body := range map[string]string{
		"a half answer":        `{"access_token":"` + made,
		"with blanks":          `{"access_token" : "` + made + `", "expires_in": `,
		"in a link":            `{"paging":{"next":"https://a.example/?limit=1\u0026access_token=` + made + `\u0026after=b"}`,
		"what we sent":         `{"echo": "Bearer sent-token-0123456789`,
		"what we sent escaped": `{"echo": "` + url.QueryEscape("sent/secret+0123456789=="),
		"further secrets":      `{"echo": "sent/secret+0123456789==`,
		"a large answer":       `{"access_token":"` + made + `", "x": "` + strings.Repeat("y", 70<<10),
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
		c := client(t, network.ClientConfig{NetworksURL: parsed(t, s.URL)})
		_, err := c.CallOnce(t.Context(), network.Request{
			Method: http.MethodGet, URL: "https://a.example/", Token: "sent-token-0123456789",
			Secrets: []network.Secret{"sent/secret+0123456789=="},
		})
		var e *network.Error
		if !errors.As(err, &e) || e.Kind != network.Unknown {
			t.Fatalf("%s: %v", name, err)
		}
		told := fmt.Sprintf("%v %+v %#v %s", err, err, *e, e.Raw)
		for _, secret := range []string{made, "sent-token", "sent/secret", url.QueryEscape("sent/secret+")} {
			if strings.Contains(told, secret) {
				t.Errorf("%s: the error tells %q: %s", name, secret, told[:min(len(told), 300)])
			}
		}
		if len(e.Raw) > 64<<10 || !strings.Contains(string(e.Raw), "[redacted]") {
			t.Errorf("%s: kept %d bytes: %.80s", name, len(e.Raw), e.Raw)
		}
	}
}

func TestRetryAfterInBothForms(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 10, 5, 9, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"30": 30 * time.Second, "": 0, "-5": 0, "soon": 0, "1h": 0,
		"Mon, 05 Oct 2026 09:02:00 GMT": 2 * time.Minute, "Mon, 05 Oct 2026 08:00:00 GMT": 0,
	} {
		r := network.Response{Header: http.Header{"Retry-After": {value}}}
		if got := r.RetryAfter(now); got != want {
			t.Errorf("%q: want %v, got %v", value, want, got)
		}
	}
}

func TestEveryKindHasItsVerdict(t *testing.T) {
	t.Parallel()
	for kind, want := range map[network.ErrorKind]core.Verdict{
		network.Rejected: core.Refused, network.Transient: core.Lost, network.RateLimited: core.Throttled,
		network.Expired: core.AuthLost, network.Revoked: core.AuthLost, network.NotSent: core.NotSent,
		network.Unknown: core.Lost, network.Lapsed: core.Lost,
	} {
		if got := (&network.Error{Kind: kind}).Verdict(false); got != want {
			t.Errorf("%s: want %s, got %s", kind, want, got)
		}
	}
}
