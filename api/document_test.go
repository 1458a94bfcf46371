package api

import (
	"bytes"
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belfry/api/apitest"
	"belfry/internal/app"
	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/all"
)

var update = flag.Bool("update", false, "write testdata/openapi.json anew")

const golden = "testdata/openapi.json"

// described returns an API that serves no requests, for tests of its description.
func described(t *testing.T) *API {
	t.Helper()
	set, err := network.NewSet(all.Drivers(), network.Environment{
		Client: network.NewClient(network.ClientConfig{}), Get: defaults, Now: time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	a, err := New(Config{
		App: new(app.App), Networks: set, Log: slog.New(slog.DiscardHandler),
		LimitAddress: app.Rate{Max: 600, Window: 10 * time.Minute}, LimitCreate: app.Rate{Max: 60, Window: time.Hour},
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func defaults(name string) string {
	for _, d := range all.Drivers() {
		for _, v := range d.Variables {
			if v.Name == name {
				return v.Default
			}
		}
	}
	return ""
}

func TestDescriptionMatchesTheRepository(t *testing.T) {
	t.Parallel()
	got := described(t).Document()
	if *update {
		if err := os.MkdirAll(filepath.Dir(golden), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("the description has changed; look at the difference and run `go generate ./api`:\n%s",
			cmp.Diff(string(want), string(got)))
	}
}

func TestTheDescriptionIsSound(t *testing.T) {
	t.Parallel()
	if _, err := apitest.NewResponseChecker(described(t).Document()); err != nil {
		t.Error(err)
	}
}

func TestTheDescriptionNamesEveryCode(t *testing.T) {
	t.Parallel()
	a := described(t)
	chapter := formatCodesChapter()
	for _, code := range core.Codes {
		if meanings[code] == (meaning{}) || !strings.Contains(chapter, "`"+string(code)+"`") {
			t.Errorf("the error code %s has no meaning", code)
		}
	}
	for _, issue := range core.AllIssueTexts() {
		if !strings.Contains(chapter, "`"+string(issue.Code)+"`") {
			t.Errorf("the issue %s is not described", issue.Code)
		}
	}
	for name, s := range a.oapi.Components.Schemas.Map() {
		if strings.HasPrefix(name, "Opt") || strings.HasPrefix(name, "When") {
			t.Errorf("%s is described as the Go type it is; give it a stand-in in Schemas", name)
		}
		for property, p := range s.Properties {
			if p.Type == "array" && p.Nullable {
				t.Errorf("%s.%s may be null by its description; tag it nullable:\"false\"", name, property)
			}
		}
	}
}

func TestEveryRouteDescribesItsErrors(t *testing.T) {
	t.Parallel()
	for _, r := range described(t).routes {
		codes := r.possibleErrorCodes()
		for _, code := range []core.Code{core.CodeUnauthenticated, core.CodeRateLimited, core.CodeInternal, core.CodeUnavailable} {
			if !slices.Contains(codes, code) {
				t.Errorf("%s %s does not say that it may answer %s", r.method, r.path, code)
			}
		}
		if strings.Contains(r.path, "{id}") != (r.idField != nil) {
			t.Errorf("%s %s and its operation disagree about the id", r.method, r.path)
		}
		if strings.HasSuffix(r.id, "Account") && !slices.Contains(codes, core.CodeConflict) {
			// The network is not set up, or one of the account's posts is being published.
			t.Errorf("%s %s does not say that it may answer conflict", r.method, r.path)
		}
		if r.method == "GET" && r.operation.Scope != core.Read && !r.operation.Session {
			t.Errorf("%s %s reads, so the scope read must do (Spec §4)", r.method, r.path)
		}
	}
}
