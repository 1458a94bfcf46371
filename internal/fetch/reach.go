package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// LooksPublicHTTPS reports whether an address looks as if it can be reached from the internet: it begins with https://,
// and its host is a public IP address or a name in the public DNS. LooksPublicHTTPS does not resolve the name.
func LooksPublicHTTPS(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Scheme == "https" && looksPublicHost(u.Hostname())
}

// privateNames are the endings of host names that do not exist in the public DNS (RFC 6761, 6762, 7686, 8375, 9476), or
// that are common in private networks.
var privateNames = []string{
	"localhost", "local", "internal", "test", "invalid", "onion", "alt", "home.arpa", "lan", "home", "corp",
}

func looksPublicHost(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return newIsPublicAddressFunc()(ip)
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	dot := strings.LastIndexByte(host, '.')
	last := host[dot+1:]
	if dot < 1 || last == "" || last[0] >= '0' && last[0] <= '9' { // a single word, or an address such as 127.1
		return false
	}
	return !slices.ContainsFunc(privateNames, func(name string) bool { return strings.HasSuffix(host, "."+name) })
}

// CheckPublicHTTPS returns an error that says why an address cannot be reached from the internet: its form is wrong, or
// its name cannot be resolved or resolves to an address that is not public. It sends nothing to the address.
func (c *Client) CheckPublicHTTPS(ctx context.Context, address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme != "https":
		return fmt.Errorf("%s does not begin with https://", address)
	case !looksPublicHost(u.Hostname()):
		return fmt.Errorf("%s is not on the public internet", u.Hostname())
	}
	ctx, cancel := context.WithTimeout(ctx, c.limits.connectTimeout)
	defer cancel()
	found, err := c.lookup(ctx, u.Hostname())
	if err != nil {
		return fmt.Errorf("the name %s cannot be resolved: %w", u.Hostname(), err)
	}
	for _, a := range found {
		if !c.public(a.Unmap()) {
			return fmt.Errorf("the name %s resolves to %s, which is not on the public internet", u.Hostname(), a.Unmap())
		}
	}
	return nil
}

// CheckOpensWithoutRedirectOrServerError sends a GET request to an address, and returns an error that says why networks
// cannot download from it: no connection, an invalid certificate, a redirect or a 5xx status. A 4xx status is no error,
// because the address may be only the prefix of the addresses of files. For an address that the client never opens,
// such as one with a port, the error is ErrAddress.
func (c *Client) CheckOpensWithoutRedirectOrServerError(ctx context.Context, address string) error {
	if _, err := parseAndCheckAddressForm(address); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, c.limits.headerTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return err
	}
	direct := *c.http
	direct.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	answer, err := direct.Do(r)
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return fmt.Errorf("%s cannot be opened: %w", address, failed.Err)
	}
	if err != nil {
		return err
	}
	answer.Body.Close()
	switch {
	case answer.StatusCode/100 == 3:
		return fmt.Errorf("%s redirects to another address", address)
	case answer.StatusCode >= http.StatusInternalServerError:
		return fmt.Errorf("%s responds with status %d", address, answer.StatusCode)
	}
	return nil
}
