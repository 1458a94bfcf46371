package httpd_test

import (
	"maps"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"belfry/internal/httpd"
)

// forgeries are what a client may send to look like another.
var forgeries = []http.Header{
	{"X-Forwarded-For": {"6.6.6.6"}},
	{"X-Forwarded-For": {"6.6.6.6, 7.7.7.7"}},
	{"X-Forwarded-For": {"6.6.6.6", "7.7.7.7"}},
	{"X-Forwarded-For": {"6.6.6.6,10.0.0.1"}},
	{"X-Forwarded-For": {"127.0.0.1"}},
	{"X-Forwarded-For": {"::1"}},
	{"X-Forwarded-For": {"[::1]:80"}},
	{"X-Forwarded-For": {"::ffff:6.6.6.6"}},
	{"X-Forwarded-For": {"6.6.6.6:1234"}},
	{"X-Forwarded-For": {"006.006.006.006"}},
	{"X-Forwarded-For": {"0x06060606"}},
	{"X-Forwarded-For": {"101058054"}},
	{"X-Forwarded-For": {"6.6.6.6%eth0"}},
	{"X-Forwarded-For": {"\"6.6.6.6\""}},
	{"X-Forwarded-For": {" \t6.6.6.6 "}},
	{"X-Forwarded-For": {","}},
	{"X-Forwarded-For": {""}},
	{"X-Forwarded-For": {"unknown"}},
	{"X-Forwarded-For": {strings.Repeat("6.6.6.6,", 2000)}},
	{"X-Forwarded-For": {"６.６.６.６"}},
	{"X-Real-Ip": {"6.6.6.6"}},
	{"True-Client-Ip": {"6.6.6.6"}},
	{"Cf-Connecting-Ip": {"6.6.6.6"}},
	{"Forwarded": {"for=6.6.6.6"}},
	{"X-Forwarded-Host": {"6.6.6.6"}, "X-Forwarded-Proto": {"https"}},
	{"X-Client-Ip": {"6.6.6.6"}, "X-Cluster-Client-Ip": {"6.6.6.6"}, "X-Forwarded": {"6.6.6.6"}},
}

func addressServer(t *testing.T, trusted ...string) func(peer string, h http.Header) string {
	t.Helper()
	s, _ := newServer(t, func(c *httpd.Config) {
		for _, p := range trusted {
			c.TrustedProxies = append(c.TrustedProxies, netip.MustParsePrefix(p))
		}
	})
	s.Echo.GET("/address", func(c echo.Context) error {
		return c.String(http.StatusOK, c.RealIP()+" "+httpd.ClientAddressKey(c))
	})
	return func(peer string, h http.Header) string {
		t.Helper()
		return body(t, ask(s, "GET", "/address", func(r *http.Request) {
			r.RemoteAddr = peer
			maps.Copy(r.Header, h)
		}))
	}
}

func TestNobodyIsBelievedByDefault(t *testing.T) {
	t.Parallel()
	from := addressServer(t)
	for _, h := range forgeries {
		if got := from("203.0.113.7:5000", h); got != "203.0.113.7 203.0.113.7/32" {
			t.Errorf("%v: %s", h, got)
		}
	}
}

// The attacker sits behind the proxy, which appends their address as they cannot help.
func TestWhatAClientForgesStaysLeftOfWhatTheProxySaw(t *testing.T) {
	t.Parallel()
	from := addressServer(t, "10.0.0.0/8")
	for _, h := range forgeries {
		sent := http.Header{"X-Forwarded-For": append(append([]string(nil), h["X-Forwarded-For"]...), "203.0.113.7")}
		for name, values := range h {
			if name != "X-Forwarded-For" {
				sent[name] = values
			}
		}
		if got := from("10.0.0.1:5000", sent); got != "203.0.113.7 203.0.113.7/32" {
			t.Errorf("%v: %s", h, got)
		}
	}
}

// Someone who reaches the service past its proxy is not the proxy.
func TestOnlyTheProxyItselfIsBelieved(t *testing.T) {
	t.Parallel()
	from := addressServer(t, "10.0.0.0/8", "fd00::/8")
	for _, h := range forgeries {
		if got := from("203.0.113.7:5000", h); got != "203.0.113.7 203.0.113.7/32" {
			t.Errorf("%v: %s", h, got)
		}
	}
}

func TestWalkThroughTrustedProxies(t *testing.T) {
	t.Parallel()
	from := addressServer(t, "10.0.0.0/8", "fd00::/8")
	for _, c := range []struct {
		name, peer string
		forwarded  []string
		want       string
	}{
		{"no header", "10.0.0.1:1", nil, "10.0.0.1"},
		{"one hop", "10.0.0.1:1", []string{"1.2.3.4"}, "1.2.3.4"},
		{"two proxies", "10.0.0.1:1", []string{"1.2.3.4, 10.0.0.2"}, "1.2.3.4"},
		{"lines joined in their order", "10.0.0.1:1", []string{"9.9.9.9", "1.2.3.4", "10.0.0.2"}, "1.2.3.4"},
		{"leftmost is never believed", "10.0.0.1:1", []string{"9.9.9.9, 1.2.3.4"}, "1.2.3.4"},
		{"a trusted address forged left", "10.0.0.1:1", []string{"10.9.9.9, 1.2.3.4"}, "1.2.3.4"},
		{"all trusted", "10.0.0.1:1", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3"},
		{"malformed ends at the last good hop", "10.0.0.1:1", []string{"1.2.3.4, unknown, 10.0.0.2"}, "10.0.0.2"},
		{"malformed at once", "10.0.0.1:1", []string{"1.2.3.4, "}, "10.0.0.1"},
		{"leading zeros are malformed", "10.0.0.1:1", []string{"1.2.3.04"}, "10.0.0.1"},
		{"zone is malformed", "10.0.0.1:1", []string{"fe80::1%eth0"}, "10.0.0.1"},
		{"with a port", "10.0.0.1:1", []string{"1.2.3.4:55"}, "1.2.3.4"},
		{"IPv6 with a port", "10.0.0.1:1", []string{"[2001:db8::1]:55"}, "2001:db8::1"},
		{"tabs and spaces", "10.0.0.1:1", []string{"\t 1.2.3.4 \t,10.0.0.2\t"}, "1.2.3.4"},
		{"mapped IPv4 peer", "[::ffff:10.0.0.1]:1", []string{"1.2.3.4"}, "1.2.3.4"},
		{"mapped IPv4 hop", "10.0.0.1:1", []string{"::ffff:1.2.3.4"}, "1.2.3.4"},
		{"mapped trusted hop", "10.0.0.1:1", []string{"1.2.3.4, ::ffff:10.0.0.2"}, "1.2.3.4"},
		{"IPv6 proxy", "[fd00::1]:1", []string{"2001:db8::7"}, "2001:db8::7"},
		{"peer with a zone", "[fd00::1%eth0]:1", []string{"2001:db8::7"}, "2001:db8::7"},
	} {
		got, _, _ := strings.Cut(from(c.peer, http.Header{"X-Forwarded-For": c.forwarded}), " ")
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestAddressKey(t *testing.T) {
	t.Parallel()
	from := addressServer(t)
	for peer, want := range map[string]string{
		"1.2.3.4:1":                        "1.2.3.4/32",
		"[::ffff:1.2.3.4]:1":               "1.2.3.4/32",
		"[2001:db8:1:2:3:4:5:6]:1":         "2001:db8:1:2::/64",
		"[2001:db8:1:2:ffff::1]:1":         "2001:db8:1:2::/64",
		"[2001:db8:1:3::1]:1":              "2001:db8:1:3::/64",
		"[fe80::1%eth0]:1":                 "fe80::/64",
		"@":                                "unknown",
		"[2001:0db8:0001:0002:0000::0]:80": "2001:db8:1:2::/64",
	} {
		if _, got, _ := strings.Cut(from(peer, nil), " "); !strings.HasSuffix(got, want) {
			t.Errorf("%s: %s, want %s", peer, got, want)
		}
	}
}
