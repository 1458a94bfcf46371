package belfry_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// source is one Go file of the product: not a test, nor a package made for tests.
type source struct {
	path      string // with slashes, from the module's folder
	file      *ast.File
	fset      *token.FileSet
	generated bool
}

func (s source) at(n ast.Node) string { return s.fset.Position(n.Pos()).String() }

func (s source) folder() string { return filepath.ToSlash(filepath.Dir(s.path)) }

var product = sync.OnceValues(func() ([]source, error) {
	var all []source
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() &&
			path != "." &&
			(strings.HasPrefix(entry.Name(), ".") ||
				slices.Contains([]string{"testdata", "data", "node_modules", "e2e"}, entry.Name()) || forTests(entry.Name())):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		all = append(all, source{filepath.ToSlash(path), file, fset, ast.IsGenerated(file)})
		return nil
	})
	return all, err
})

func sources(t *testing.T) []source {
	t.Helper()
	all, err := product()
	if err != nil {
		t.Fatalf("read the product's source: %v", err)
	}
	return all
}

// exceptions lists files, or folders, where a rule does not hold, with the reason.
type exceptions map[string]string

// cover tells whether the file is excepted, and notes which exception was needed.
func (e exceptions) cover(s source, needed map[string]bool) bool {
	for _, place := range []string{s.path, s.folder()} {
		if _, ok := e[place]; ok {
			needed[place] = true
			return true
		}
	}
	return false
}

// where visits every node of every file that is not excepted, and fails for exceptions that nothing needs
// any more. An exception for a file that does not exist yet is no failure.
func where(t *testing.T, except exceptions, breaks func(s source, n ast.Node) string) {
	t.Helper()
	needed, there := map[string]bool{}, map[string]bool{}
	for _, s := range sources(t) {
		there[s.path], there[s.folder()] = true, true
		ast.Inspect(s.file, func(n ast.Node) bool {
			if n == nil {
				return false
			}
			if complaint := breaks(s, n); complaint != "" && !except.cover(s, needed) {
				t.Errorf("%s: %s", s.at(n), complaint)
			}
			return true
		})
	}
	for place := range except {
		if there[place] && !needed[place] {
			t.Errorf("%s needs no exception any more", place)
		}
	}
}

func TestNothingRunsBeforeMain(t *testing.T) {
	t.Parallel()
	where(t, nil, func(s source, n ast.Node) string {
		if f, ok := n.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" && !s.generated {
			return "no init: what runs unasked cannot be tested or ordered"
		}
		return ""
	})
}

// A network is a drawer: nothing outside its folder knows its name (ADR 0002).
func TestNetworksAreNamedInTheirFoldersOnly(t *testing.T) {
	t.Parallel()
	simulators, err := filepath.Glob("internal/network/*/*sim")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, folder := range simulators {
		if name := filepath.Base(filepath.Dir(folder)); name != "meta" { // what networks share
			names = append(names, name)
		}
	}
	if len(names) < 5 {
		t.Fatalf("found only the networks %v", names)
	}
	named := func(text string) string {
		for _, name := range names {
			if strings.Contains(strings.ToLower(text), name) {
				return "names the network " + name + " outside its folder"
			}
		}
		return ""
	}
	except := exceptions{
		"internal/network/all":                      "the list of connectors",
		"internal/sandbox/networks.go":              "the list of simulators",
		"internal/core/issue.go":                    "youtube_title_required is a code of the interface (Spec §2)",
		"internal/secret/phc.go":                    "argon2id has threads of its own",
		"internal/secret/password.go":               "argon2id has threads of its own",
		"internal/media/poster.go":                  "an option of ffmpeg is called threads",
		"internal/network/meta/metasim/facebook.go": "the login that two networks share",
		"internal/network/sim/fetch.go":             "the agent with which Meta fetches files, the same for three networks",
	}
	where(t, except, func(s source, n ast.Node) string {
		for _, name := range names {
			if strings.HasPrefix(s.path, "internal/network/"+name+"/") {
				return ""
			}
		}
		switch n := n.(type) {
		case *ast.Ident:
			return named(n.Name)
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				return named(n.Value)
			}
		}
		return ""
	})
}

// selector splits X.Name into the text of X, as far as it is names and dots, and Name.
func selector(n ast.Node) (x, name string) {
	s, ok := n.(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	switch inner := s.X.(type) {
	case *ast.Ident:
		return inner.Name, s.Sel.Name
	case *ast.SelectorExpr:
		outer, last := selector(inner)
		return outer + "." + last, s.Sel.Name
	}
	return "", s.Sel.Name
}

// Time is injected, so that tests can set it. Below the entry points, only what measures or waits on this machine reads
// the clock itself.
func TestTimeIsInjected(t *testing.T) {
	t.Parallel()
	except := exceptions{
		"cmd/belfry":                  "gives the clock to everybody",
		"internal/blob/transport.go":  "a connection to a bucket lives by the machine's clock",
		"internal/fetch/fetch.go":     "the clock that a download's pace is measured by",
		"internal/httpd":              "the HTTP server: measures requests",
		"internal/postgres":           "waits for a process",
		"internal/network/client.go":  "the clock of calls when none was given",
		"internal/network/sim/kit.go": "the simulators' clock when none was given",
	}
	where(t, except, func(s source, n ast.Node) string {
		x, name := selector(n)
		if x == "time" && slices.Contains([]string{"Now", "Since", "Until"}, name) && !strings.HasPrefix(s.path, "tools/") {
			return "time." + name + ": time is injected"
		}
		return ""
	})
}

// What tests put into fetch.Config leads where the product never goes: no flag, variable or build of the
// product may fill it.
func TestAddressesAreOpenedOnTheInternetAlone(t *testing.T) {
	t.Parallel()
	where(t, exceptions{"internal/app/apptest/apptest.go": "an internet without names, for tests"},
		func(_ source, n ast.Node) string {
			literal, ok := n.(*ast.CompositeLit)
			if !ok || len(literal.Elts) == 0 {
				return ""
			}
			if x, name := selector(literal.Type); x == "fetch" && name == "Config" {
				return "a fetch.Config that is not empty: only tests say what the internet is"
			}
			return ""
		})
}

func TestForbiddenCalls(t *testing.T) {
	t.Parallel()
	where(t, nil, func(_ source, n ast.Node) string {
		switch x, name := selector(n); {
		case x == "pgx" && name == "NamedArgs":
			return "pgx.NamedArgs says nothing of a misspelt name: use pgx.StrictNamedArgs"
		case name == "Bind" && x != "":
			return "Bind fills what it likes from path and body: decode strictly"
		}
		return ""
	})
}
