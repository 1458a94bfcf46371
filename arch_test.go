// Package belfry_test holds the building to its floor plan.
package belfry_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// To change one of these tables, write an ADR.

const module = "belfry/"

// anything marks a package that may import whatever it likes, but for packages made for tests.
const anything = "anything"

// floors says what each package may import of ours, tests aside. A pattern stands for many packages; the
// first row that fits counts. A package without a row has no place in the building.
var floors = []struct {
	pkg  string
	ours string
}{
	// Floor 0: nouns, states and rules; and what knows one outside thing and nothing of ours.
	{"internal/core", ""},
	{"internal/secret", ""},
	{"internal/config", "internal/core internal/secret"},
	{"internal/metrics", ""},
	{"internal/postgres", ""},
	{"migrations", ""},

	// Floor 1: the interface's words, what a network is, the names of jobs, shared HTTP plumbing.
	{"internal/contract", "internal/core"},
	{"internal/schema", "internal/core"},
	{"internal/queue", "internal/core"},
	{"internal/network", "internal/core internal/schema"},
	{"internal/httpd", "internal/core internal/contract internal/config internal/metrics"},

	// Floor 2: the database, the networks, bytes.
	{"internal/store", "internal/core internal/queue"},
	{"internal/blob", ""},
	{"internal/fetch", ""},
	{"internal/media", "internal/core"},
	{"internal/mail", "internal/core"},
	{"internal/network/sim", ""},
	{"internal/network/meta", "internal/core internal/network"},
	{"internal/network/facebook", "internal/core internal/network internal/network/meta"},
	{"internal/network/instagram", "internal/core internal/network internal/network/meta"},
	{"internal/network/threads", "internal/core internal/network internal/network/meta"},
	{"internal/network/*/*sim", "internal/network/sim internal/network/meta/metasim"},
	{"internal/network/all", "internal/network internal/network/*"},
	{"internal/network/networktest", "internal/core internal/network internal/network/sim internal/media internal/media/mediatest"},
	{"internal/network/*", "internal/core internal/network"}, // any other network
	{"internal/sandbox", "internal/network/sim internal/network/*/*sim"},

	// Floor 3: the operations, and the engines that they share with the worker.
	{
		"internal/intake",
		"internal/restore internal/core internal/contract internal/store internal/blob internal/fetch internal/media internal/secret internal/queue",
	},
	{
		"internal/publish",
		"internal/restore internal/core internal/network internal/store internal/blob internal/secret internal/queue internal/metrics",
	},
	{"internal/restore", "internal/core internal/queue internal/store internal/blob"},
	{
		"internal/app",
		"internal/restore internal/core internal/contract internal/network internal/store internal/blob internal/fetch internal/intake internal/mail internal/publish internal/secret internal/queue internal/metrics",
	},

	// Floor 4: four entry points, and what the dashboard shows.
	{"api", "internal/app internal/schema internal/contract internal/core internal/network internal/httpd"},
	{"mcp", "internal/app internal/schema internal/contract internal/core internal/network"},
	{"web", "internal/app internal/contract internal/core internal/network internal/httpd views/* static"},
	{"jobs", "internal/app internal/publish internal/queue internal/core"},
	{"static", ""},
	{"views/link", ""},
	{"views/ui", "internal/contract internal/core internal/network static views/link"},
	{"views/layout", "internal/contract internal/core internal/network static views/link views/ui"},
	{"views/preview", "internal/contract internal/core internal/network static views/link views/ui"},
	{
		"views/*",
		"internal/contract internal/core internal/network static views/link views/ui views/layout views/preview",
	},

	// Floor 5.
	{"cmd/belfry", anything},

	// Outside. The black-box suite knows the interface's words, how to get a database and how to make pictures, and
	// nothing else.
	{
		"e2e",
		"internal/contract internal/postgres internal/store/storetest internal/media/mediatest internal/blob/blobtest internal/mail/mailtest",
	},
	{"e2e/*", "internal/contract internal/postgres internal/store/storetest internal/media/mediatest e2e e2e/*"},
	{"tools/*", anything + " internal/store/storetest"},

	// Made for tests: imported by tests, by each other and by tools, never by the product.
	{"internal/store/storetest", "internal/store migrations internal/postgres internal/core"},
	{"internal/blob/blobtest", "internal/blob"},
	{"internal/app/apptest", anything + " internal/store/storetest internal/media/mediatest"},
	{"internal/publish/crashtest", ""}, // nothing but tests
	{"internal/fetch/fetchtest", ""},
	{"internal/media/mediatest", ""},
	{"internal/mail/mailtest", ""},
	{"api/apitest", ""},
}

// keepers says which of our packages may import an outside module, tests aside. A module without a row
// needs a keeper, and a line in docs/dependencies.md. The standard library's os/exec is kept likewise.
var keepers = []struct {
	module string
	pkgs   string
}{
	{"github.com/labstack/echo", "internal/httpd api web cmd/belfry"},
	{"github.com/danielgtaylor/huma", "api mcp"},
	{"github.com/alexedwards/scs", "web cmd/belfry"},
	{"github.com/a-h/templ", "views/* web"},
	{"github.com/modelcontextprotocol/go-sdk", "mcp"},
	// Jobs and apptest hand the pool to river and to the store, and run no SQL. The bench has peers of its own.
	{
		"github.com/jackc/pgx",
		"internal/store internal/queue internal/postgres migrations cmd/belfry jobs internal/store/storetest internal/app/apptest e2e/*",
	},
	// The bench measures what River and PostgreSQL use at rest without the program (ADR 0018).
	{"github.com/riverqueue/river", "internal/queue jobs migrations cmd/belfry e2e/bench"},
	{"github.com/jackc/tern", "migrations"},
	{"github.com/abema/go-mp4", "internal/media"},
	{"github.com/wneessen/go-mail", "internal/mail"},
	{"github.com/evanw/esbuild", "static"},
	{"github.com/minio/minio-go", "internal/blob"},
	{"github.com/klauspost/readahead", "internal/blob"},
	{"github.com/caarlos0/env", "internal/config"},
	{"github.com/gofrs/uuid", "internal/core e2e/*"},
	{"github.com/go-json-experiment/json", "internal/schema internal/contract internal/network internal/network/*"},
	{"github.com/prometheus/client_golang", "internal/metrics internal/httpd"},
	{"github.com/getkin/kin-openapi", "api/apitest"},
	{"github.com/santhosh-tekuri/jsonschema", "api/apitest"},
	{"golang.org/x/crypto", "internal/secret"},
	{"golang.org/x/image", "internal/media"},
	{"golang.org/x/sync", "internal/network internal/secret cmd/belfry e2e/*"},
	{"golang.org/x/text", "internal/app"},
	{"golang.org/x/net", "internal/sandbox e2e e2e/*"},
	{"os/exec", "internal/postgres internal/media internal/blob/blobtest tools/* e2e e2e/*"},
}

type pkg struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
	DepOnly                            bool
}

// name is the path within the module; "" for the module's own folder.
func (p pkg) name() string { return ours(p.ImportPath) }

func ours(importPath string) string {
	return strings.TrimPrefix(strings.TrimPrefix(importPath, strings.TrimSuffix(module, "/")), "/")
}

func packages(t *testing.T) []pkg {
	t.Helper()
	// -e: a package that does not compile yet is held to the plan all the same.
	list := exec.CommandContext(t.Context(), "go", "list", "-e", "-json=ImportPath,Imports,TestImports,XTestImports",
		"./...")
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []pkg
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		switch err := decoder.Decode(&p); {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			t.Fatalf("read go list: %v", err)
		}
		if p.name() != "" {
			all = append(all, p)
		}
	}
}

func fits(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

func fitsAny(patterns, name string) bool {
	return slices.ContainsFunc(strings.Fields(patterns), func(p string) bool { return fits(p, name) })
}

func floorOf(name string) (imports string, found bool) {
	for _, f := range floors {
		if fits(f.pkg, name) {
			return f.ours, true
		}
	}
	return "", false
}

func forTests(name string) bool { return strings.HasSuffix(name, "test") }

// mayImport tells whether a row permits an import; anything does not include what is made for tests.
func mayImport(row, imported string) bool {
	if slices.Contains(strings.Fields(row), anything) && !forTests(imported) && !fitsAny("tools/* e2e e2e/*", imported) {
		return true
	}
	return fitsAny(row, imported)
}

func TestFloors(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		row, found := floorOf(p.name())
		if !found {
			t.Errorf("%s is not in the floor plan", p.name())
			continue
		}
		imports := p.Imports
		if fitsAny("e2e e2e/*", p.name()) { // all of it is tests
			imports = slices.Concat(imports, p.TestImports, p.XTestImports)
		}
		for _, i := range imports {
			if strings.HasPrefix(i, module) && ours(i) != p.name() && !mayImport(row, ours(i)) {
				t.Errorf("%s may not import %s", p.name(), ours(i))
			}
		}
	}
}

func TestKeepers(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		for _, i := range p.Imports {
			first, _, _ := strings.Cut(i, "/")
			outside := strings.Contains(first, ".") || i == "os/exec"
			if outside && !kept(i, p.name()) {
				t.Errorf("%s is not for %s to import", i, p.name())
			}
		}
	}
}

func kept(imported, by string) bool {
	for _, k := range keepers {
		if imported == k.module || strings.HasPrefix(imported, k.module+"/") {
			return fitsAny(k.pkgs, by)
		}
	}
	return false
}

// The bench compares the program at rest with a River client of its own, and may not import jobs.
func TestTheIdleFloorLooksForJobsAsTheWorkerDoes(t *testing.T) {
	t.Parallel()
	worker, floor := readText(t, "jobs/jobs.go"), readText(t, "e2e/bench/floor_idle.go")
	findOne := func(text, pattern string) string {
		t.Helper()
		found := regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1)
		if len(found) != 1 {
			t.Fatalf("%s matches %d times", pattern, len(found))
		}
		return found[0][1]
	}
	const interval = `\n\tfetchPoll += (.+)\n`
	if w, f := findOne(worker, interval), findOne(floor, interval); w != f {
		t.Errorf("the worker looks for jobs every %s, the idle floor every %s", w, f)
	}
	queues := len(regexp.MustCompile(`\n\t+queue\.Queue\w+: `).FindAllString(worker, -1))
	if f := findOne(floor, `\n\tqueues += (.+)\n`); f != fmt.Sprint(queues) {
		t.Errorf("the worker has %d queues, the idle floor %s", queues, f)
	}
}

// Two decisions that are made at the same time must not share a number.
func TestDecisionsAreNumberedInOrder(t *testing.T) {
	files, err := filepath.Glob("docs/adr/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d decisions: %v", len(files), err)
	}
	for i, file := range files {
		number := fmt.Sprintf("%04d", i+1)
		if !strings.HasPrefix(filepath.Base(file), number+"-") || !strings.HasPrefix(readText(t, file), "# "+number+" ") {
			t.Errorf("%s and its heading must begin with %s", file, number)
		}
	}
}

func readText(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestPackagesAreNamedForWhatTheyHold(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		switch base := path.Base(p.name()); base {
		case "util", "utils", "common", "helper", "helpers", "shared", "misc", "types", "models":
			t.Errorf("%s: name a package for what it holds", p.name())
		}
	}
}

// The tables themselves must bite.
func TestThePlanRefuses(t *testing.T) {
	t.Parallel()
	for name, allowed := range map[string]bool{
		"internal/core": false, "internal/contract": true, "internal/store": false, "internal/app/apptest": false,
	} {
		if row, _ := floorOf("e2e"); mayImport(row, name) != allowed {
			t.Errorf("e2e imports %s: %v", name, !allowed)
		}
	}
	for _, c := range []struct {
		from, to string
		allowed  bool
	}{
		{"internal/core", "internal/contract", false},
		{"internal/app", "api", false},
		{"internal/store", "internal/app", false},
		{"api", "internal/store", false},
		{"web", "views/posts", true},
		{"views/posts", "views/accounts", false},
		{"views/posts", "internal/app", false},
		{"internal/network", "internal/network/facebook", false},
		{"internal/network/facebook", "internal/network/threads", false},
		{"internal/network/facebook", "internal/network/facebook/facebooksim", false},
		{"internal/network/facebook/facebooksim", "internal/network", false},
		{"internal/network/facebook/facebooksim", "internal/network/sim", true},
		{"internal/sandbox", "internal/network/threads/threadssim", true},
		{"internal/sandbox", "internal/network/threads", false},
		{"cmd/belfry", "jobs", true},
		{"cmd/belfry", "internal/app/apptest", false},
		{"cmd/belfry", "tools/schema", false},
		{"internal/app/apptest", "internal/store/storetest", true},
	} {
		if row, found := floorOf(c.from); !found || mayImport(row, c.to) != c.allowed {
			t.Errorf("%s imports %s: %v", c.from, c.to, !c.allowed)
		}
	}
	if _, found := floorOf("internal/attic"); found {
		t.Error("a package that is nowhere in the plan is taken")
	}
	if kept("github.com/labstack/echo/v4", "internal/app") || kept("example.org/new", "cmd/belfry") ||
		!kept("github.com/labstack/echo/v4", "web") {
		t.Error("keepers do not keep")
	}
}
