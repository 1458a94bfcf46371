package api_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"belfry/api"
	"belfry/api/apitest"
	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/core"
	"belfry/internal/httpd"
)

// rig is the complete API with a complete App. Every response is checked against the description.
type rig struct {
	*apptest.Harness
	t      testing.TB
	base   string
	client *http.Client
	seen   sync.Map // by the value of the session cookie: core.Caller
}

func open(t *testing.T, options ...func(*app.Config)) *rig {
	t.Helper()
	r := &rig{Harness: apptest.New(t, options...), t: t}
	public, err := url.Parse(apptest.PublicURL)
	must(t, err)
	server, err := httpd.New(httpd.Config{
		Addr: "127.0.0.1:0", Logger: r.Config.Log, PublicURL: public, Sandbox: true, UpgradeURL: "https://example.org/plans",
		Unavailable: func(err error) bool { return strings.Contains(err.Error(), "closed pool") },
	})
	must(t, err)
	v1, err := api.New(api.Config{
		App: r.App, Networks: r.Config.Networks, Log: r.Config.Log, LimitAddress: r.Config.LimitAddress,
		LimitCreate: r.Config.LimitCreate,
		Session:     r.session,
		SameOrigin:  server.CheckSameOrigin, VerificationFiles: map[string]string{"proof1.txt": "site-verification=1"},
	})
	must(t, err)
	v1.Mount(server.Echo)
	listener := httptest.NewServer(server)
	t.Cleanup(listener.Close)
	checker, err := apitest.NewResponseChecker(v1.Document())
	must(t, err)
	r.base = listener.URL
	r.client = &http.Client{Transport: checker.Transport(listener.Client().Transport, func(err error) { t.Error(err) })}
	return r
}

func (r *rig) session(req *http.Request) (core.Caller, error) {
	cookie, err := req.Cookie("session")
	if err != nil {
		return core.Caller{}, nil //nolint:nilerr // nobody is signed in
	}
	c, _ := r.seen.Load(cookie.Value)
	caller, _ := c.(core.Caller)
	return caller, nil
}

// answer is what came back.
type answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// code is the error code of the body.
func (a answer) code() core.Code {
	var body struct {
		Code core.Code `json:"code"`
	}
	_ = json.Unmarshal(a.Body, &body) // a body without a code has none
	return body.Code
}

// read decodes the body.
func (a answer) read(t testing.TB, into any) {
	t.Helper()
	if err := json.Unmarshal(a.Body, into); err != nil {
		t.Fatalf("%v: %s", err, a.Body)
	}
}

// with changes a request before it is made.
type with func(*http.Request)

func bearerKey(key apptest.Key) with {
	return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+key.Bearer) }
}

func header(name, value string) with {
	return func(r *http.Request) { r.Header.Add(name, value) }
}

// signedIn makes the request as a page of the dashboard would.
func (r *rig) signedIn(c core.Caller) with {
	name := c.AttributedUser().String() + c.Workspace().String()
	r.seen.Store(name, c)
	return func(req *http.Request) {
		req.AddCookie(&http.Cookie{Name: "session", Value: name})
		req.Header.Set("Sec-Fetch-Site", "same-origin")
	}
}

// do makes a request, with a body that is JSON unless a header says otherwise.
func (r *rig) do(method, path, body string, with ...with) answer {
	r.t.Helper()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(r.Context(), method, r.base+path, reader)
	must(r.t, err)
	for _, w := range with {
		w(req)
	}
	if body != "" && req.Header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := r.client.Do(req)
	must(r.t, err)
	read, err := io.ReadAll(resp.Body)
	must(r.t, err)
	must(r.t, resp.Body.Close())
	return answer{resp.StatusCode, resp.Header, bytes.TrimSpace(read)}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (a answer) want(t testing.TB, status int, code core.Code) {
	t.Helper()
	if a.Status != status || a.code() != code {
		t.Fatalf("want %d %s, got %d: %s", status, code, a.Status, a.Body)
	}
}

type description struct {
	Paths      map[string]map[string]any
	Components struct {
		Examples map[string]struct{ Value json.RawMessage }
		Schemas  map[string]schema
	}
}

// schema is what tests read of a record's description.
type schema struct {
	Ref         string `json:"$ref"`
	Type        any
	Format      string
	Enum        []any
	Properties  map[string]schema
	Items       *schema
	AnyOf       []schema
	OneOf       []schema
	Description string

	AdditionalProperties schemaOrBool
}

// schemaOrBool is a schema, or nil for true and false.
type schemaOrBool struct{ schema *schema }

func (s *schemaOrBool) UnmarshalJSON(data []byte) error {
	if data[0] != '{' {
		return nil
	}
	return json.Unmarshal(data, &s.schema)
}

// document is the description in the repository.
func document(t testing.TB) description {
	t.Helper()
	var doc description
	file, err := os.ReadFile("testdata/openapi.json")
	must(t, err)
	must(t, json.Unmarshal(file, &doc))
	return doc
}
