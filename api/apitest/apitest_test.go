package apitest_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"belfry/api/apitest"
)

func newResponseChecker(t *testing.T) *apitest.ResponseChecker {
	t.Helper()
	document, err := os.ReadFile("../testdata/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	c, err := apitest.NewResponseChecker(document)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAnAnswerAgainstItsDescriptionIsFound(t *testing.T) {
	t.Parallel()
	checker := newResponseChecker(t)
	const failure = `{"code":"not_found","message":"m","hint":"h"}`
	for name, c := range map[string]struct {
		request string
		status  int
		body    string
		sound   bool
	}{
		"as described":              {"GET /v1/accounts", 200, `{"accounts":[],"nextCursor":null}`, true},
		"a field too many":          {"GET /v1/accounts", 200, `{"accounts":[],"nextCursor":null,"total":0}`, false},
		"a field missing":           {"GET /v1/accounts", 200, `{"accounts":[]}`, false},
		"null for a list":           {"GET /v1/accounts", 200, `{"accounts":null,"nextCursor":null}`, false},
		"another type":              {"GET /v1/accounts", 200, `{"accounts":{},"nextCursor":null}`, false},
		"another status":            {"GET /v1/accounts", 202, `{"accounts":[],"nextCursor":null}`, false},
		"an error as described":     {"GET /v1/posts/x", 404, failure, true},
		"an error without message":  {"GET /v1/posts/x", 404, `{"code":"not_found"}`, false},
		"an error of no known code": {"GET /v1/posts/x", 404, `{"code":"gone_fishing","message":"m"}`, false},
		"an undescribed error":      {"GET /v1/accounts", 404, failure, false},
		"plan is not an id":         {"POST /v1/posts/plan", 404, `{"code":"x"}`, false},
		"no route, as errors are":   {"GET /v1/nowhere", 404, failure, true},
		"no route, and no JSON":     {"GET /v1/nowhere", 404, `<html>`, false},
		"no route, another body":    {"PUT /v1/posts", 405, `{"message":"m"}`, false},
		"not of /v1":                {"GET /livez", 200, `ok`, true},
	} {
		method, path, _ := strings.Cut(c.request, " ")
		header := http.Header{"Content-Type": {"application/json"}, "X-Request-Id": {"x"}, "Ratelimit-Policy": {"x"}}
		err := checker.Check(httptest.NewRequestWithContext(t.Context(), method, path, nil), c.status, header, []byte(c.body))
		if (err == nil) != c.sound {
			t.Errorf("%s: %v", name, err)
		}
	}
	bare := http.Header{"Content-Type": {"application/json"}}
	if err := checker.Check(httptest.NewRequestWithContext(t.Context(), "GET", "/v1/accounts", nil), 200, bare, []byte(`{"accounts":[],"nextCursor":null}`)); err == nil {
		t.Error("an answer without its headers was let by")
	}
}

func TestTheTransportReportsAndHandsOn(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_,
			_ = w.Write([]byte(`{}`))
	}))
	t.Cleanup(server.Close)
	var reported []error
	report := func(err error) { reported = append(reported, err) }
	client := &http.Client{Transport: newResponseChecker(t).Transport(nil, report)}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/v1/whoami", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if len(reported) != 1 || resp.StatusCode != http.StatusOK {
		t.Errorf("reported %v, answered %d", reported, resp.StatusCode)
	}
}
