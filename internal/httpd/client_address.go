package httpd

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"
)

// proxies are the peers whose word about the client's address is believed.
type trustedProxies []netip.Prefix

func (p trustedProxies) contains(a netip.Addr) bool {
	return slices.ContainsFunc(p, func(prefix netip.Prefix) bool { return prefix.Contains(a) })
}

// clientAddress tells the address of who really asks (publishing.md, Client address): the peer, and only if that
// is a trusted proxy, the nearest address in X-Forwarded-For that is none. What stands left of it was
// written by the client and may be anything. No other header is looked at.
func (p trustedProxies) clientAddress(r *http.Request) netip.Addr {
	last := peerAddress(r)
	if !p.contains(last) {
		return last
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, entry := range slices.Backward(hops) {
		hop, ok := parseHop(entry)
		if !ok {
			return last
		}
		last = hop
		if !p.contains(hop) {
			return last
		}
	}
	return last
}

// isTrusted tells whether the request comes straight from a trusted proxy.
func (p trustedProxies) isTrusted(r *http.Request) bool { return p.contains(peerAddress(r)) }

// peerAddress is the other end of the connection, invalid when that has no address.
func peerAddress(r *http.Request) netip.Addr {
	ap, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return withoutZone(ap.Addr())
}

// parseHop reads one entry. Some proxies add the port.
func parseHop(s string) (netip.Addr, bool) {
	s = strings.Trim(s, " \t")
	if a, err := netip.ParseAddr(s); err == nil && a.Zone() == "" {
		return withoutZone(a), true
	}
	if ap, err := netip.ParseAddrPort(s); err == nil && ap.Addr().Zone() == "" {
		return withoutZone(ap.Addr()), true
	}
	return netip.Addr{}, false
}

func withoutZone(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }

// AddressKey is what limits count a client by: its IPv4 address, or the /64 of its IPv6 one, all of which
// one customer has.
func AddressKey(c echo.Context) string {
	a, err := netip.ParseAddr(c.RealIP())
	if err != nil {
		return "unknown"
	}
	bits := 32
	if a.Is6() {
		bits = 64
	}
	prefix, err := a.Prefix(bits)
	if err != nil {
		return "unknown"
	}
	return prefix.String()
}

// IsLoopback tells whether a host, with or without a port, is this machine by its very name.
func IsLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	a, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && a.Unmap().IsLoopback()
}
