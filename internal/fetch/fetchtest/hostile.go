package fetchtest

import (
	"net/http"
	"strings"
	"testing"
)

// Inside returns hosts in various spellings that lead to addresses that Belfry must not open.
func Inside() []string {
	return strings.Fields(`
	localhost localhost. LOCALHOST internal.example.com metadata.internal
	127.0.0.1 127.0.0.1. 127.1 127.0.1 127.0.0.53 127.255.255.254 2130706433 0x7f000001 0x7F.0.0.1 0x7f.1 017700000001 0177.0.0.1 00000177.1
	0 0.0.0.0 0.0.0.1 0x0 00 0.1 10.0.0.1 10.255.255.255 10.1 0xa.1 167772161 100.64.0.1 100.127.255.255
	169.254.169.254 2852039166 0xa9fea9fe 0xa9.0xfe.0xa9.0xfe 0251.0376.0251.0376 169.254.43518
	172.16.0.1 172.31.255.255 192.168.0.1 192.168.1 3232235521 192.0.0.8 192.0.0.170 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 192.175.48.1
	198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255
	[::] [::1] [0:0:0:0:0:0:0:1] [0000::0001] [::127.0.0.1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::FFFF:10.0.0.1] [0:0:0:0:0:ffff:c0a8:0001] [::ffff:169.254.169.254]
	[64:ff9b::7f00:1] [64:ff9b::10.0.0.1] [64:ff9b::93.184.215.14] [64:ff9b:1::1] [100::1] [100:0:0:1::1] [2001::1] [2001:0:53aa:64c::1] [2001:10::1] [2001:20::1] [2001:1ff::1]
	[2001:db8::1] [2002:7f00:1::] [2002:a00:1::1] [2002:c0a8:101::] [2002:a9fe:a9fe::] [3fff::1] [3fff:fff::1] [5f00::1] [fc00::1] [fd00:ec2::254] [fdff::1]
	[fe80::1] [fe80::1%25eth0] [::1%25lo] [2606:4700::1111%25eth0] [fec0::1] [ff02::1] [ff0e::1] [4000::1] [1::1]
	①②⑦.⓪.⓪.① ①②⑦.0.0.1 127。0。0。1 127.0.0.1 127.0.0.1 ⓛⓞⓒⓐⓛⓗⓞⓢⓣ ⑩.0.0.1 0x7f。1 localhost
	mixed.example.com mapped.example.com v6.example.com nat64.example.com six.example.com none.example.com`)
}

// Misshapen returns addresses of forms that Belfry never opens.
func Misshapen() []string {
	return []string{
		"", " ", "/", "//example.com/a", "example.com/a", "http://example.com/a", "HTTP://example.com/a",
		"ftp://example.com/a", "file:///etc/passwd",
		"gopher://example.com/", "data:image/png;base64,AAAA", "javascript:alert(1)", "https:", "https://", "https:///a",
		"https:example.com/a",
		"https://:443/a", "https://example.com:80/a", "https://example.com:8443/", "https://example.com:0443/",
		"https://example.com:65979/", "https://example.com:٤٤٣/",
		"https://example.com:+443/", "https://example.com:443:443/", "https://user@example.com/",
		"https://user:pw@example.com/", "https://@example.com/", "https://example.com@127.0.0.1/",
		"https://example.com:443@127.0.0.1/", "https://exam\nple.com/", "https://example.com\t/", "https://example.com /",
		"https://[::1/", "https://::1/", "https://[::1]extra/",
		"https://%zz/", "https://example.com/%", "https://[127.0.0.1]:22/", "https+unix://example.com/",
		"unix:///run/docker.sock", "wss://example.com/", "https://" + strings.Repeat("a", 5000),
	}
}

// Hostile returns a World in which the names in Inside resolve to private addresses.
func Hostile(t testing.TB, h http.HandlerFunc) *World {
	t.Helper()
	w := New(t, h)
	for name, means := range map[string]string{
		"localhost": "127.0.0.1 ::1", "internal.example.com": "10.0.0.7", "metadata.internal": "169.254.169.254",
		"v6.example.com":     "fd00::1",
		"mapped.example.com": "::ffff:127.0.0.1", "nat64.example.com": "64:ff9b::a00:1", "six.example.com": "2002:7f00:1::",
		"mixed.example.com": "10.0.0.1 ::1 192.168.1.1",
	} {
		w.Names[name] = []string{means}
	}
	return w
}
