// Command names counts the product's unexported functions and methods whose name is one word. Such names seldom say
// what a function does: CONTRIBUTING.md asks for a verb and an object. It ignores tests, generated code, packages for
// tests, and methods that an interface of the same package requires.
//
//	go run ./tools/names         the share of each package, and in total
//	go run ./tools/names -list   every such name with its position
//	go run ./tools/names -most N exits with 1 if more than N percent are one word
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	list := flag.Bool("list", false, "list every function with a one-word name")
	most := flag.Int("most", 100, "the maximum share of one-word names, in percent")
	flag.Parse()
	packages, err := readPackages(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "names:", err)
		os.Exit(2)
	}
	var told strings.Builder
	share := printShares(&told, packages, *list)
	if _, err := io.WriteString(os.Stdout, told.String()); err != nil {
		os.Exit(2)
	}
	if share > float64(*most) {
		fmt.Fprintf(os.Stderr, "names: %.0f%% of unexported functions have one-word names; the maximum is %d%%\n", share,
			*most)
		os.Exit(1)
	}
}

// function is one unexported function or method.
type function struct {
	name  string
	place string
}

// packageNames are the unexported functions of a package and the method names that its interfaces require.
type packageNames struct {
	functions []function
	required  map[string]bool
}

// readPackages reads the product's packages below a folder. The keys of the result are their paths.
func readPackages(root string) (map[string]*packageNames, error) {
	packages := map[string]*packageNames{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && isSkippedFolder(entry.Name()):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		return readFile(path, packages)
	})
	return packages, err
}

// isSkippedFolder reports whether a folder contains no code of the product.
func isSkippedFolder(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, "test") ||
		slices.Contains([]string{"testdata", "data", "bin", "node_modules", "e2e", "tools"}, name)
}

func readFile(path string, packages map[string]*packageNames) error {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.ParseComments)
	if err != nil || ast.IsGenerated(file) {
		return err
	}
	folder := filepath.ToSlash(filepath.Dir(path))
	names := packages[folder]
	if names == nil {
		names = &packageNames{required: map[string]bool{}}
		packages[folder] = names
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if !n.Name.IsExported() && n.Name.Name != "main" && n.Name.Name != "_" {
				names.functions = append(names.functions, function{n.Name.Name, files.Position(n.Pos()).String()})
			}
		case *ast.InterfaceType:
			for _, method := range n.Methods.List {
				for _, name := range method.Names {
					names.required[name.Name] = true
				}
			}
		}
		return true
	})
	return nil
}

// isOneWord reports whether a name is one word: only lowercase letters.
func isOneWord(name string) bool {
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") == ""
}

// printShares writes a line for each package and one for all of them, and returns the total share in percent.
func printShares(to *strings.Builder, packages map[string]*packageNames, list bool) float64 {
	oneWord, all := 0, 0
	for _, path := range slices.Sorted(maps.Keys(packages)) {
		names := packages[path]
		single, total := 0, 0
		for _, f := range names.functions {
			if names.required[f.name] {
				continue
			}
			total++
			if isOneWord(f.name) {
				single++
				if list {
					fmt.Fprintf(to, "%s: %s\n", f.place, f.name)
				}
			}
		}
		if total > 0 {
			fmt.Fprintf(to, "%3d of %3d  %3.0f%%  %s\n", single, total, percent(single, total), path)
		}
		oneWord, all = oneWord+single, all+total
	}
	fmt.Fprintf(to, "%d of %d unexported functions have one-word names: %.1f%%\n", oneWord, all,
		percent(oneWord, all))
	return percent(oneWord, all)
}

func percent(part, whole int) float64 { return 100 * float64(part) / float64(max(whole, 1)) }
