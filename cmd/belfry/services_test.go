package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belfry/internal/config"
	"belfry/internal/core"
)

// An operator may write BELFRY_ADDR in any form that a server can listen on.
func TestThisMachineReachesEveryAddressThatIsListenedOn(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{
		"127.0.0.1:8080": "http://127.0.0.1:8080", "[::1]:8080": "http://[::1]:8080", "192.0.2.7:80": "http://192.0.2.7:80",
		"0.0.0.0:8080": "http://127.0.0.1:8080", "[::]:8080": "http://127.0.0.1:8080", ":8080": "http://127.0.0.1:8080",
		"localhost:8080": "http://localhost:8080",
	} {
		if at, err := localURL(addr); err != nil || at.String() != want {
			t.Errorf("%s is reached at %v (%v), want %s", addr, at, err, want)
		}
	}
}

func documented(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What an operator leaves out stays as it is built in; a typo must not remove a limit.
func TestAPlansFileChangesWhatItNames(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "plans.json")
	read := func(text string) (core.Plans, error) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return loadPlansWithOverrides(&config.Config{PlansFile: file})
	}
	got, err := read(`{"free": {"posts": 40, "accounts": null, "api": true}}`)
	want := core.DefaultPlans()
	free := want[core.PlanFree]
	free.Posts, free.Accounts, free.API = new(int64(40)), nil, true
	want[core.PlanFree] = free
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v, and the plans differ: %s", err, diff)
	}
	_, example, _ := strings.Cut(documented(t), "\n## Subscription plans\n")
	_, example, _ = strings.Cut(example, "```json\n")
	example, _, _ = strings.Cut(example, "```")
	if got, err := read(example); err != nil || *got[core.PlanStudio].Members != 25 {
		t.Errorf("the documented file is not taken: %v", err)
	}
	for text, says := range map[string]string{
		`{"free": {"post": 40}}`: "post", `{"fre": {"posts": 40}}`: "there is no subscription plan fre", `{"free": {}} {}`: "after",
		`{"free": [`:               "plans.json",
		`{"free": {"posts": -1}}`:  "below zero",
		`{"free": {"drafts": -1}}`: "below zero",
	} {
		if _, err := read(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, which does not say %q", text, err, says)
		}
	}
}
