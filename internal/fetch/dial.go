package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"
)

// errRefused means that an address is not on the public internet. Nothing was sent to it.
var errRefused = errors.New("the address is not public")

// maxAddresses is how many addresses of a host name are tried.
const maxAddresses = 4

// dialPublic connects to the first public address of a host that responds, and never to an address that is not public.
// It resolves the name for each request, so the check always applies to the address that it connects to.
// It refuses every port except 443.
func (c *Client) dialPublic(ctx context.Context, _, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil || port != "443" { // checkHTTPSURLForm has the same rule
		return nil, errRefused
	}
	ctx, cancel := context.WithTimeout(ctx, c.limits.connectTimeout)
	defer cancel()
	found, err := c.lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	err = errRefused
	found = found[:min(len(found), maxAddresses)]
	for _, a := range found {
		a = a.Unmap()
		if !c.public(a) {
			continue
		}
		var conn net.Conn
		if conn, err = c.dialWithinTimeShare(ctx, netip.AddrPortFrom(a, 443), len(found)); err == nil {
			return conn, nil
		}
	}
	return nil, err
}

// dialWithinTimeShare connects to one of addressCount addresses, each of which gets the same share of the time limit.
func (c *Client) dialWithinTimeShare(ctx context.Context, to netip.AddrPort, addressCount int) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, c.limits.connectTimeout/time.Duration(addressCount))
	defer cancel()
	return c.connect(ctx, to)
}

// newPublicDialer returns a function that connects to an address. Just before the system call, it refuses addresses
// that are not public, and every port except 443.
func newPublicDialer(isPublic func(netip.Addr) bool) func(context.Context, netip.AddrPort) (net.Conn, error) {
	dialer := &net.Dialer{ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil || to.Port() != 443 || !isPublic(to.Addr()) {
			return fmt.Errorf("dial %s: %w", address, errRefused)
		}
		return nil
	}}
	return func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
		return dialer.DialContext(ctx, "tcp", to.String())
	}
}
