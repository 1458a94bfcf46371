package belfry_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// codePath is a path of this repository in a code span. <n> is any network.
var codePath = regexp.MustCompile("`((?:api|cmd|docs|e2e|internal|jobs|migrations|static|tools|views|web)/[\\w./<>-]*)`")

func TestEveryPathThatTheDocumentsNameExists(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, page := range append(pages, "README.md", "CONTRIBUTING.md", "SECURITY.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range codePath.FindAllStringSubmatch(string(text), -1) {
			found++
			pattern := strings.NewReplacer("<n>", "*", "<area>", "*").Replace(m[1])
			if files, err := filepath.Glob(pattern); err != nil || len(files) == 0 {
				t.Errorf("%s names %s, which does not exist", page, m[1])
			}
		}
	}
	if found < 50 {
		t.Errorf("found only %d paths: does the pattern still match?", found)
	}
}
