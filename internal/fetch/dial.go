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

// dialPublic connects to the public addresses of a host, one after the other, and to no other address. It resolves
// the name for each request, so a name that resolves differently the second time is checked again.
func (c *Client) dialPublic(ctx context.Context, _, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil || port != "443" { // checkForm's rule, held here too
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
		if conn, err = c.dialOne(ctx, netip.AddrPortFrom(a, 443), len(found)); err == nil {
			return conn, nil
		}
	}
	return nil, err
}

// dialOne connects to one of several addresses, with its share of the time limit.
func (c *Client) dialOne(ctx context.Context, to netip.AddrPort, of int) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, c.limits.connectTimeout/time.Duration(of))
	defer cancel()
	return c.connect(ctx, to)
}

// newConnector returns a dial function that also checks the address that is passed to the system.
func newConnector(public func(netip.Addr) bool) func(context.Context, netip.AddrPort) (net.Conn, error) {
	dialer := &net.Dialer{ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil || to.Port() != 443 || !public(to.Addr()) {
			return fmt.Errorf("dial %s: %w", address, errRefused)
		}
		return nil
	}}
	return func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
		return dialer.DialContext(ctx, "tcp", to.String())
	}
}
