package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// The tests that catch the bugs take minutes and run in `make prove`; that each edit still fits is checked here.
func TestEachBugEditsTheCodeAsItIs(t *testing.T) {
	t.Chdir("../..")
	names := map[string]bool{}
	for _, b := range bugs {
		if names[b.Name] {
			t.Errorf("%s is there twice", b.Name)
		}
		names[b.Name] = true
		if _, err := b.editedFile(); err != nil {
			t.Errorf("%s: %v", b.Name, err)
		}
		files, err := os.ReadDir(b.Package)
		if err != nil {
			t.Fatal(err)
		}
		var tests strings.Builder
		for _, f := range files {
			if strings.HasSuffix(f.Name(), "_test.go") {
				text, err := os.ReadFile(b.Package + "/" + f.Name())
				if err != nil {
					t.Fatal(err)
				}
				tests.Write(text)
			}
		}
		for _, test := range b.Tests {
			if !strings.Contains(tests.String(), "func "+test+"(t ") {
				t.Errorf("%s: %s has no test %s", b.Name, b.Package, test)
			}
		}
	}
	if len(bugs) < 12 {
		t.Errorf("there are %d bugs, want 12 at least", len(bugs))
	}
}

func TestABugWhoseTextIsGoneOrThereTwiceIsNotPlanted(t *testing.T) {
	t.Parallel()
	name := t.TempDir() + "/a.go"
	if err := os.WriteFile(name, []byte("one two two"), 0o600); err != nil {
		t.Fatal(err)
	}
	for old, want := range map[string]string{"one": "1 two two", "two": "", "three": ""} {
		if got, err := (bug{File: name, Old: old, New: "1"}).editedFile(); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", old, got, err)
		}
	}
}

func TestOnlyTestsThatFailCatchABug(t *testing.T) {
	t.Parallel()
	out := "=== RUN   TestA\n--- FAIL: TestA (0.10s)\n    --- FAIL: TestA/b (0.00s)\n--- PASS: TestC (0.00s)\nFAIL\n"
	if got, err := failedTests(out); err != nil || !slices.Equal(got, []string{"TestA"}) {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := failedTests("# belfry\nx.go:1: syntax error\nFAIL belfry/internal/core [build failed]\n"); err == nil {
		t.Error("a program that cannot be built has caught a bug")
	}
}
