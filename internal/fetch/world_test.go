package fetch

import (
	"context"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// world is an internet of one server, behind one public address, with a record of every dial.
type world struct {
	server *httptest.Server
	names  map[string][]string // what a name means, one meaning after the other; the last one stays
	mu     sync.Mutex
	dialed []netip.AddrPort
	asked  []*http.Request
}

var here = netip.MustParseAddrPort("93.184.215.14:443")

// newWorld starts a server that is called example.com.
func newWorld(t *testing.T, h http.HandlerFunc) *world {
	t.Helper()
	w := &world{names: map[string][]string{"example.com": {"93.184.215.14"}}}
	w.server = httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		w.asked = append(w.asked, r)
		w.mu.Unlock()
		h(rw, r)
	}))
	w.server.StartTLS()
	t.Cleanup(w.server.Close)
	return w
}

func (w *world) client(b bounds) *Client {
	roots := x509.NewCertPool()
	roots.AddCert(w.server.Certificate())
	return newClient(Config{Lookup: w.lookup, Dial: w.dial, Roots: roots}, b)
}

// quick are bounds under which nothing that goes well fails, and no failure is held back.
func quick() bounds {
	return bounds{connect: 10 * time.Second, answer: 10 * time.Second, idle: 10 * time.Second, grace: 10 * time.Second, rate: 1, total: time.Minute}
}

func (w *world) dial(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	w.mu.Lock()
	w.dialed = append(w.dialed, to)
	w.mu.Unlock()
	if to != here || w.server == nil {
		return nil, &net.OpError{Op: "dial", Err: context.DeadlineExceeded}
	}
	return new(net.Dialer).DialContext(ctx, "tcp", w.server.Listener.Addr().String())
}

func (w *world) dials() []netip.AddrPort {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.dialed)
}

// lookup believes what the most credulous of resolvers believes: names, addresses, and numbers of one to
// four parts in three bases.
func (w *world) lookup(_ context.Context, name string) ([]netip.Addr, error) {
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	w.mu.Lock()
	means := w.names[name]
	if len(means) > 1 {
		w.names[name] = means[1:]
	}
	w.mu.Unlock()
	if len(means) > 0 {
		return parseAll(strings.Fields(means[0])), nil
	}
	if a, err := netip.ParseAddr(name); err == nil {
		return []netip.Addr{a}, nil
	}
	if a, ok := numbers(name); ok {
		return []netip.Addr{a}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}

func parseAll(all []string) (found []netip.Addr) {
	for _, a := range all {
		found = append(found, netip.MustParseAddr(a))
	}
	return found
}

// numbers is inet_aton.
func numbers(name string) (netip.Addr, bool) {
	parts := strings.Split(name, ".")
	var sum uint64
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 0, 32)
		if err != nil || len(parts) > 4 {
			return netip.Addr{}, false
		}
		if i < len(parts)-1 {
			sum |= n << (24 - 8*i)
		} else {
			sum |= n
		}
	}
	return netip.AddrFrom4([4]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)}), true
}

func readAll(t *testing.T, f *File) string {
	t.Helper()
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
