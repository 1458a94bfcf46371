package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

const list = "#!/bin/sh\n# Runs proofs:\n#\n#\tfirst     every state\n#\t          of all\n#\tsecond  one thing\nset -e\n#\tthird no\n"

func TestProofsAreReadFromTheFirstLinesOfTheScript(t *testing.T) {
	t.Parallel()
	want := []proof{{"first", "every state of all"}, {"second", "one thing"}}
	if got := listProofs(list); !slices.Equal(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
}

func TestVariablesAreFilledIn(t *testing.T) {
	t.Parallel()
	set := map[string]string{"STOPS": "200", "VIDEO_MIB": "2048", "FUZZTIME": "10m", "DELAY": "90s", "POSTS": "3000000"}
	text := "STOPS stops and POSTS posts, VIDEO_MIB MiB for FUZZTIME or DELAY, an API and NOTHING"
	got := fillIn(text, func(name string) string { return set[name] })
	if got != "200 stops and 3,000,000 posts, 2048 MiB for 10 minutes or 90s, an API and NOTHING" {
		t.Errorf("got %q", got)
	}
}

func TestEveryProofOfTheScriptIsListed(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile("../prove")
	if err != nil {
		t.Fatal(err)
	}
	var listed, cases []string
	for _, p := range listProofs(string(script)) {
		listed = append(listed, p.Name)
	}
	for _, m := range regexp.MustCompile(`(?m)^\t([a-z]+)\)`).FindAllStringSubmatch(string(script), -1) {
		cases = append(cases, m[1])
	}
	if len(cases) == 0 || !slices.Equal(slices.Sorted(slices.Values(listed)), slices.Sorted(slices.Values(cases))) {
		t.Errorf("the first lines list %q, the script runs %q", listed, cases)
	}
}

func TestAProofReplacesItsOwnSectionAlone(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 22, 14, 5, 0, 0, time.UTC)
	proofs := listProofs(list)
	document := ""
	for _, r := range []ran{
		{Name: "second", Result: "proved", At: at, Took: time.Minute, Commit: "`a1`", Machine: "2 cores"},
		{Name: "first", Result: "measured", At: at, Took: time.Second, Commit: "`b2`", Figures: []string{"7 states"}},
		{Name: "second", Result: "failed", At: at.AddDate(0, 0, 1), Took: time.Hour, Commit: "`c3`", Figures: []string{"5 of 6"}},
	} {
		var err error
		if document, err = replaceSection(document, proofs, r); err != nil {
			t.Fatal(err)
		}
	}
	first, second := strings.Index(document, "\n## first\n"), strings.Index(document, "\n## second\n")
	if first < 0 || second < first || strings.Count(document, "\n## ") != 2 {
		t.Fatalf("the sections are not those of the list:\n%s", document)
	}
	for part, want := range map[string][]string{
		document[first:second]: {"Covers every state of all.", "Result | measured |", "2026-11-22 14:05 UTC", "`b2`", "7 states"},
		document[second:]:      {"**failed**", "2026-11-23", "1h0m0s", "`c3`", "5 of 6"},
	} {
		for _, text := range want {
			if !strings.Contains(part, text) {
				t.Errorf("%q is missing in\n%s", text, part)
			}
		}
	}
	if strings.Contains(document, "`a1`") {
		t.Errorf("the section that was replaced is still there:\n%s", document)
	}
	if _, err := replaceSection(document, proofs, ran{Name: "unknown"}); err == nil {
		t.Error("a proof that is not listed was written")
	}
}

func TestFiguresAreWhatTestsLogAndTablesShow(t *testing.T) {
	t.Parallel()
	output := strings.Join([]string{
		"=== RUN   TestA", "time=1 level=INFO msg=noise", "    a_test.go:12: 10 posts", "        each once", "        time=2 level=INFO msg=noise", "--- PASS: TestA (0.1s)",
		"    --- PASS: TestA/b (0.1s)", "        b_test.go:3: 2 kills", "ok  \tbelfry/internal/core\t1.2s",
		"measuring flood …", "measured   figure  goal", "Posts", "  p99      1 s     < 2 s  met", "", "done",
		"caught: no fence, by TestA (2 s)", "caught 1 of 1 planted bugs",
	}, "\n")
	want := []string{
		"10 posts", "  each once", "2 kills", "ok belfry/internal/core 1.2s", "measured   figure  goal", "Posts",
		"  p99      1 s     < 2 s  met", "caught: no fence, by TestA (2 s)", "caught 1 of 1 planted bugs",
	}
	if got := readFigures(output); !slices.Equal(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
}

func TestTheMachineIsDescribedWithoutItsName(t *testing.T) {
	t.Parallel()
	if got := memorySize("MemTotal:       25165824 kB\nMemFree: 1 kB"); got != "24 GiB of memory" {
		t.Errorf("memory is %q", got)
	}
	for text, want := range map[string]string{
		"Linux 6.1.0-18-ourhost #1": "Linux 6.1.0", "postgres (PostgreSQL) 15.14 (Debian 15.14-0)": "postgres 15.14",
	} {
		if got := shortVersion(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
