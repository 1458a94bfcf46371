// Package fetchtest simulates the internet for tests of code that opens addresses. Its functions are for fetch.Config.
// It does not import package fetch, because the tests of that package use it.
package fetchtest

import (
	"context"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// World is an internet with one server at one public address. It records every connection attempt.
type World struct {
	// Names lists the addresses to which a name resolves, one for each lookup; the last one is also for all further
	// lookups.
	Names  map[string][]string
	server *httptest.Server
	mu     sync.Mutex
	dialed []netip.AddrPort
	asked  []*http.Request
}

// Here returns the address of the server of a World.
func Here() netip.AddrPort { return netip.MustParseAddrPort("93.184.215.14:443") }

// New starts a server with the name example.com.
func New(t testing.TB, h http.HandlerFunc) *World {
	t.Helper()
	w := &World{Names: map[string][]string{"example.com": {"93.184.215.14"}}}
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

// Roots returns certificates that trust the world's server.
func (w *World) Roots() *x509.CertPool {
	roots := x509.NewCertPool()
	roots.AddCert(w.server.Certificate())
	return roots
}

// Dial connects to the world's server. It records all addresses, and refuses others.
func (w *World) Dial(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	w.mu.Lock()
	w.dialed = append(w.dialed, to)
	w.mu.Unlock()
	if to != Here() || w.server == nil {
		return nil, &net.OpError{Op: "dial", Err: context.DeadlineExceeded}
	}
	return new(net.Dialer).DialContext(ctx, "tcp", w.server.Listener.Addr().String())
}

// Dials lists the addresses that were dialed.
func (w *World) Dials() []netip.AddrPort {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.dialed)
}

// Lookup resolves everything that lenient resolvers accept: names, addresses, and numbers of one to four parts in three
// bases.
func (w *World) Lookup(_ context.Context, name string) ([]netip.Addr, error) {
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	w.mu.Lock()
	means := w.Names[name]
	if len(means) > 1 {
		w.Names[name] = means[1:]
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

// numbers parses an address as inet_aton does.
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

// Asked returns the requests that the server received.
func (w *World) Asked() []*http.Request {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.asked)
}
