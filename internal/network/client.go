package network

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Bounds of the connection pool. A thousand posts due in one second call one host at once; connections
// idle for long are closed by us, because a POST on one that the network closes at that moment is lost
// without anyone knowing whether it arrived.
const (
	poolPerHost   = 1000
	poolIdle      = 30 * time.Second
	dialTimeout   = 10 * time.Second
	callTimeout   = 30 * time.Second
	headerLimit   = 64 << 10
	dialKeepAlive = 15 * time.Second
)

// ClientConfig says how networks are reached.
type ClientConfig struct {
	// NetworksURL stands in for every network: https://HOST/PATH is called at NetworksURL/HOST/PATH. Nil
	// means the networks themselves.
	NetworksURL *url.URL
	// BrowseURL is the same for addresses that a person's browser opens; nil means NetworksURL.
	BrowseURL *url.URL
	// Timeout bounds one call, whatever its context allows; 0 means 30 seconds.
	Timeout time.Duration
	// Observe is told of every call; nil means nobody is.
	Observe func(Call)
	// Now is the wall clock; nil means the machine's.
	Now func() time.Time
}

// Call is one call to a network, for figures.
type Call struct {
	Host    string
	Method  string
	Status  int       // 0 without an answer
	Kind    ErrorKind // empty when a well-formed answer came, even a refusal
	Started time.Time
	Took    time.Duration
}

// Client is the one HTTP client through which every network is reached.
type Client struct {
	http    *http.Client
	calls   *url.URL
	browse  *url.URL
	timeout time.Duration
	observe func(Call)
	now     func() time.Time
}

// NewClient makes the client.
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
		c.now = time.Now //nolint:forbidigo // deadlines of calls live by the machine's clock; tests give another
	}
	c.http = &http.Client{
		Transport: guard{next: newTransport(), now: c.now},
		// A 307 or 308 would send the body, and the token, once more and elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c
}

// newTransport does not copy the default transport, which obeys the proxy variables of the environment.
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

// CloseIdleConnections drops idle connections.
func (c *Client) CloseIdleConnections() { c.http.CloseIdleConnections() }

// BrowserURL maps an address of a network to where a person's browser finds it. Addresses that are mapped
// already, or are no network's, stay as they are.
func (c *Client) BrowserURL(address string) string {
	u, err := url.Parse(address)
	if err != nil || c.browse == nil || u.Host == "" || strings.HasPrefix(address, withoutTrailingSlash(c.browse)) {
		return address
	}
	return rebaseURL(c.browse, u)
}

func withoutTrailingSlash(base *url.URL) string { return strings.TrimSuffix(base.String(), "/") }

// rebaseURL puts host and path of an https address behind base, byte for byte.
func rebaseURL(base, u *url.URL) string {
	if base == nil || u.Scheme != "https" || u.Host == "" {
		return u.String()
	}
	tail := u.String()[len("https://"):]
	return withoutTrailingSlash(base) + "/" + tail
}

// URLIfOnDomains returns an https address on one of the domains or below it, and "" for any other: an answer must not
// make a link to elsewhere the link of a post.
func URLIfOnDomains(address string, domains ...string) string {
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
