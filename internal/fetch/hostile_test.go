package fetch

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"belfry/internal/fetch/fetchtest"
)

func client(w *fetchtest.World, b limits) *Client {
	return newClient(Config{Lookup: w.Lookup, Dial: w.Dial, Roots: w.Roots()}, b)
}

// quick are bounds under which nothing that goes well fails, and no failure is held back.
func quick() limits {
	return limits{
		connectTimeout: 10 * time.Second, headerTimeout: 10 * time.Second, idleTimeout: 10 * time.Second,
		rateGrace: 10 * time.Second, minRate: 1, totalTimeout: time.Minute,
	}
}

func readAll(t *testing.T, f *FileBody) string {
	t.Helper()
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// refused fails unless the address gave nothing, in the words of every other failure.
func refused(t *testing.T, w *fetchtest.World, address string) {
	t.Helper()
	f, err := client(w, quick()).Get(t.Context(), address, 1<<20)
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
	for _, to := range w.Dials() {
		if to != fetchtest.Here() {
			t.Errorf("%q: dialed %v", address, to)
		}
	}
}

func TestHostileAddressesReachNothing(t *testing.T) {
	t.Parallel()
	if n := len(fetchtest.Inside()) + len(fetchtest.Misshapen()); n < 120 {
		t.Errorf("only %d addresses", n)
	}
	for _, host := range fetchtest.Inside() {
		w := fetchtest.Hostile(t, http.NotFound)
		refused(t, w, "https://"+host+"/a.jpg")
		refused(t, w, "https://"+host+":443/")
		if dialed := w.Dials(); len(dialed) > 0 {
			t.Errorf("%s: dialed %v", host, dialed)
		}
	}
}

func TestMisshapenAddressesAreNotOpened(t *testing.T) {
	t.Parallel()
	for _, address := range fetchtest.Misshapen() {
		w := fetchtest.Hostile(t, http.NotFound)
		refused(t, w, address)
		if dialed := w.Dials(); len(dialed) > 0 {
			t.Errorf("%q: dialed %v", address, dialed)
		}
	}
}

func TestRedirectsAreHeldToTheSameRules(t *testing.T) {
	t.Parallel()
	targets := slices.Concat(fetchtest.Misshapen()[5:12], []string{
		"https://127.0.0.1/", "//127.0.0.1/", "https://localhost/", "https://[::1]/", "https://10.0.0.1:443/",
		"https://169.254.169.254/latest/meta-data/",
		"https://①②⑦.⓪.⓪.①/", "https://mapped.example.com/", "https://example.com:22/", "https://user@example.com/",
		"http://127.0.0.1/", "https://2130706433/",
	})
	// The path is how many redirects there are, with which status, and where to.
	w := fetchtest.Hostile(t, func(rw http.ResponseWriter, r *http.Request) {
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
				before := len(w.Dials())
				refused(t, w, fmt.Sprintf("https://example.com/%d/%d/%d", hops, status, i))
				if got := len(w.Dials()) - before; got != hops {
					t.Errorf("%d to %s after %d: %d dials", status, target, hops, got)
				}
			}
		}
	}
}

func TestFiveRedirectsAreFollowedAndNoMore(t *testing.T) {
	t.Parallel()
	w := fetchtest.New(t, func(rw http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		if err != nil || n == 0 {
			_, _ = rw.Write([]byte("here"))
			return
		}
		http.Redirect(rw, r, "/"+strconv.Itoa(n-1)+"?secret", http.StatusFound)
	})
	f, err := client(w, quick()).Get(t.Context(), "https://example.com/5", 10)
	if err != nil {
		t.Fatal(err)
	}
	if got := readAll(t, f); got != "here" {
		t.Error(got)
	}
	for _, r := range w.Asked() {
		if r.Referer() != "" || len(r.Cookies()) > 0 {
			t.Errorf("%s came from %q", r.URL, r.Referer())
		}
	}
	refused(t, w, "https://example.com/6")
}

// A name that is public when it is looked at and private when it is dialed must not be dialed.
func TestRebinding(t *testing.T) {
	t.Parallel()
	w := fetchtest.New(t,
		func(rw http.ResponseWriter, r *http.Request) { http.Redirect(rw, r, "/again", http.StatusFound) })
	w.Names["example.com"] = []string{"93.184.215.14", "127.0.0.1"}
	refused(t, w, "https://example.com/")
	if got := w.Dials(); !slices.Equal(got, []netip.AddrPort{fetchtest.Here()}) {
		t.Errorf("dialed %v", got)
	}
}

// Of a name's addresses only the public ones are dialed.
func TestMixedAddresses(t *testing.T) {
	t.Parallel()
	w := fetchtest.New(t, func(rw http.ResponseWriter, _ *http.Request) { _, _ = rw.Write([]byte("x")) })
	w.Names["example.com"] = []string{"10.0.0.1 ::1 2606:4700::1 93.184.215.14"}
	f, err := client(w, quick()).Get(t.Context(), "https://example.com/", 1)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if got, want := w.Dials(), []netip.AddrPort{netip.MustParseAddrPort("[2606:4700::1]:443"), fetchtest.Here()}; !slices.Equal(got, want) {
		t.Errorf("dialed %v", got)
	}
}

// The last look is at what the system is given, in the product's own dialer.
func TestConnectorRefusesByItself(t *testing.T) {
	t.Parallel()
	dial := newPublicDialer(newIsPublicAddressFunc())
	for _, to := range []string{"127.0.0.1:443", "[::1]:443", "[::ffff:127.0.0.1]:443", "10.0.0.1:443", "93.184.215.14:80", "[fe80::1%lo]:443"} {
		if conn, err := dial(t.Context(), netip.MustParseAddrPort(to)); !errors.Is(err, errRefused) {
			t.Errorf("%s: %v, %v", to, conn, err)
		}
	}
}

// A person must not learn from an answer or from its time what there is inside.
func TestFailuresReadAndTakeAlike(t *testing.T) {
	t.Parallel()
	w := fetchtest.Hostile(t, http.NotFound)
	w.Names["away.example.com"] = []string{"93.184.215.99"}
	b := quick()
	b.delayUnit = 300 * time.Millisecond
	said := map[string]bool{}
	for _, host := range []string{"127.0.0.1", "away.example.com", "none.example.com", "example.com", "other.example.net"} {
		started := time.Now()
		_, err := client(w, b).Get(t.Context(), "https://"+host+"/", 1)
		if took := time.Since(started); took < b.delayUnit {
			t.Errorf("%s: only %v", host, took)
		}
		said[err.Error()] = true
	}
	if len(said) != 1 {
		t.Errorf("said %v", said)
	}
}

func FuzzAddress(f *testing.F) {
	for _, host := range fetchtest.Inside() {
		f.Add("https://" + host + "/")
	}
	for _, address := range fetchtest.Misshapen() {
		f.Add(address)
	}
	f.Add("https://93.184.215.15/a")     // dialed, and nobody is there
	allowed := func(a netip.Addr) bool { // another way to say it
		return a.IsGlobalUnicast() && !a.IsPrivate() && !a.IsLoopback() && a.Zone() == "" && !a.Is4In6() &&
			(a.Is4() || a.As16()[0]>>5 == 1)
	}
	f.Fuzz(func(t *testing.T, address string) {
		w := fetchtest.World{}
		c := newClient(Config{Lookup: w.Lookup, Dial: w.Dial}, quick())
		if _, err := c.Get(t.Context(), address, 1); err == nil {
			t.Errorf("%q was opened", address)
		}
		for _, to := range w.Dials() {
			if to.Port() != 443 || !allowed(to.Addr()) {
				t.Errorf("%q: dialed %v", address, to)
			}
		}
	})
}
