package networktest

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/sim"
)

const (
	clientID     = "1234567890123456"
	clientSecret = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
	callback     = "http://localhost:8080/accounts/callback/network"
	verifier     = "a-verifier-of-at-least-43-characters-of-the-url-alphabet"
)

// World is one network with its own simulator, which it calls over HTTP.
type World struct {
	t      *testing.T
	h      Harness
	Kit    *sim.Kit
	Net    network.Network
	Client *network.Client
	Base   string // of the simulators

	visitor *http.Client // reads pages; a server that stops would close connections of http.DefaultClient

	shelf *shelf
	made  map[core.FileFacts][]byte

	received atomic.Int64 // bytes of requests that the simulators have read

	mu       sync.Mutex
	now      time.Time
	instead  http.HandlerFunc
	requests []*http.Request
	doing    core.Action   // the worker's current step
	watched  []core.Action // the step of each request since StartRecording
	lose     int           // the number of the request that is lost; 0 for none
	arrives  bool          // whether the lost request takes effect
}

// NewWorld starts the simulator and returns the network.
func NewWorld(t *testing.T, h Harness) *World {
	t.Helper()
	w := &World{
		t: t, h: h, shelf: newShelf(t), made: map[core.FileFacts][]byte{}, now: time.Date(2026, 10, 5, 9, 0, 0, 0, time.UTC),
	}
	simulators, kit := h.Sandbox(t, w.Now, clientID, clientSecret)
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		r.Body = countedBody{r.Body, &w.received}
		w.mu.Lock()
		instead := w.instead
		w.requests = append(w.requests, r)
		w.watched = append(w.watched, w.doing)
		lost, arrives := len(w.watched) == w.lose, w.arrives
		w.mu.Unlock()
		if lost && arrives {
			simulators.ServeHTTP(httptest.NewRecorder(), r)
		}
		if lost {
			closeConnection(rw, r)
			return
		}
		if instead != nil {
			instead(rw, r)
			return
		}
		simulators.ServeHTTP(rw, r)
	}))
	t.Cleanup(func() {
		server.Close()
		if err := kit.Close(); err != nil {
			t.Errorf("close the simulators: %v", err)
		}
	})
	w.Kit, w.Base, w.visitor = kit, server.URL, server.Client()
	w.Net = w.setClientAndCreateNetwork(server.URL)
	t.Cleanup(w.checkRequests)
	return w
}

// countedBody counts the bytes that are read of a body.
type countedBody struct {
	io.ReadCloser
	read *atomic.Int64
}

func (b countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.read.Add(int64(n))
	return n, err
}

// setClientAndCreateNetwork creates the network as a server with this NETWORKS_URL does. It also replaces w.Client.
func (w *World) setClientAndCreateNetwork(base string) network.Network {
	w.t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		w.t.Fatal(err)
	}
	w.Client = network.NewClient(network.ClientConfig{NetworksURL: u})
	w.t.Cleanup(w.Client.CloseIdleConnections)
	n, err := w.h.Driver.New(network.Environment{Client: w.Client, Get: w.h.readVariable, Now: w.Now})
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

// readVariable returns the value of a configuration variable: test credentials, or its default.
func (h Harness) readVariable(name string) string {
	switch {
	case strings.HasSuffix(name, "_CLIENT_ID"):
		return clientID
	case strings.HasSuffix(name, "_CLIENT_SECRET"):
		return clientSecret
	}
	for _, v := range h.Driver.Variables {
		if v.Name == name {
			return v.Default
		}
	}
	return ""
}

// Now returns the time of the network and the simulator.
func (w *World) Now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// Advance moves the clock forward.
func (w *World) Advance(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// ReplaceServer replaces the simulator for all further calls; nil restores it.
func (w *World) ReplaceServer(answer http.HandlerFunc) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.instead = answer
}

// StartRecording starts recording the step for which each request is made.
func (w *World) StartRecording() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watched = nil
}

// RecordedSteps returns the steps that were recorded.
func (w *World) RecordedSteps() []core.Action {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.watched)
}

// LoseRequest drops the connection of the nth request, counted from now. arrives says whether the request takes effect.
func (w *World) LoseRequest(n int, arrives bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watched, w.lose, w.arrives = nil, n, arrives
}

// hasLostRequest reports whether the request that LoseRequest names was made.
func (w *World) hasLostRequest() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lose > 0 && len(w.watched) >= w.lose
}

func (w *World) setStep(do core.Action) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.doing = do
}

// refuseGateWaitsAndWaitIdle waits until the simulators have finished their background work. Requests that wait for a
// gate get 404 instead, now and later.
func (w *World) refuseGateWaitsAndWaitIdle() {
	w.t.Helper()
	w.shelf.openGateOrEndWaits("")
	if err := w.Kit.WaitIdle(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// AddFault adds a fault to the simulator.
func (w *World) AddFault(f sim.Fault) {
	w.t.Helper()
	if _, err := w.Kit.Faults.Add(f); err != nil {
		w.t.Fatal(err)
	}
}

// VisiblePosts returns the posts that the public can see.
func (w *World) VisiblePosts() []sim.Post { return w.Kit.Posts.All() }

// Connect goes through the consent page and returns the first usable profile.
func (w *World) Connect() network.Profile {
	w.t.Helper()
	profiles, err := w.Net.ExchangeCode(w.t.Context(), w.GrantConsent())
	if err != nil {
		w.t.Fatalf("exchange: %v", err)
	}
	for _, p := range profiles {
		if p.Unusable == "" {
			return p
		}
	}
	w.t.Fatalf("no usable profile in %+v", profiles)
	return network.Profile{}
}

// GrantConsent returns the response of the consent page after a person has agreed.
func (w *World) GrantConsent() network.AuthResponse {
	w.t.Helper()
	back := w.SubmitConsent("allow")
	if back.Get("code") == "" || back.Get("state") != "the-state" {
		w.t.Fatalf("the consent page redirected with %v", back)
	}
	grant := network.AuthResponse{Code: back.Get("code"), RedirectURI: callback}
	if w.Net.Describe().PKCE {
		grant.Verifier = verifier
	}
	return grant
}

// SubmitConsent opens the consent page, submits the decision, and returns the parameters of the redirect.
func (w *World) SubmitConsent(decision string) url.Values {
	w.t.Helper()
	request := network.AuthRequest{State: "the-state", RedirectURI: callback}
	if w.Net.Describe().PKCE {
		sum := sha256.Sum256([]byte(verifier))
		request.Challenge = base64.RawURLEncoding.EncodeToString(sum[:])
	}
	address := w.Net.AuthorizeURL(request)
	if again := w.Client.BrowserURL(address); again != address {
		w.t.Errorf("BrowserURL changes an address that it has already changed: %s", again)
	}
	u, err := url.Parse(address)
	if err != nil || !strings.HasPrefix(address, w.Base+"/") {
		w.t.Fatalf("the consent page %q is not on the simulators' server", address)
	}
	browser := *w.visitor
	browser.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if page := w.fetchStatus(address); page != http.StatusOK {
		w.t.Fatalf("the consent page has status %d", page)
	}
	form := u.Query()
	form.Set("decision", decision)
	maps.Copy(form, w.h.Consent)
	u.RawQuery = ""
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, u.String(), strings.NewReader(form.Encode()))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := browser.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	back, err := resp.Location()
	if err != nil {
		w.t.Fatalf("the consent page has status %d and does not redirect", resp.StatusCode)
	}
	return back.Query()
}

func (w *World) fetchStatus(address string) int {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, address, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	resp, err := w.visitor.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

// NewItem returns a post of a newly connected profile.
func (w *World) NewItem(text string) network.Item {
	w.t.Helper()
	return w.newItemFor(w.Connect(), text)
}

func (w *World) newItemFor(p network.Profile, text string) network.Item {
	w.t.Helper()
	return network.Item{
		Text: text, Title: w.h.Simplest.Title, Files: w.NewFiles(w.h.Simplest.Media...), Settings: json.RawMessage(`{}`),
		Profile: p.ExternalID, Username: p.Username, Token: p.Token, ArmedAt: w.Now(),
	}
}

// NewHandle creates a handle, if the flow has one, and waits until it is ready to publish.
func (w *World) NewHandle(it network.Item) string {
	w.t.Helper()
	handle := ""
	if w.Net.DeliveryFor(it.DraftWithoutAccount()).Flow.MakesHandle() {
		var err error
		if handle, err = w.Net.CreateHandle(w.t.Context(), it); err != nil {
			w.t.Fatalf("create: %v", err)
		}
	}
	w.refuseGateWaitsAndWaitIdle()
	for {
		st, err := w.Net.AdvanceStatus(w.t.Context(), it, handle)
		handle = cmp.Or(st.Handle, handle)
		switch {
		case err != nil || st.Verdict != core.Ready && st.Verdict != core.Progress:
			w.t.Fatalf("status of a fresh handle: %+v, %v", st, err)
		case st.Verdict == core.Ready:
			return handle
		}
	}
}

// AskOutcome asks the network what happened to the irreversible call: it queries the handle or, without one, searches.
func (w *World) AskOutcome(it network.Item, handle string) (network.Status, error) {
	if w.Net.DeliveryFor(it.DraftWithoutAccount()).Flow.CanRepeatCall() {
		return w.Net.AdvanceStatus(w.t.Context(), it, handle)
	}
	it.Handle = handle
	return w.Net.FindPost(w.t.Context(), it)
}

// CheckError checks that an error is a *network.Error of the kind and contains no secret.
func (w *World) CheckError(err error, kind network.ErrorKind, secrets ...network.Secret) {
	w.t.Helper()
	_ = w.RequireError(err, kind, secrets...)
}

// RequireError is like CheckError, but also returns the error. It ends the test if the error is not a *network.Error.
func (w *World) RequireError(err error, kind network.ErrorKind, secrets ...network.Secret) *network.Error {
	w.t.Helper()
	var e *network.Error
	if !errors.As(err, &e) {
		w.t.Fatalf("want a *network.Error, got %T: %v", err, err)
	}
	if e.Kind != kind {
		w.t.Errorf("want kind %s, got %s: %v", kind, e.Kind, err)
	}
	told := fmt.Sprintf("%v %+v %#v %v %s", err, err, *e, e.Unwrap(), e.Raw)
	for _, s := range append(secrets, clientSecret) {
		if s != "" && strings.Contains(told, s.Reveal()) {
			w.t.Errorf("the error contains a secret: %s", told)
		}
	}
	return e
}

// checkRequests checks that no request of the test had an idempotency key, or a secret in its address.
func (w *World) checkRequests() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.requests {
		for _, name := range []string{"Idempotency-Key", "X-Idempotency-Key"} {
			if r.Header.Get(name) != "" {
				w.t.Errorf("%s %s has %s", r.Method, r.URL.Path, name)
			}
		}
		allowed := slices.ContainsFunc(w.h.TokenPaths, func(p string) bool { return strings.HasSuffix(r.URL.Path, p) })
		for name := range r.URL.Query() {
			if !allowed && slices.Contains([]string{"access_token", "client_secret", "fb_exchange_token", "input_token"}, name) {
				w.t.Errorf("%s %s has %s in its address", r.Method, r.URL.Path, name)
			}
		}
	}
}
