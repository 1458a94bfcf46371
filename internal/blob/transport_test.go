package blob

import (
	"errors"
	"net"
	"net/http"
	"os"
	"testing"
	"time"
)

// A server that was frozen takes connections and says nothing.
func TestTransportGivesUpOnSilence(t *testing.T) {
	t.Parallel()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+l.Addr().String(), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := newTransport(50 * time.Millisecond).RoundTrip(r)
	if err == nil {
		answer.Body.Close()
	}
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error(err)
	}
}
