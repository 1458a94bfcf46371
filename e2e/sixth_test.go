package e2e

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var sixth = flag.Bool("sixth", false, "also publish a post to the sixth network, with the program of the copy")

// The goal: "A sixth network is its folder, one line in network/all, one in the sandbox, and an icon; nothing else."
// The test adds an invented one to a copy of the repository, with everything that testdata/sixth has.
func TestSixthNetworkNeedsOnlyItsFolderTwoLinesAndAnIcon(t *testing.T) {
	t.Parallel()
	tree := copyRepository(t)
	if err := os.CopyFS(tree, os.DirFS("testdata/sixth")); err != nil {
		t.Fatal(err)
	}
	addLine(t, tree, "internal/network/all/all.go", "lantern", "lantern.NewDriver()")
	addLine(
		t, tree, "internal/sandbox/networks.go", "lantern/lanternsim",
		"func() (sim.Network, error) { return lanternsim.New(kit) }",
	)
	tests := []string{
		"TestFloors", "TestKeepers", "TestNetworksAreNamedInTheirFoldersOnly", "TestNetworksOfTheSpecificationAreKnown",
		"TestConformance",
	}
	told := runGo(
		t, tree, "test", "-count=1", "-v", "-run", "^("+strings.Join(tests, "|")+")$", ".", "./internal/network/all",
		"./internal/network/lantern/...",
	)
	for _, name := range tests {
		if !strings.Contains(told, "--- PASS: "+name+" ") {
			t.Errorf("%s did not run", name)
		}
	}
	if *sixth {
		program := filepath.Join(tree, "bin", "belfry")
		runGo(t, tree, "build", "-o", program, "./cmd/belfry")
		publishToSixth(t, program)
	}
}

// publishToSixth publishes a post to the sixth network with a program that has it.
func publishToSixth(t *testing.T, program string) {
	t.Helper()
	s := newServiceOf(t, program, map[string]string{"LANTERN_CLIENT_ID": "sandbox", "LANTERN_CLIENT_SECRET": "sandbox"})
	s.serveUntilReady()
	seed := s.seedWorkspace()
	c := s.newClient(seed.Key)
	body := newPostBody("By lantern light.", "now", seed.Accounts["lantern"])
	body["perPlatform"] = fields{"lantern": fields{"visibility": "unlisted"}}
	live := c.waitForStatus(c.do("POST", "/posts", body).requireStatus(t, 201).Posts[0].ID, "live", time.Minute)
	var shown []visiblePost
	for _, v := range s.visiblePosts() {
		if v.Network == "lantern" && v.Text == live.Text {
			shown = append(shown, v)
		}
	}
	if len(shown) != 1 || shown[0].Extra["visibility"] != "unlisted" || *live.ExternalID != shown[0].ID {
		t.Errorf("the sixth network shows %+v of %+v", shown, live)
	}
}

// copyRepository copies all files that git knows into a new folder.
func copyRepository(t *testing.T) string {
	t.Helper()
	list := exec.CommandContext(t.Context(), "git", "ls-files", "-z")
	list.Dir = ".."
	names, err := list.Output()
	if err != nil {
		t.Fatalf("list the repository's files: %v", err)
	}
	to := t.TempDir()
	for name := range bytes.SplitSeq(bytes.TrimSuffix(names, []byte{0}), []byte{0}) {
		content, err := os.ReadFile(filepath.Join("..", string(name)))
		if os.IsNotExist(err) {
			continue // it is about to be removed from the repository
		}
		path := filepath.Join(to, string(name))
		if err == nil {
			err = os.MkdirAll(filepath.Dir(path), 0o755)
		}
		if err == nil {
			err = os.WriteFile(path, content, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// addLine adds a line to the end of the list in a Go file, with the import of a network's package.
func addLine(t *testing.T, tree, file, imported, line string) {
	t.Helper()
	path := filepath.Join(tree, file)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const end = "\n\t}\n}\n"
	list, ok := strings.CutSuffix(string(text), end)
	if !ok {
		t.Fatalf("%s does not end with its list", file)
	}
	list = strings.Replace(list, "import (\n", "import (\n\t\"belfry/internal/network/"+imported+"\"\n", 1)
	if err := os.WriteFile(path, []byte(list+"\n\t\t"+line+","+end), 0o644); err != nil {
		t.Fatal(err)
	}
}

// runGo runs the go command in a copy of the repository and returns what it prints. Results without paths are those of
// the original wherever nothing has changed, so that little is built.
func runGo(t *testing.T, tree string, args ...string) string {
	t.Helper()
	started := time.Now()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = tree
	cmd.Env = append(os.Environ(), "GOFLAGS=-trimpath", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	t.Logf("go %s took %s", args[0], time.Since(started).Round(time.Second))
	return string(out)
}
