package fetch

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// inside are hosts that lead, by one spelling or another, to where nothing of ours may go.
var inside = strings.Fields(`
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

// misshapen are addresses of a form that is not opened at all.
var misshapen = []string{
	"", " ", "/", "//example.com/a", "example.com/a", "http://example.com/a", "HTTP://example.com/a", "ftp://example.com/a", "file:///etc/passwd",
	"gopher://example.com/", "data:image/png;base64,AAAA", "javascript:alert(1)", "https:", "https://", "https:///a", "https:example.com/a",
	"https://:443/a", "https://example.com:80/a", "https://example.com:8443/", "https://example.com:0443/", "https://example.com:65979/", "https://example.com:٤٤٣/",
	"https://example.com:+443/", "https://example.com:443:443/", "https://user@example.com/", "https://user:pw@example.com/", "https://@example.com/", "https://example.com@127.0.0.1/",
	"https://example.com:443@127.0.0.1/", "https://exam\nple.com/", "https://example.com\t/", "https://example.com /", "https://[::1/", "https://::1/", "https://[::1]extra/",
	"https://%zz/", "https://example.com/%", "https://[127.0.0.1]:22/", "https+unix://example.com/", "unix:///run/docker.sock", "wss://example.com/", "https://" + strings.Repeat("a", 5000),
}

func hostileWorld(t *testing.T, h http.HandlerFunc) *world {
	t.Helper()
	w := newWorld(t, h)
	for name, means := range map[string]string{
		"localhost": "127.0.0.1 ::1", "internal.example.com": "10.0.0.7", "metadata.internal": "169.254.169.254", "v6.example.com": "fd00::1",
		"mapped.example.com": "::ffff:127.0.0.1", "nat64.example.com": "64:ff9b::a00:1", "six.example.com": "2002:7f00:1::", "mixed.example.com": "10.0.0.1 ::1 192.168.1.1",
	} {
		w.names[name] = []string{means}
	}
	return w
}

// refused fails unless the address gave nothing, in the words of every other failure.
func refused(t *testing.T, w *world, address string) {
	t.Helper()
	f, err := w.client(quick()).Get(t.Context(), address, 1<<20)
	if err == nil {
		f.Close()
		t.Errorf("%q was opened", address)
		return
	}
	if said := err.Error(); said != "the address could not be opened" && !errors.Is(err, ErrAddress) {
		t.Errorf("%q: said %q", address, said)
	}
	if failed := new(Error); errors.As(err, &failed) && failed.Transient {
		t.Errorf("%q would be tried again: %v", address, failed.err)
	}
	for _, to := range w.dials() {
		if to != here {
			t.Errorf("%q: dialed %v", address, to)
		}
	}
}

func TestHostileAddressesReachNothing(t *testing.T) {
	t.Parallel()
	if n := len(inside) + len(misshapen); n < 120 {
		t.Errorf("only %d addresses", n)
	}
	for _, host := range inside {
		w := hostileWorld(t, http.NotFound)
		refused(t, w, "https://"+host+"/a.jpg")
		refused(t, w, "https://"+host+":443/")
		if dialed := w.dials(); len(dialed) > 0 {
			t.Errorf("%s: dialed %v", host, dialed)
		}
	}
}

func TestMisshapenAddressesAreNotOpened(t *testing.T) {
	t.Parallel()
	for _, address := range misshapen {
		w := hostileWorld(t, http.NotFound)
		refused(t, w, address)
		if dialed := w.dials(); len(dialed) > 0 {
			t.Errorf("%q: dialed %v", address, dialed)
		}
	}
}

func TestRedirectsAreHeldToTheSameRules(t *testing.T) {
	t.Parallel()
	targets := slices.Concat(misshapen[5:12], []string{
		"https://127.0.0.1/", "//127.0.0.1/", "https://localhost/", "https://[::1]/", "https://10.0.0.1:443/", "https://169.254.169.254/latest/meta-data/",
		"https://①②⑦.⓪.⓪.①/", "https://mapped.example.com/", "https://example.com:22/", "https://user@example.com/", "http://127.0.0.1/", "https://2130706433/",
	})
	// The path is how many redirects there are, with which status, and where to.
	w := hostileWorld(t, func(rw http.ResponseWriter, r *http.Request) {
		var hops, status, target int
		if _, err := fmt.Sscanf(r.URL.Path, "/%d/%d/%d", &hops, &status, &target); err != nil {
			t.Error(err)
		}
		to := targets[target]
		if hops > 1 {
			to = fmt.Sprintf("https://example.com/%d/%d/%d", hops-1, status, target)
		}
		rw.Header().Set("Location", to)
		rw.WriteHeader(status)
	})
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, hops := range []int{1, 4} {
			for i, target := range targets {
				before := len(w.dials())
				refused(t, w, fmt.Sprintf("https://example.com/%d/%d/%d", hops, status, i))
				if got := len(w.dials()) - before; got != hops {
					t.Errorf("%d to %s after %d: %d dials", status, target, hops, got)
				}
			}
		}
	}
}

func TestFiveRedirectsAreFollowedAndNoMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(rw http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		if err != nil || n == 0 {
			_, _ = rw.Write([]byte("here"))
			return
		}
		http.Redirect(rw, r, "/"+strconv.Itoa(n-1)+"?secret", http.StatusFound)
	})
	f, err := w.client(quick()).Get(t.Context(), "https://example.com/5", 10)
	if err != nil {
		t.Fatal(err)
	}
	if got := readAll(t, f); got != "here" {
		t.Error(got)
	}
	for _, r := range w.asked {
		if r.Referer() != "" || len(r.Cookies()) > 0 {
			t.Errorf("%s came from %q", r.URL, r.Referer())
		}
	}
	refused(t, w, "https://example.com/6")
}

// A name that is public when it is looked at and private when it is dialed must not be dialed.
func TestRebinding(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(rw http.ResponseWriter, r *http.Request) { http.Redirect(rw, r, "/again", http.StatusFound) })
	w.names["example.com"] = []string{"93.184.215.14", "127.0.0.1"}
	refused(t, w, "https://example.com/")
	if got := w.dials(); !slices.Equal(got, []netip.AddrPort{here}) {
		t.Errorf("dialed %v", got)
	}
}

// Of a name's addresses only the public ones are dialed.
func TestMixedAddresses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(rw http.ResponseWriter, _ *http.Request) { _, _ = rw.Write([]byte("x")) })
	w.names["example.com"] = []string{"10.0.0.1 ::1 2606:4700::1 93.184.215.14"}
	f, err := w.client(quick()).Get(t.Context(), "https://example.com/", 1)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if got, want := w.dials(), []netip.AddrPort{netip.MustParseAddrPort("[2606:4700::1]:443"), here}; !slices.Equal(got, want) {
		t.Errorf("dialed %v", got)
	}
}

// The last look is at what the system is given, in the product's own dialer.
func TestConnectorRefusesByItself(t *testing.T) {
	t.Parallel()
	dial := connector(public())
	for _, to := range []string{"127.0.0.1:443", "[::1]:443", "[::ffff:127.0.0.1]:443", "10.0.0.1:443", "93.184.215.14:80", "[fe80::1%lo]:443"} {
		if conn, err := dial(t.Context(), netip.MustParseAddrPort(to)); !errors.Is(err, errRefused) {
			t.Errorf("%s: %v, %v", to, conn, err)
		}
	}
}

// A person must not learn from an answer or from its time what there is inside.
func TestFailuresReadAndTakeAlike(t *testing.T) {
	t.Parallel()
	w := hostileWorld(t, http.NotFound)
	w.names["away.example.com"] = []string{"93.184.215.99"}
	b := quick()
	b.round = 300 * time.Millisecond
	said := map[string]bool{}
	for _, host := range []string{"127.0.0.1", "away.example.com", "none.example.com", "example.com", "other.example.net"} {
		started := time.Now()
		_, err := w.client(b).Get(t.Context(), "https://"+host+"/", 1)
		if took := time.Since(started); took < b.round {
			t.Errorf("%s: only %v", host, took)
		}
		said[err.Error()] = true
	}
	if len(said) != 1 {
		t.Errorf("said %v", said)
	}
}

func FuzzAddress(f *testing.F) {
	for _, host := range inside {
		f.Add("https://" + host + "/")
	}
	for _, address := range misshapen {
		f.Add(address)
	}
	f.Add("https://93.184.215.15/a")     // dialed, and nobody is there
	allowed := func(a netip.Addr) bool { // another way to say it
		return a.IsGlobalUnicast() && !a.IsPrivate() && !a.IsLoopback() && a.Zone() == "" && !a.Is4In6() && (a.Is4() || a.As16()[0]>>5 == 1)
	}
	f.Fuzz(func(t *testing.T, address string) {
		w := world{}
		c := newClient(Config{Lookup: w.lookup, Dial: w.dial}, quick())
		if _, err := c.Get(t.Context(), address, 1); err == nil {
			t.Errorf("%q was opened", address)
		}
		for _, to := range w.dials() {
			if to.Port() != 443 || !allowed(to.Addr()) {
				t.Errorf("%q: dialed %v", address, to)
			}
		}
	})
}
