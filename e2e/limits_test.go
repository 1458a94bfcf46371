package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"
)

// startReplica starts the same service once more, with an address and a folder of its own, and the same file storage.
func (s *service) startReplica() *service {
	s.t.Helper()
	other := *s
	other.env = maps.Clone(s.env)
	other.env["STORAGE_URL"] = s.storageURL()
	other.env["ADDR"], other.env["DATA_DIR"] = freeAddr(s.t), s.t.TempDir()
	other.url = "http://" + other.env["ADDR"]
	other.serveUntilReady()
	return &other
}

// countStatuses sends n requests at once and counts the answers by their status.
func countStatuses(t testing.TB, n int, call func(i int) *http.Request) (map[int]int, http.Header) {
	t.Helper()
	var (
		mu      sync.Mutex
		all     sync.WaitGroup
		counts  = map[int]int{}
		refused http.Header
	)
	for i := range n {
		r := call(i)
		all.Go(func() {
			answer, err := http.DefaultClient.Do(r)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				counts[0]++
				return
			}
			defer answer.Body.Close()
			counts[answer.StatusCode]++
			if answer.StatusCode == http.StatusTooManyRequests {
				refused = answer.Header
			}
		})
	}
	all.Wait()
	return counts, refused
}

func newRequest(t testing.TB, method, url, key string, body any) *http.Request {
	t.Helper()
	reader, err := encodeBody(body)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), method, url, reader)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

// The goal: "64 concurrent creates at a limit of 60 let exactly 60 through", here at two replicas; and a refusal
// says how long to wait for one more.
func TestCreationLimitIsExactAcrossReplicas(t *testing.T) {
	t.Parallel()
	const window = 20 * time.Second
	s := newService(t, map[string]string{"LIMIT_CREATE": "60/" + window.String()})
	s.serveUntilReady()
	seed := s.seedWorkspace()
	urls := []string{s.url, s.startReplica().url}
	began := time.Now()
	counts, refused := countStatuses(t, 64, func(i int) *http.Request {
		return newRequest(
			t, "POST", urls[i%2]+"/v1/posts", seed.Key,
			newPostBody(fmt.Sprintf("One of 64, number %d", i), "draft", seed.Accounts["threads"]),
		)
	})
	if took := time.Since(began); took > window {
		t.Fatalf("64 creations took %s, longer than the window", took)
	}
	if counts[201] != 60 || counts[429] != 4 {
		t.Errorf("64 creations at a limit of 60 answer %v, want 60 times 201 and 4 times 429", counts)
	}
	c := s.newClient(seed.Key)
	before := c.do("POST", "/posts", newPostBody("Too early", "draft", seed.Accounts["threads"])).requireStatus(t, 429)
	wait, err := strconv.Atoi(before.Header["Retry-After"])
	if err != nil || refused.Get("Retry-After") == "" {
		t.Fatalf("Retry-After is %q and %q", before.Header["Retry-After"], refused.Get("Retry-After"))
	}
	<-time.After(time.Duration(wait) * time.Second)
	c.do("POST", "/posts", newPostBody("After the wait", "draft", seed.Accounts["threads"])).requireStatus(t, 201)
}

// The goal (limits "exact under concurrency, shared by replicas"): the address limit, whatever a client writes into
// X-Forwarded-For.
func TestForwardedHeadersDoNotEvadeTheAddressLimit(t *testing.T) {
	t.Parallel()
	const limit = 30
	s := newService(t, map[string]string{"LIMIT_ADDRESS": fmt.Sprintf("%d/10m", limit)})
	s.serveUntilReady()
	urls := []string{s.url, s.startReplica().url}
	counts, refused := countStatuses(t, limit+20, func(i int) *http.Request {
		r := newRequest(t, "GET", urls[i%2]+"/v1/openapi.json", "", nil)
		r.Header.Set("X-Forwarded-For", fmt.Sprintf("203.0.113.%d", i))
		r.Header.Set("X-Real-IP", fmt.Sprintf("203.0.113.%d", i))
		return r
	})
	// Asking whether the service is ready is not counted.
	if counts[200] != limit || counts[429] != 20 || refused.Get("Retry-After") == "" {
		t.Errorf("answers %v, Retry-After %q; want %d times 200 and 20 times 429", counts, refused.Get("Retry-After"), limit)
	}
}

// Behind a trusted proxy each client has a limit of its own: the address that the proxy saw, not those that the
// client put before it.
func TestAddressLimitCountsEachClientBehindATrustedProxy(t *testing.T) {
	t.Parallel()
	s := newService(t, map[string]string{"LIMIT_ADDRESS": "10/10m", "TRUSTED_PROXIES": "127.0.0.1,::1"})
	s.serveUntilReady()
	for _, client := range []string{"198.51.100.7", "198.51.100.8"} {
		counts, _ := countStatuses(t, 15, func(i int) *http.Request {
			r := newRequest(t, "GET", s.url+"/v1/openapi.json", "", nil)
			r.Header.Set("X-Forwarded-For", fmt.Sprintf("203.0.113.%d, %s", i, client))
			return r
		})
		if counts[200] != 10 || counts[429] != 5 {
			t.Errorf("%s: answers %v, want 10 times 200 and 5 times 429", client, counts)
		}
	}
}

// The goal: "200 concurrent takers of 50 slots get exactly 50", through the program at two replicas.
func TestPlanSlotsAreExactAcrossReplicas(t *testing.T) {
	t.Parallel()
	s := newService(t)
	plans := writeFile(t, `{"creator": {"Posts": 58, "API": true, "Groups": true, "MCP": "write"}}`)
	s.env["PLANS_FILE"] = plans
	s.serveUntilReady()
	seed := s.seedWorkspace() // takes 6 of the month's slots: two accounts, three posts each
	requireCommand(t, s.env, "", "workspace", "plan", "--workspace", seed.Workspace, "--plan", "creator")
	used, limit := s.newClient(seed.Key).countSlots()
	if limit == nil || *limit != 58 {
		t.Fatalf("the plan's limit is %v, want 58", limit)
	}
	urls := []string{s.url, s.startReplica().url}
	counts, _ := countStatuses(t, 200, func(i int) *http.Request {
		at := fields{"publishAt": time.Now().UTC().AddDate(0, 0, 2).Format("2006-01-02T15:04"), "timezone": "UTC"}
		return newRequest(
			t, "POST", urls[i%2]+"/v1/posts", seed.Key,
			newPostBody(fmt.Sprintf("Slot taker %d", i), at, seed.Accounts["threads"]),
		)
	})
	if want := 58 - used; counts[201] != want || counts[402] != 200-want {
		t.Errorf("200 takers of %d slots answer %v", want, counts)
	}
	if now, _ := s.newClient(seed.Key).countSlots(); now != 58 {
		t.Errorf("%d slots are used, want 58", now)
	}
}

// countSlots tells how many of the month's slots are used, and how many there are.
func (c *client) countSlots() (used int, limit *int) {
	c.t.Helper()
	var who struct {
		Usage struct {
			Posts struct {
				Used  int
				Limit *int
			}
		}
	}
	if err := json.Unmarshal([]byte(c.do("GET", "/whoami", nil).requireStatus(c.t, 200).Raw), &who); err != nil {
		c.t.Fatal(err)
	}
	return who.Usage.Posts.Used, who.Usage.Posts.Limit
}
