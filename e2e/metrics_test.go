package e2e

import (
	"net/http"
	"strings"
	"testing"
)

// docs/operations.md, Health: what an operator is told to watch is there from the start, and memory has its bound.
func TestMetricsHaveTheirOwnAddress(t *testing.T) {
	t.Parallel()
	addr := freeAddr(t)
	s := newService(t, map[string]string{"METRICS_ADDR": addr})
	s.serveUntilReady()
	status, _, page := sendRequest(t, http.MethodGet, "http://"+addr+"/metrics", nil, nil)
	if status != http.StatusOK {
		t.Fatalf("%d %s", status, page)
	}
	for _, line := range []string{
		"\noldest_due_seconds 0\n", "\nfenced_writes_total 0\n", "\ngo_gc_gomemlimit_bytes 5.36870912e+08\n",
	} {
		if !strings.Contains(string(page), line) {
			t.Errorf("there is no line %q in %s", line, page)
		}
	}
	if status, _, _ := sendRequest(t, http.MethodGet, s.url+"/metrics", nil, nil); status != http.StatusNotFound {
		t.Errorf("the public address answers %d", status)
	}
}
