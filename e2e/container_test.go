package e2e

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func readContainerFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestTheImageIsBuiltFromWhatIsThere(t *testing.T) {
	t.Parallel()
	file := readContainerFile(t, "Dockerfile")
	copies := regexp.MustCompile(`(?m)^COPY ([^-].*) \S+$`).FindAllStringSubmatch(file, -1)
	if len(copies) == 0 {
		t.Error("the Dockerfile copies nothing: does the pattern still match?")
	}
	for _, m := range copies {
		for source := range strings.FieldsSeq(m[1]) {
			if found, err := filepath.Glob(filepath.Join("..", source)); err != nil || len(found) == 0 {
				t.Errorf("the Dockerfile copies %s, which does not exist", source)
			}
		}
	}
	version := regexp.MustCompile(`(?m)^go (\S+)$`).FindStringSubmatch(readContainerFile(t, "go.mod"))
	if len(version) != 2 || !strings.Contains(file, "FROM golang:"+version[1]+"-") {
		t.Errorf("the Dockerfile does not build with Go %v, the version of go.mod", version)
	}
}

func TestTheImageBuildsAndRunsTheProgramAsTheMakefileDoes(t *testing.T) {
	t.Parallel()
	file := readContainerFile(t, "Dockerfile")
	built := regexp.MustCompile(`(?m)^build:.*\n\tgo build .*-o (\S+) `).
		FindStringSubmatch(readContainerFile(t, "Makefile"))
	if len(built) != 2 || !strings.Contains(file, "\nRUN make build\n") {
		t.Fatalf("the Dockerfile does not run `make build`, or the Makefile builds %q", built)
	}
	placed := regexp.MustCompile(`(?m)^COPY --from=build /src/(\S+) (\S+)$`).FindStringSubmatch(file)
	if len(placed) != 3 || placed[1] != built[1] {
		t.Fatalf("the image contains %q, but `make build` writes %s", placed, built[1])
	}
	for _, want := range []string{
		`ENTRYPOINT ["` + placed[2] + `"]`, `CMD ["` + placed[2] + `", "healthcheck"]`, "\n" + `CMD ["serve"]`,
	} {
		if !strings.Contains(file, want) {
			t.Errorf("the Dockerfile has no %s", want)
		}
	}
	help := requireCommand(t, nil, "", "help")
	for _, command := range []string{"serve", "healthcheck"} {
		if !strings.Contains(help, "\n  "+command) {
			t.Errorf("belfry has no command %s:\n%s", command, help)
		}
	}
}

func TestTheContainerSetsOnlyVariablesThatBelfryKnows(t *testing.T) {
	t.Parallel()
	known := requireCommand(t, map[string]string{"DATA_DIR": t.TempDir()}, "", "config")
	for file, atLeast := range map[string]int{"Dockerfile": 2, "compose.yaml": 1} {
		names := regexp.MustCompile(`BELFRY_[A-Z]\w*`).FindAllString(readContainerFile(t, file), -1)
		if len(names) < atLeast {
			t.Errorf("%s sets only %q", file, names)
		}
		for _, name := range names {
			if !strings.Contains("\n"+known, "\n"+name+"=") {
				t.Errorf("%s sets %s, which `belfry config` does not list", file, name)
			}
		}
	}
}

// The container is built and started where Docker has an engine and Compose. Elsewhere, its files are linted.
func TestTheContainerBecomesHealthy(t *testing.T) {
	t.Parallel()
	for _, needs := range [][]string{{"info"}, {"compose", "version"}} {
		if out, err := exec.CommandContext(t.Context(), "docker", needs...).CombinedOutput(); err != nil {
			t.Logf("linted, not started: docker %s: %v: %s", strings.Join(needs, " "), err, out)
			lintContainerFiles(t)
			return
		}
	}
	t.Log("built and started")
	startContainers(t)
}

// startContainers starts both services, waits until they are healthy, and asks for the page that sets Belfry up.
func startContainers(t *testing.T) {
	t.Helper()
	addr, folder := freeAddr(t), t.TempDir()
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	// An operator may have a Belfry at the usual port, and settings in .env.
	override := filepath.Join(folder, "override.yaml")
	text := "services:\n  belfry:\n    ports: !override ['127.0.0.1:" + port + ":8080']\n    env_file: !reset []\n"
	if err := os.WriteFile(override, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	compose := func(args ...string) {
		t.Helper()
		cmd := exec.Command("docker", append([]string{
			"compose", "--project-name", fmt.Sprintf("belfry-test-%d", os.Getpid()),
			"--file", "../compose.yaml", "--file", override,
		}, args...)...)
		cmd.Env = append(os.Environ(), "POSTGRES_PASSWORD=only-for-a-test")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("docker compose %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	t.Cleanup(func() { compose("down", "--volumes", "--rmi", "local") })
	compose("up", "--build", "--detach", "--wait")
	for _, path := range []string{"/readyz", "/"} {
		if !respondsOK("http://" + addr + path) {
			t.Errorf("the container does not answer %s", path)
		}
	}
}

func lintContainerFiles(t *testing.T) {
	t.Helper()
	folder := t.TempDir()
	for linter, c := range map[string]struct {
		args          []string
		file, refused string
	}{
		"dockerfilelint": {nil, "Dockerfile", "FROM golang\n"},
		"dclint":         {[]string{"--max-warnings", "0"}, "compose.yaml", "services:\n  belfry:\n    image: belfry\n"},
	} {
		bad := filepath.Join(folder, c.file)
		if err := os.WriteFile(bad, []byte(c.refused), 0o600); err != nil {
			t.Fatal(err)
		}
		program := "../tools/npm/node_modules/.bin/" + linter
		if _, err := os.Stat(program); err != nil {
			t.Fatalf("%s is not installed; run tools/need-npm, as `make test` does: %v", linter, err)
		}
		lint := func(file string) (string, error) {
			out, err := exec.Command(program, append(slices.Clone(c.args), file)...).CombinedOutput()
			return string(out), err
		}
		if out, err := lint(filepath.Join("..", c.file)); err != nil {
			t.Errorf("%s %s: %v\n%s", linter, c.file, err, out)
		}
		if _, err := lint(bad); err == nil {
			t.Errorf("%s accepts a file with mistakes", linter)
		}
	}
}
