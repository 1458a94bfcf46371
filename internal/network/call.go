package network

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// bodyLimit is the maximum size of a response in bytes. Networks never need to send more.
const bodyLimit = 1 << 20

// Request is one call to a network. Form, JSON and Body are its body; at most one of them is set.
type Request struct {
	Method string
	URL    string     // an https address of the network itself, which may have a query
	Query  url.Values // is added to the query of URL; without the token, unless the network accepts it nowhere else
	Form   url.Values
	JSON   any
	Body   *Body
	Token  Secret // goes into the Authorization header
	// Secrets are further texts that errors must not contain.
	Secrets []Secret
	Header  http.Header
	// CompleteWithoutJSON lists the statuses whose responses are complete whatever their body contains, such as 308
	// between the parts of an upload. A redirect to another address is never complete.
	CompleteWithoutJSON []int
}

// Body is a request body of bytes. The transport cannot send it twice.
type Body struct {
	// Open opens exactly Size bytes. If it fails, nothing is sent.
	Open func(context.Context) (io.ReadCloser, error)
	Size int64
	Type string // the content type
}

// Response is a complete response: it is JSON, or its status is listed in Request.CompleteWithoutJSON.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
	cut    redactor
}

// AttachRedactedTo returns the error with the status and the redacted body of the response. It also redacts the
// message.
func (r *Response) AttachRedactedTo(e Error) *Error {
	e.Status, e.Raw = r.Status, r.cut.redactAndTruncate(r.Body)
	e.Message = r.cut.redact(e.Message)
	return &e
}

// CallOnce makes the call once. A complete response is not an error, even if its status says that the call failed. An
// error is always an *Error: NotSent if nothing of the request was written, or Unknown if the response was not complete
// (see Response). The error never contains an address or a secret.
func (c *Client) CallOnce(ctx context.Context, request Request) (successOrRefusal *Response, _ error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	call := Call{Method: request.Method, Started: c.now()}
	resp, err := c.sendRequestAndSetHost(ctx, request, &call)
	call.Took = c.now().Sub(call.Started)
	if err != nil {
		call.Kind, call.Status = err.Kind, err.Status
		c.observe(call)
		return nil, err
	}
	call.Status = resp.Status
	c.observe(call)
	return resp, nil
}

// sendRequestAndSetHost sends the request and reads the response. Of the record, it sets only the host.
func (c *Client) sendRequestAndSetHost(
	ctx context.Context, request Request, call *Call,
) (successOrRefusal *Response, _ *Error) {
	cut := newRedactor(request)
	var wrote atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { wrote.Store(true) }})
	r, host, err := c.newHTTPRequestAndOpenBody(ctx, request)
	call.Host = host
	if err != nil {
		err = withoutAddressAndSecrets(err, cut)
		return nil, &Error{Kind: NotSent, Message: fmt.Sprintf("The call was not made: %v.", err), cause: err}
	}
	answer, err := c.http.Do(r)
	if err != nil {
		if wrote.Load() {
			return nil, newTransportError(Unknown, host, cut, err)
		}
		return nil, newTransportError(NotSent, host, cut, err)
	}
	defer answer.Body.Close()
	return readResponse(answer, host, cut, request.CompleteWithoutJSON)
}

// newHTTPRequestAndOpenBody also opens the request's body, which is closed when the request is sent. host is the
// network's host, even if the request goes to a simulator.
func (c *Client) newHTTPRequestAndOpenBody(
	ctx context.Context, request Request,
) (r *http.Request, host string, err error) {
	u, err := url.Parse(request.URL)
	if err != nil {
		return nil, "", errors.New("the address of the call is not valid")
	}
	if u.Scheme != "https" || u.Host == "" {
		return nil, u.Host, errors.New("networks can be called only over https")
	}
	u.RawQuery = appendQuery(u.RawQuery, request.Query)
	text, contentType, err := request.encodeFormOrJSON()
	if err != nil {
		return nil, u.Host, err
	}
	r, err = http.NewRequestWithContext(ctx, request.Method, nestURL(c.calls, u), text)
	if err != nil {
		return nil, u.Host, err
	}
	maps.Copy(r.Header, request.Header)
	r.Header.Set("Accept", "application/json")
	if request.Body != nil && request.Body.Size > 0 {
		contentType = request.Body.Type
		if r.Body, err = request.Body.Open(ctx); err != nil {
			return nil, u.Host, fmt.Errorf("a file could not be read: %w", err)
		}
		r.ContentLength = request.Body.Size
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	if request.Token != "" {
		r.Header.Set("Authorization", "Bearer "+request.Token.Reveal())
	}
	return r, u.Host, nil
}

// encodeFormOrJSON returns the body of a request with a form or JSON, and its content type. For any other request, it
// returns nil.
func (r Request) encodeFormOrJSON() (textOrNil io.Reader, contentType string, err error) {
	switch {
	case r.Form != nil:
		return strings.NewReader(r.Form.Encode()), "application/x-www-form-urlencoded", nil
	case r.JSON != nil:
		encoded, err := json.Marshal(r.JSON)
		return bytes.NewReader(encoded), "application/json; charset=UTF-8", err
	}
	return nil, "", nil
}

func appendQuery(encoded string, more url.Values) string {
	added := more.Encode()
	if encoded == "" || added == "" {
		return encoded + added
	}
	return encoded + "&" + added
}

func readResponse(answer *http.Response, host string, cut redactor, completeWithoutJSON []int,
) (successOrRefusal *Response, incomplete *Error) {
	resp := &Response{Status: answer.StatusCode, Header: answer.Header, cut: cut}
	body, err := io.ReadAll(io.LimitReader(answer.Body, bodyLimit+1))
	body = replaceNULEscapes(body)
	resp.Body = body
	needsNoJSON := slices.Contains(completeWithoutJSON, answer.StatusCode)
	unknown := func(message string) *Error {
		return resp.AttachRedactedTo(
			Error{Kind: Unknown, Message: host + " " + message + ".", RetryAfter: resp.RetryAfter(time.Time{})},
		)
	}
	switch {
	case err != nil:
		e := unknown("did not finish its response")
		e.cause = unwrapURLError(err)
		return nil, e
	case len(body) > bodyLimit:
		return nil, unknown("sent a response that was too long")
	case answer.StatusCode/100 == 3 && (!needsNoJSON || answer.Header.Get("Location") != ""):
		return nil, unknown("sent a redirect, which Belfry does not follow")
	case !needsNoJSON && !json.Valid(body):
		return nil, unknown(fmt.Sprintf("responded with status %d, but without valid JSON", answer.StatusCode))
	}
	return resp, nil
}

// jsonEscape matches one escape at a time, so the second backslash of an escaped backslash never starts a match.
var jsonEscape = regexp.MustCompile(`(?s)\\(?:u0000|.)`)

// replaceNULEscapes replaces every escaped U+0000 in JSON with U+FFFD. Networks do not send U+0000 on purpose, and the
// database cannot store it.
func replaceNULEscapes(body []byte) []byte {
	return jsonEscape.ReplaceAllFunc(body, func(escape []byte) []byte {
		if string(escape) == `\u0000` {
			return []byte(`\ufffd`)
		}
		return escape
	})
}

// LongestWait caps the wait that a network requests. A wrong figure must not hold a post for years.
const LongestWait = 24 * time.Hour

// RetryAfter returns the wait in the Retry-After header, at most LongestWait; 0 if there is none. A date in the header
// is compared with now, and ignored if now is zero.
func (r *Response) RetryAfter(now time.Time) (waitOrZero time.Duration) {
	value := r.Header.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds > 0 {
		return CappedWait(seconds)
	}
	at, err := http.ParseTime(value)
	if err != nil || now.IsZero() || !at.After(now) {
		return 0
	}
	return min(at.Sub(now), LongestWait)
}

// CappedWait converts a wait in seconds, which a network requests, to a duration of at most LongestWait.
func CappedWait(seconds float64) time.Duration {
	return time.Duration(min(seconds, LongestWait.Seconds()) * float64(time.Second))
}

func newTransportError(kind ErrorKind, host string, cut redactor, err error) *Error {
	err = withoutAddressAndSecrets(err, cut)
	message := host + " could not be reached (%v)."
	if kind == Unknown {
		message = host + " did not respond (%v)."
	}
	return &Error{Kind: kind, Message: fmt.Sprintf(message, err), cause: err}
}

// withoutAddressAndSecrets returns the error without the address of the call and without secrets. If the text contained
// secrets, the result does not wrap the error.
func withoutAddressAndSecrets(err error, cut redactor) error {
	err = unwrapURLError(err)
	if clean := cut.redact(err.Error()); clean != err.Error() {
		return errors.New(clean)
	}
	return err
}

// unwrapURLError removes every *url.Error, which would print the whole address.
func unwrapURLError(err error) error {
	var u *url.Error
	for errors.As(err, &u) {
		err = u.Err
	}
	return err
}
