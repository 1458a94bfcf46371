// Package fetch opens addresses that a person gave us. It reaches the public internet over HTTPS and
// nothing else, wherever a name, a redirect or a spelling may lead.
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
	connectTimeout time.Duration // to connect, for all addresses of a name
	headerTimeout  time.Duration // to send the answer's head
	idleTimeout    time.Duration // without a byte
	rateGrace      time.Duration // before the rate counts
	minRate        int64         // least bytes a second
	totalTimeout   time.Duration // for all of it
	delayUnit      time.Duration // to a multiple of which a failure is held back
}

// Config is for tests; its zero value is the internet. In any case, Dial gets only public addresses.
type Config struct {
	// Lookup returns the addresses of a host name, which can be an address itself.
	Lookup func(ctx context.Context, name string) ([]netip.Addr, error)
	// Dial connects to an address.
	Dial func(ctx context.Context, to netip.AddrPort) (net.Conn, error)
	// Roots replace the system's trusted certificates.
	Roots *x509.CertPool
	// DelayUnit replaces the second to whose multiples failures are delayed.
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

// New returns a client.
func New(cfg Config) *Client {
	return newClient(cfg, limits{
		connectTimeout: 10 * time.Second, headerTimeout: 30 * time.Second, idleTimeout: 30 * time.Second,
		rateGrace: 30 * time.Second, minRate: 16 << 10, totalTimeout: 2 * time.Hour,
		delayUnit: cmp.Or(cfg.DelayUnit, time.Second),
	})
}

func newClient(cfg Config, b limits) *Client {
	c := &Client{
		limits: b, public: newPublicCheck(), lookup: cfg.Lookup, connect: cfg.Dial,
		now: time.Now, //nolint:forbidigo // a download lives by the machine's clock
	}
	if c.lookup == nil {
		c.lookup = func(ctx context.Context, name string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", name)
		}
	}
	if c.connect == nil {
		c.connect = newConnector(c.public)
	}
	only1 := new(http.Protocols)
	only1.SetHTTP1(true)
	c.http = &http.Client{
		Transport: &http.Transport{ // Proxy is nil: a proxy would dial in our place, unchecked
			DialContext:            c.dialPublic,
			TLSClientConfig:        &tls.Config{RootCAs: cfg.Roots, MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:    b.connectTimeout,
			ResponseHeaderTimeout:  b.headerTimeout,
			MaxResponseHeaderBytes: 32 << 10,
			DisableCompression:     true, // a small body could otherwise grow without bound
			DisableKeepAlives:      true, // a connection would outlive the check of its name
			Protocols:              only1,
		},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return fmt.Errorf("%w: more than %d redirects", errBadAnswer, maxRedirects)
			}
			r.Header.Del("Referer")
			if checkForm(r.URL) != nil {
				return fmt.Errorf("%w: a redirect to an address that Belfry does not open", errBadAnswer)
			}
			return nil
		},
	}
	return c
}

// Get opens an address for a file of at most limit bytes. The error is ErrAddress, ErrTooLarge or an *Error, also
// when the body is read. The caller closes the file.
func (c *Client) Get(ctx context.Context, address string, limit int64) (*File, error) {
	return c.GetFrom(ctx, address, limit, 0, "")
}

// GetFrom is Get for a file whose first offset bytes have already been downloaded, with the validator that came with
// them. The server may send the whole file instead; see File.Offset.
func (c *Client) GetFrom(ctx context.Context, address string, limit, offset int64, validator string) (*File, error) {
	u, err := parseAddress(address)
	if err != nil {
		return nil, err
	}
	if offset > limit {
		return nil, ErrTooLarge
	}
	started, callers := c.now(), ctx
	ctx, cancel := context.WithCancelCause(ctx)
	ctx, release := context.WithTimeout(ctx, c.limits.totalTimeout)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err == nil {
		r.Header = requestHeader(offset, validator)
		var f *File
		if f, err = c.openResponse(r, limit, offset, func(cause error) { cancel(cause); release() }); err == nil {
			return f, nil
		}
	}
	err = wrapError(ctx, err)
	cancel(err)
	release()
	c.delayFailure(callers, started)
	return nil, err
}

// requestHeader returns the header of a request.
func requestHeader(offset int64, validator string) http.Header {
	h := http.Header{"User-Agent": {"Belfry"}, "Accept": {"image/*, video/*"}, "Accept-Encoding": {"identity"}}
	if offset > 0 && validator != "" {
		h.Set("Range", fmt.Sprintf("bytes=%d-", offset))
		h.Set("If-Range", validator)
	}
	return h
}

func (c *Client) openResponse(r *http.Request, limit, offset int64, stop func(error)) (*File, error) {
	answer, err := c.http.Do(r)
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err // without the address, which may be a credential
	}
	if err != nil {
		return nil, err
	}
	start, err := bodyOffset(answer, offset)
	if err == nil && answer.ContentLength > limit-start {
		err = ErrTooLarge
	}
	if err != nil {
		answer.Body.Close()
		return nil, err
	}
	f := &File{
		Length: answer.ContentLength, Offset: start, Name: fileName(answer),
		ctx: r.Context(), body: answer.Body, stop: stop, left: limit - start, client: c,
	}
	resumable := start > 0 || answer.Header.Get("Accept-Ranges") == "bytes"
	if tag := answer.Header.Get("ETag"); resumable && strings.HasPrefix(tag, `"`) {
		f.Validator = tag
	}
	return f, nil
}

// bodyOffset returns the position of the body's first byte in the file.
func bodyOffset(answer *http.Response, offset int64) (int64, error) {
	if answer.StatusCode == http.StatusOK {
		return 0, nil
	}
	if answer.StatusCode == http.StatusPartialContent && offset > 0 &&
		strings.HasPrefix(answer.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", offset)) {
		return offset, nil
	}
	return 0, statusError(answer.StatusCode)
}

// delayFailure delays a failure to a round time after the start, so that its duration reveals little about the
// address. The failed request's own context may have ended.
func (c *Client) delayFailure(ctx context.Context, started time.Time) {
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
