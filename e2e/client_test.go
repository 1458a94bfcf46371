package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The goal: "a client generated from it by oapi-codegen compiles and drives a full journey in a test". The client is
// made of the description that the running program answers, in a module of its own, and is kept nowhere.
func TestGeneratedClientPublishesAPost(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.serveUntilReady()
	seed := s.seedWorkspace()
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS("testdata/client")); err != nil {
		t.Fatal(err)
	}
	_, _, description := sendRequest(t, "GET", s.url+"/v1/openapi.json", nil, nil)
	if err := os.WriteFile(filepath.Join(folder, "openapi.json"), description, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(folder, "belfry"), 0o700); err != nil {
		t.Fatal(err)
	}
	in := func(name string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "GOWORK=off", "URL="+s.url, "KEY="+seed.Key, "ACCOUNT="+seed.Accounts["threads"])
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", cmd, err, out)
		}
	}
	in(
		"go", "tool", "oapi-codegen", "-generate", "types,client", "-package", "belfry", "-o", "belfry/client.go",
		"openapi.json",
	)
	in("go", "build", "-o", "client", ".")
	in(filepath.Join(folder, "client"))
}
