package httpd

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"
)

// trustedProxies are the addresses of the proxies whose X-Forwarded-For is trusted.
type trustedProxies []netip.Prefix

func (p trustedProxies) contains(a netip.Addr) bool {
	return slices.ContainsFunc(p, func(prefix netip.Prefix) bool { return prefix.Contains(a) })
}

// clientAddressOrZero returns the client's address: the peer's address or, if the peer is a trusted proxy, the last
// address in X-Forwarded-For that is not a trusted proxy. The client can forge all earlier addresses. No other header
// is used. It returns the zero address if the peer has none.
func (p trustedProxies) clientAddressOrZero(r *http.Request) netip.Addr {
	last := peerAddressOrZero(r)
	if !p.contains(last) {
		return last
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, entry := range slices.Backward(hops) {
		hop, ok := parseForwardedAddr(entry)
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

// isTrustedPeer reports whether the request came directly from a trusted proxy.
func (p trustedProxies) isTrustedPeer(r *http.Request) bool { return p.contains(peerAddressOrZero(r)) }

// peerAddressOrZero returns the address at the other end of the connection, or the zero address if there is none.
func peerAddressOrZero(r *http.Request) netip.Addr {
	ap, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return normalizeAddr(ap.Addr())
}

// parseForwardedAddr parses an entry of X-Forwarded-For, with or without a port. It accepts no IPv6 zone.
func parseForwardedAddr(s string) (addr netip.Addr, ok bool) {
	s = strings.Trim(s, " \t")
	if a, err := netip.ParseAddr(s); err == nil && a.Zone() == "" {
		return normalizeAddr(a), true
	}
	if ap, err := netip.ParseAddrPort(s); err == nil && ap.Addr().Zone() == "" {
		return normalizeAddr(ap.Addr()), true
	}
	return netip.Addr{}, false
}

// normalizeAddr removes the IPv6 zone, and converts an IPv4 address in IPv6 form to IPv4.
func normalizeAddr(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }

// ClientAddressKey returns the key under which rate limits count a client: its IPv4 address, or the /64 network of its
// IPv6 address. One customer usually has a whole /64.
func ClientAddressKey(c echo.Context) string {
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
