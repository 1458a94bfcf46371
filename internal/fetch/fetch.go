// Package fetch downloads files from addresses that people enter. It connects only to the public internet, and only
// over HTTPS, whatever a name resolves to and wherever a redirect leads.
package fetch

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// maxRedirects is how many redirects are followed, each with the same checks as the first address (Spec §4).
const maxRedirects = 5

// limits are the limits of one download.
type limits struct {
	connectTimeout time.Duration // to connect to any address of a name
	headerTimeout  time.Duration // until the header of the response arrives
	idleTimeout    time.Duration // without a byte
	rateGrace      time.Duration // before minRate applies
	minRate        int64         // in bytes per second
	totalTimeout   time.Duration // for the whole download
	delayUnit      time.Duration // failures are delayed to a multiple of this time
}

// Config replaces parts of a Client for tests. The zero value is for use in production.
type Config struct {
	// Lookup returns the addresses of a host name, which can be an address itself.
	Lookup func(ctx context.Context, name string) ([]netip.Addr, error)
	// Dial connects to an address. It is only called for public addresses.
	Dial func(ctx context.Context, to netip.AddrPort) (net.Conn, error)
	// Roots replace the system's trusted certificates.
	Roots *x509.CertPool
	// DelayUnit delays a failed download until a multiple of this duration has passed; zero means one second.
	DelayUnit time.Duration
}

// Client downloads files. It is safe for concurrent use and keeps no connections.
type Client struct {
	http    *http.Client
	limits  limits
	lookup  func(ctx context.Context, name string) ([]netip.Addr, error)
	connect func(ctx context.Context, to netip.AddrPort) (net.Conn, error)
	public  func(netip.Addr) bool
	now     func() time.Time
}

// New returns a client with the limits for production.
func New(cfg Config) *Client {
	return newClient(cfg, limits{
		connectTimeout: 10 * time.Second, headerTimeout: 30 * time.Second, idleTimeout: 30 * time.Second,
		rateGrace: 30 * time.Second, minRate: 16 << 10, totalTimeout: 2 * time.Hour,
		delayUnit: cmp.Or(cfg.DelayUnit, time.Second),
	})
}

func newClient(cfg Config, lim limits) *Client {
	c := &Client{
		limits: lim, public: newIsPublicAddressFunc(), lookup: cfg.Lookup, connect: cfg.Dial,
		now: time.Now, //nolint:forbidigo // downloads use the machine's clock
	}
	if c.lookup == nil {
		c.lookup = func(ctx context.Context, name string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", name)
		}
	}
	if c.connect == nil {
		c.connect = newPublicDialer(c.public)
	}
	only1 := new(http.Protocols)
	only1.SetHTTP1(true)
	c.http = &http.Client{
		Transport: &http.Transport{ // Proxy is nil, because a proxy would not check the address
			DialContext:            c.dialPublic,
			TLSClientConfig:        &tls.Config{RootCAs: cfg.Roots, MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:    lim.connectTimeout,
			ResponseHeaderTimeout:  lim.headerTimeout,
			MaxResponseHeaderBytes: 32 << 10,
			DisableCompression:     true, // otherwise, a small body could expand without limit
			DisableKeepAlives:      true, // so that every request checks the address again
			Protocols:              only1,
		},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return fmt.Errorf("%w: more than %d redirects", errBadAnswer, maxRedirects)
			}
			r.Header.Del("Referer")
			if checkHTTPSURLForm(r.URL) != nil {
				return fmt.Errorf("%w: a redirect to an address that Belfry does not open", errBadAnswer)
			}
			return nil
		},
	}
	return c
}

// Get requests a file of at most maxFileSize bytes. The error is ErrAddress, ErrTooLarge or an *Error. The caller
// closes the file.
func (c *Client) Get(ctx context.Context, address string, maxFileSize int64) (*FileBody, error) {
	return c.GetRestOrWhole(ctx, address, maxFileSize, 0, "")
}

// GetRestOrWhole requests the rest of a file whose first offset bytes have already been downloaded. validator is the
// FileBody.Validator of that download. The server may send the whole file instead; see FileBody.Offset.
func (c *Client) GetRestOrWhole(
	ctx context.Context, address string, maxFileSize, offset int64, validator string,
) (*FileBody, error) {
	u, err := parseAndCheckAddressForm(address)
	if err != nil {
		return nil, err
	}
	if offset > maxFileSize {
		return nil, ErrTooLarge
	}
	started, callers := c.now(), ctx
	ctx, cancel := context.WithCancelCause(ctx)
	ctx, release := context.WithTimeout(ctx, c.limits.totalTimeout)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err == nil {
		r.Header = newRequestHeader(offset, validator)
		var f *FileBody
		if f, err = c.requestFile(r, maxFileSize, offset, func(cause error) { cancel(cause); release() }); err == nil {
			return f, nil
		}
	}
	err = wrapCauseOrError(ctx, err)
	cancel(err)
	release()
	c.delayFailureToHideTiming(callers, started)
	return nil, err
}

// newRequestHeader returns the header of a request for the part of a file that begins at offset or, without a
// validator, for the whole file.
func newRequestHeader(offset int64, validator string) http.Header {
	h := http.Header{"User-Agent": {"Belfry"}, "Accept": {"image/*, video/*"}, "Accept-Encoding": {"identity"}}
	if offset > 0 && validator != "" {
		h.Set("Range", fmt.Sprintf("bytes=%d-", offset))
		h.Set("If-Range", validator)
	}
	return h
}

// requestFile sends a request and returns the file in the response. The file calls stop to end the request.
func (c *Client) requestFile(r *http.Request, maxFileSize, offset int64, stop func(error)) (*FileBody, error) {
	answer, err := c.http.Do(r)
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err // without the address, which may be a credential
	}
	if err != nil {
		return nil, err
	}
	start, err := checkStatusAndGetOffset(answer, offset)
	if err == nil && answer.ContentLength > maxFileSize-start {
		err = ErrTooLarge
	}
	if err != nil {
		answer.Body.Close()
		return nil, err
	}
	f := &FileBody{
		Length: answer.ContentLength, Offset: start, Name: fileName(answer),
		ctx: r.Context(), body: answer.Body, stop: stop, left: maxFileSize - start, client: c,
	}
	resumable := start > 0 || answer.Header.Get("Accept-Ranges") == "bytes"
	if tag := answer.Header.Get("ETag"); resumable && strings.HasPrefix(tag, `"`) {
		f.Validator = tag
	}
	return f, nil
}

// checkStatusAndGetOffset returns the position in the file at which the response's body begins: 0 or the requested
// offset. Other responses are errors.
func checkStatusAndGetOffset(answer *http.Response, requestedOffset int64) (offset int64, err error) {
	if answer.StatusCode == http.StatusOK {
		return 0, nil
	}
	if answer.StatusCode == http.StatusPartialContent && requestedOffset > 0 &&
		strings.HasPrefix(answer.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", requestedOffset)) {
		return requestedOffset, nil
	}
	return 0, newStatusError(answer.StatusCode)
}

// delayFailureToHideTiming waits until a multiple of delayUnit has passed since started, so that the time until a
// failure reveals little about the address.
func (c *Client) delayFailureToHideTiming(ctx context.Context, started time.Time) {
	round := c.limits.delayUnit
	if round <= 0 {
		return
	}
	took := c.now().Sub(started)
	t := time.NewTimer(took.Truncate(round) + round - took)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
