package sim

import (
	"context"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"
)

// callsKept is the size of the ring, enough for all calls of a benchmark with 1,000 posts.
const callsKept = 10_000

// CallRecord is one request that reached a simulated network.
type CallRecord struct {
	At             time.Time `json:"at"`
	Network        string    `json:"network"`
	Method         string    `json:"method"`
	Host           string    `json:"host"`
	Path           string    `json:"path"`
	Call           string    `json:"call"`
	Account        string    `json:"account"`
	IdempotencyKey bool      `json:"idempotencyKey"`
	TokenInQuery   bool      `json:"tokenInQuery"`
	Status         int       `json:"status"` // 0 while unanswered and when the connection was dropped
	Fault          string    `json:"fault,omitempty"`
	// Overlaps is true if another publishing call of the account was in progress when this one arrived.
	Overlaps bool `json:"overlaps,omitempty"`
}

// Calls holds the most recent requests.
type Calls struct {
	mu    sync.Mutex
	ring  []CallRecord
	total int
	// uploaded is how many bytes of files have arrived, by network.
	uploaded map[string]int
	// publishing counts the publishing calls in progress, by network and account.
	publishing map[[2]string]int
}

func newCalls(size int) *Calls {
	return &Calls{ring: make([]CallRecord, size), uploaded: map[string]int{}, publishing: map[[2]string]int{}}
}

// beginPublish counts a publishing call until end is called, and reports whether another call of the account is in
// progress.
func (c *Calls) beginPublish(network, account string) (overlaps bool, end func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := [2]string{network, account}
	c.publishing[key]++
	return c.publishing[key] > 1, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.publishing[key]--; c.publishing[key] == 0 {
			delete(c.publishing, key)
		}
	}
}

func (c *Calls) addUploadedBytes(network string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.uploaded[network] += n
}

// UploadedBytes returns how many bytes of files have arrived, by network. Bytes that were sent twice count twice.
func (c *Calls) UploadedBytes() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.uploaded)
}

func (c *Calls) addRecord(rec CallRecord) (seq int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ring[c.total%len(c.ring)] = rec
	c.total++
	return c.total - 1
}

func (c *Calls) updateRecordIfKept(seq int, change func(*CallRecord)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if seq >= 0 && seq >= c.total-len(c.ring) {
		change(&c.ring[seq%len(c.ring)])
	}
}

// CountCalls returns how many requests have reached the networks.
func (c *Calls) CountCalls() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.total
}

// ListLast returns the latest requests, at most limit, oldest first. A limit of 0 returns all that are remembered.
func (c *Calls) ListLast(limit int) []CallRecord {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := min(c.total, len(c.ring))
	if limit > 0 {
		n = min(n, limit)
	}
	recent := make([]CallRecord, 0, n)
	for seq := c.total - n; seq < c.total; seq++ {
		recent = append(recent, c.ring[seq%len(c.ring)])
	}
	return recent
}

type requestKey struct{}

type request struct {
	seq int
	at  time.Time
}

// BeginRequest records the arrival of a request and returns it with the real host in r.Host and the real path in
// r.URL.
func (k *Kit) BeginRequest(r *http.Request, network, host, path, rawPath string) *http.Request {
	at := k.Now()
	seq := k.Calls.addRecord(CallRecord{
		At: at, Network: network, Method: r.Method, Host: host, Path: path,
		IdempotencyKey: hasIdempotencyKey(r), TokenInQuery: r.URL.Query().Has("access_token"),
	})
	inner := r.WithContext(context.WithValue(r.Context(), requestKey{}, request{seq: seq, at: at}))
	u := *r.URL
	u.Path, u.RawPath = path, rawPath
	inner.URL, inner.Host = &u, host
	return inner
}

func hasIdempotencyKey(r *http.Request) bool {
	return r.Header.Get("Idempotency-Key") != "" || r.Header.Get("X-Idempotency-Key") != ""
}

// RequestHost returns the real host name of a request.
func RequestHost(r *http.Request) string {
	host, _, _ := strings.Cut(r.Host, ":")
	return strings.ToLower(host)
}

// ArrivalTime returns when the request reached the network, before any scripted delay.
func (k *Kit) ArrivalTime(r *http.Request) time.Time {
	if q, ok := r.Context().Value(requestKey{}).(request); ok {
		return q.at
	}
	return k.Now()
}

func (k *Kit) updateRequestRecord(r *http.Request, change func(*CallRecord)) {
	if q, ok := r.Context().Value(requestKey{}).(request); ok {
		k.Calls.updateRecordIfKept(q.seq, change)
	}
}
