package core_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestEveryIssueIsFoundBySomeCheck reads the checks of the networks, of the app and of core: an entry of the
// table that none of them names is dead.
func TestEveryIssueIsFoundBySomeCheck(t *testing.T) {
	t.Parallel()
	named := map[string]bool{}
	for _, folder := range []string{".", "../network", "../app"} {
		for _, file := range sources(t, folder) {
			ast.Inspect(file, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					named[id.Name] = true
				}
				return true
			})
		}
	}
	table, err := parser.ParseFile(token.NewFileSet(), "issue.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	entries := 0
	for _, decl := range table.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.VAR {
			continue
		}
		for _, spec := range group.Specs {
			for _, name := range spec.(*ast.ValueSpec).Names {
				entries++
				if !named[name.Name] {
					t.Errorf("no check finds %s", name.Name)
				}
			}
		}
	}
	if entries < 30 {
		t.Errorf("read only %d entries", entries)
	}
}

// sources parses the files of a folder that are neither tests nor the table itself.
func sources(t *testing.T, folder string) []*ast.File {
	t.Helper()
	var files []*ast.File
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			path == "issue.go" {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		files = append(files, file)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
