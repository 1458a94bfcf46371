package httpd

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"
)

// trustedProxies are the peers that are trusted to report the client's address.
type trustedProxies []netip.Prefix

func (p trustedProxies) contains(a netip.Addr) bool {
	return slices.ContainsFunc(p, func(prefix netip.Prefix) bool { return prefix.Contains(a) })
}

// clientAddress returns the client's address (publishing.md, Client address): the peer's address or, if the peer is a
// trusted proxy, the last address in X-Forwarded-For that is not one. The addresses before it are written by the
// client and may be forged. No other header is used.
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

// isTrusted reports whether the request comes directly from a trusted proxy.
func (p trustedProxies) isTrusted(r *http.Request) bool { return p.contains(peerAddress(r)) }

// peerAddress returns the other end of the connection. It is invalid if the connection has no address.
func peerAddress(r *http.Request) netip.Addr {
	ap, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return withoutZone(ap.Addr())
}

// parseHop parses one entry, with or without a port.
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

// AddressKey returns the key by which limits count a client: its IPv4 address, or the /64 of its IPv6 address, which
// belongs to one customer.
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

// IsLoopback reports whether a host, with or without a port, is a loopback name or address.
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
