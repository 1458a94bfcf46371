package belfry_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
)

// gates lists the files that may use what leads to a workspace's data: functions that make a caller, and every
// function or method, of whatever type, that returns a store.Tenant for a workspace. A folder stands for its files.
var gates = map[string][]string{
	"core.NewCaller":       {"internal/app/auth.go"},
	"core.NewWorkerCaller": {"internal/app/account_refresh.go", "internal/app/alert.go", "internal/app/callback.go", "jobs"},
	"store.In": {
		"internal/app/authorize.go", "internal/intake/intake.go", "internal/publish/engine.go",
		"internal/restore/guard.go", // an operator's command over all workspaces
	},
}

// gateOf names the gate that an object leads through, "" for none. It goes by types, for a name says nothing: the
// store may be called anything, hidden behind an interface or passed on as a method value.
func gateOf(o types.Object) string {
	f, ok := o.(*types.Func)
	if !ok {
		return ""
	}
	if f.Pkg() != nil && f.Pkg().Path() == module+"internal/core" && f.Signature().Recv() == nil {
		return "core." + f.Name()
	}
	in := f.Signature().Results()
	if f.Name() == "In" && in.Len() == 1 && in.At(0).Type().String() == module+"internal/store.Tenant" {
		return "store.In"
	}
	return ""
}

// uses calls seen for every gate that the package's files use.
func uses(t *testing.T, dir string, files []string, imports types.Importer, seen func(file, gate string)) {
	t.Helper()
	fset := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range files {
		f, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, f)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: imports}
	if _, err := config.Check(dir, fset, parsed, info); err != nil {
		t.Fatalf("check the types of %s: %v", dir, err)
	}
	for ident, object := range info.Uses {
		if gate := gateOf(object); gates[gate] != nil {
			seen(filepath.ToSlash(fset.Position(ident.Pos()).Filename), gate)
		}
	}
}

type built struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// compilation lists the product's packages, and the files with the exported types of all that they import.
type compilation struct {
	packages []built
	exports  map[string]string
}

// compiled compiles the product once for all tests.
var compiled = sync.OnceValues(func() (all compilation, err error) {
	list := exec.Command("go", "list", "-deps", "-export", "-json=ImportPath,Dir,Export,GoFiles")
	if runsWithRaceDetector() { // so that what was compiled for the tests is used again
		list.Args = append(list.Args, "-race")
	}
	list.Args = append(list.Args, "./...")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return all, fmt.Errorf("go list: %w", err)
	}
	all.exports = map[string]string{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var b built
		if err := decoder.Decode(&b); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return all, fmt.Errorf("read go list: %w", err)
		}
		all.exports[b.ImportPath] = b.Export
		if strings.HasPrefix(b.ImportPath, module) && !forTests(b.ImportPath) {
			all.packages = append(all.packages, b)
		}
	}
})

func runsWithRaceDetector() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// loadPackages returns the product's packages and an importer of all that they import.
func loadPackages(t *testing.T) ([]built, types.Importer) {
	t.Helper()
	all, err := compiled()
	if err != nil {
		t.Fatal(err)
	}
	return all.packages, importer.ForCompiler(token.NewFileSet(), "gc",
		func(path string) (io.ReadCloser, error) { return os.Open(all.exports[path]) })
}

// The four locks of tenancy: who may make a caller, and where a caller becomes a handle to data.
func TestWorkspaceDataIsReachedThroughItsGates(t *testing.T) {
	t.Parallel()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	packages, imports := loadPackages(t)
	used := map[string]bool{}
	for _, p := range packages {
		if fitsAny("internal/store internal/core e2e e2e/* tools/*", ours(p.ImportPath)) {
			continue
		}
		uses(t, p.Dir, p.GoFiles, imports, func(file, gate string) {
			name, err := filepath.Rel(here, file)
			if err != nil {
				t.Fatal(err)
			}
			name = filepath.ToSlash(name)
			used[gate] = true
			if !slices.Contains(gates[gate], name) && !slices.Contains(gates[gate], filepath.ToSlash(filepath.Dir(name))) {
				t.Errorf("%s uses %s, which is for %s", name, gate, strings.Join(gates[gate], ", "))
			}
		})
	}
	for gate := range gates {
		if !used[gate] {
			t.Errorf("nothing uses %s: is it called something else by now?", gate)
		}
	}
}

// The ways past a test that goes by names.
func TestTenancyGatesAreRecognizedByType(t *testing.T) {
	t.Parallel()
	_, imports := loadPackages(t)
	for _, c := range []struct{ name, body string }{
		{"another name for the store", `db := s; db.In(ws)`},
		{"a method value", `open := s.In; open(ws)`},
		{"a method expression", `(*store.Store).In(s, ws)`},
		{"an interface", `var i interface{ In(core.WorkspaceID) store.Tenant } = s; i.In(ws)`},
		{"a type parameter", `through(s, ws)`},
		{"a struct that embeds it", `var e struct{ *store.Store }; e.In(ws)`},
		{"a caller by another name", `make := core.NewWorkerCaller; make(ws)`},
	} {
		dir := t.TempDir()
		source := `package planted
import ("belfry/internal/core"; "belfry/internal/store")
func through[S interface{ In(core.WorkspaceID) store.Tenant }](s S, ws core.WorkspaceID) { ` + `_ = ws` + ` }
func planted(s *store.Store, ws core.WorkspaceID) { ` + c.body + ` }
`
		if c.name == "a type parameter" {
			source = strings.Replace(source, "_ = ws", "s.In(ws)", 1)
		}
		if err := os.WriteFile(filepath.Join(dir, "planted.go"), []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		found := 0
		uses(t, dir, []string{"planted.go"}, imports, func(string, string) { found++ })
		if found == 0 {
			t.Errorf("%s is not seen: %s", c.name, c.body)
		}
	}
}
