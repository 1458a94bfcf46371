package web_test

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
)

func TestTheReferenceShowsEveryRouteAndRecord(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("../api/testdata/openapi.json")
	must(t, err)
	var doc struct {
		Paths map[string]map[string]struct {
			OperationID string
			Responses   map[string]any
		}
		Components struct{ Schemas map[string]any }
	}
	must(t, json.Unmarshal(file, &doc))
	b := open(t).browser()
	page := b.get("/docs/api").is(t, http.StatusOK)
	if base := textOf(page.one(t, testid("base-url"))); !strings.HasPrefix(base, "http") || !strings.HasSuffix(base, "/v1") {
		t.Errorf("the base URL is %s", base)
	}
	shown := 0
	for path, methods := range doc.Paths {
		for method, op := range methods {
			shown++
			card := page.one(t, "#"+op.OperationID)
			words := textOf(card)
			if !strings.Contains(words, path) || !strings.Contains(words, strings.ToUpper(method)) ||
				!strings.Contains(words, "curl") {
				t.Errorf("%s %s is shown as %s", method, path, words)
			}
			if n := len(page.all("#" + op.OperationID + " .ref-status")); n != len(op.Responses) {
				t.Errorf("%s shows %d answers of %d", op.OperationID, n, len(op.Responses))
			}
		}
	}
	if n := len(page.all(testid("route"))); n != shown {
		t.Errorf("%d routes are shown, want %d", n, shown)
	}
	if n := len(page.all(testid("record"))); n != len(doc.Components.Schemas) {
		t.Errorf("%d records are shown, want %d", n, len(doc.Components.Schemas))
	}
	if got := textOf(page.all("#createPosts .ref-answers p")[0]); got != "Created: Posts" {
		t.Errorf("what is answered reads %q", got)
	}
	if got := textOf(page.all("#putUpload pre")[0]); !strings.Contains(got,
		`curl "http://localhost:8080/upload/{token}"`) || strings.Contains(got, "$KEY") {
		t.Errorf("an upload reads %s", got)
	}
	if got := textOf(page.all("#getPost pre")[0]); !strings.Contains(got, "Bearer $KEY") {
		t.Errorf("a request reads %s", got)
	}
	for _, n := range page.all(".ref-card p") {
		if words := textOf(n); strings.Contains(words, " ,") || strings.Contains(words, " :") {
			t.Errorf("oddly spaced: %s", words)
		}
	}
	for _, link := range page.all(".ref a[href^='#']") {
		if href := attribute(link, "href"); len(page.all("[id='"+href[1:]+"']")) != 1 {
			t.Errorf("%s leads nowhere", href)
		}
	}
	if got := page.Header.Get("Content-Security-Policy"); !strings.Contains(got, "script-src 'self'") {
		t.Errorf("the policy is %q", got)
	}
}

func TestADescriptionThatCannotBeReadStopsTheStart(t *testing.T) {
	t.Parallel()
	r := open(t)
	for _, text := range []string{"", "[]", `{"paths":{"/x":{"get":{"tags":["none"]}}}}`} {
		if err := r.web.Mount(r.server.Echo, []byte(text)); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
