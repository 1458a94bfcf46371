package network

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Limits of the connection pool. A thousand posts that are due in the same second call one host at once. We close idle
// connections early: if the network closed one during a POST, nobody would know whether the request arrived.
const (
	poolPerHost   = 1000
	poolIdle      = 30 * time.Second
	dialTimeout   = 10 * time.Second
	callTimeout   = 30 * time.Second
	headerLimit   = 64 << 10
	dialKeepAlive = 15 * time.Second
)

// ClientConfig configures how networks are reached.
type ClientConfig struct {
	// NetworksURL replaces every network: a call to https://HOST/PATH goes to NetworksURL/HOST/PATH. Nil means the
	// real networks.
	NetworksURL *url.URL
	// BrowseURL does the same for addresses that a browser opens; nil means NetworksURL.
	BrowseURL *url.URL
	// Timeout limits the duration of each call, even if the call's context allows more; 0 means 30 seconds.
	Timeout time.Duration
	// Observe is called after every call; nil means none.
	Observe func(Call)
	// Now is the wall clock; nil means time.Now.
	Now func() time.Time
}

// Call is a record of one call to a network, for metrics.
type Call struct {
	Host    string
	Method  string
	Status  int       // 0 without a response
	Kind    ErrorKind // empty if a complete response arrived, even a refusal
	Started time.Time
	Took    time.Duration
}

// Client is the one HTTP client for all networks.
type Client struct {
	http    *http.Client
	calls   *url.URL
	browse  *url.URL
	timeout time.Duration
	observe func(Call)
	now     func() time.Time
}

// NewClient returns a client.
func NewClient(cfg ClientConfig) *Client {
	c := &Client{calls: cfg.NetworksURL, browse: cfg.BrowseURL, timeout: cfg.Timeout, observe: cfg.Observe, now: cfg.Now}
	if c.browse == nil {
		c.browse = c.calls
	}
	if c.timeout == 0 {
		c.timeout = callTimeout
	}
	if c.observe == nil {
		c.observe = func(Call) {}
	}
	if c.now == nil {
		c.now = time.Now //nolint:forbidigo // deadlines of calls use the machine's clock; tests set another
	}
	c.http = &http.Client{
		Transport: replayAndDeadlineGuard{next: newTransport(), now: c.now},
		// A 307 or 308 would send the body and the token again, to another address.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c
}

// newTransport does not copy http.DefaultTransport, which obeys the proxy variables of the environment.
func newTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: dialKeepAlive}
	return &http.Transport{
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, addr)
		},
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    dialTimeout,
		MaxIdleConnsPerHost:    poolPerHost,
		IdleConnTimeout:        poolIdle,
		MaxResponseHeaderBytes: headerLimit,
	}
}

// CloseIdleConnections closes the connections that are not in use.
func (c *Client) CloseIdleConnections() { c.http.CloseIdleConnections() }

// BrowserURL returns the address at which a browser opens an address of a network. The two differ only if networks are
// simulated. Addresses that are already mapped, and addresses without a host, stay the same.
func (c *Client) BrowserURL(address string) string {
	u, err := url.Parse(address)
	if err != nil || c.browse == nil || u.Host == "" || strings.HasPrefix(address, withoutTrailingSlash(c.browse)) {
		return address
	}
	return nestURL(c.browse, u)
}

func withoutTrailingSlash(base *url.URL) string { return strings.TrimSuffix(base.String(), "/") }

// nestURL maps an https address to an address below base: base, followed by the unchanged host, path and query. If base
// is nil, or for any other address, it returns the address unchanged.
func nestURL(base, u *url.URL) string {
	if base == nil || u.Scheme != "https" || u.Host == "" {
		return u.String()
	}
	tail := u.String()[len("https://"):]
	return withoutTrailingSlash(base) + "/" + tail
}

// URLIfOnDomains returns the address if it is an https address on one of the domains or their subdomains, and ""
// otherwise. This prevents a response from making a link to another site the link of a post.
func URLIfOnDomains(address string, domains ...string) (addressOrEmpty string) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.User != nil || u.Port() != "" {
		return ""
	}
	host := "." + strings.ToLower(u.Hostname())
	for _, domain := range domains {
		if strings.HasSuffix(host, "."+domain) {
			return address
		}
	}
	return ""
}
