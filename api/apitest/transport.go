package apitest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
)

// Transport returns a transport that sends requests through next (http.DefaultTransport if it is nil), and reports
// every response of /v1 that does not match the description.
func (c *ResponseChecker) Transport(next http.RoundTripper, report func(error)) http.RoundTripper {
	if next == nil {
		next = http.DefaultTransport
	}
	return transport{c, next, report}
}

type transport struct {
	checker *ResponseChecker
	next    http.RoundTripper
	report  func(error)
}

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body)
	if closeErr := resp.Body.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, fmt.Errorf("read the response to %s %s: %w", r.Method, r.URL.Path, err)
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	if err := t.checker.Check(r, resp.StatusCode, resp.Header, body); err != nil {
		t.report(err)
	}
	return resp, nil
}
