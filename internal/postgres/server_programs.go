package postgres

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Oldest is the oldest supported major version of PostgreSQL.
const Oldest = 15

// serverPrograms is a folder that contains the server's programs, with their major version.
type serverPrograms struct {
	Dir   string
	Major int
}

// places are the folders in which known systems install the server's programs.
var places = []string{
	"/usr/lib/postgresql/*/bin",                          // Debian, Ubuntu
	"/usr/pgsql-*/bin",                                   // PostgreSQL's own packages for Fedora and RHEL
	"/usr/libexec/postgresql*",                           // Alpine
	"/usr/lib/postgresql*/bin",                           // openSUSE
	"/opt/homebrew/opt/postgresql@*/bin",                 // Homebrew, Apple silicon
	"/usr/local/opt/postgresql@*/bin",                    // Homebrew, Intel
	"/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin",    // Homebrew, Linux
	"/Applications/Postgres.app/Contents/Versions/*/bin", // Postgres.app
}

// locateServerPrograms returns the server's programs: those of the given major version, because a cluster works only
// with its own version, or the newest if it is zero. If PG_BIN is set, it searches only there.
func locateServerPrograms(ctx context.Context, majorOrZeroForNewest int) (serverPrograms, error) {
	return locateServerProgramsIn(ctx, majorOrZeroForNewest, os.Getenv("PG_BIN"), places, os.Getenv("PATH"))
}

// locateServerProgramsIn is locateServerPrograms with explicit places: only onlyDir, unless that is empty, or else the
// folders that match globs and then those in searchPath.
func locateServerProgramsIn(ctx context.Context, majorOrZeroForNewest int, onlyDir string, globs []string,
	searchPath string,
) (serverPrograms, error) {
	if onlyDir != "" {
		found, err := inspectServerPrograms(ctx, onlyDir)
		if err != nil {
			return serverPrograms{}, fmt.Errorf("PG_BIN is %s, which does not contain PostgreSQL's server programs: %w", onlyDir, err)
		}
		return chooseVersion([]serverPrograms{found}, majorOrZeroForNewest)
	}
	var dirs []string
	for _, glob := range globs {
		matches, _ := filepath.Glob(glob) // the only error is a bad pattern, and ours are constants
		dirs = append(dirs, matches...)
	}
	// PATH comes last, because it may contain wrappers of the programs.
	var found []serverPrograms
	for _, dir := range append(dirs, filepath.SplitList(searchPath)...) {
		if b, err := inspectServerPrograms(ctx, dir); err == nil {
			found = append(found, b)
		}
	}
	return chooseVersion(found, majorOrZeroForNewest)
}

// chooseVersion returns the programs of the given major version, or the newest if it is zero. If several are equal,
// it returns the first one.
func chooseVersion(found []serverPrograms, majorOrZeroForNewest int) (serverPrograms, error) {
	if len(found) == 0 {
		return serverPrograms{},
			errors.New("Belfry cannot find PostgreSQL's server programs (initdb, postgres): install PostgreSQL with your package manager (`make need-postgres` does this), set PG_BIN to the folder that contains its programs, or set BELFRY_DATABASE_URL to the address of a server that runs elsewhere")
	}
	if major := majorOrZeroForNewest; major != 0 {
		i := slices.IndexFunc(found, func(b serverPrograms) bool { return b.Major == major })
		if i < 0 {
			return serverPrograms{},
				fmt.Errorf("the local database was created by PostgreSQL %d, whose programs Belfry cannot find (found: %s): install PostgreSQL %d, and if Belfry still cannot find it, set PG_BIN to the folder that contains its programs", major, formatVersions(found), major)
		}
		return found[i], nil
	}
	newest := slices.MaxFunc(found, func(a, b serverPrograms) int { return cmp.Compare(a.Major, b.Major) })
	if newest.Major < Oldest {
		return serverPrograms{},
			fmt.Errorf("PostgreSQL %d in %s is too old: version %d or newer is required", newest.Major, newest.Dir, Oldest)
	}
	return newest, nil
}

func formatVersions(found []serverPrograms) string {
	var words []string
	for _, b := range found {
		words = append(words, strconv.Itoa(b.Major))
	}
	slices.Sort(words)
	return strings.Join(slices.Compact(words), ", ")
}

// versionInPath finds the version in a folder's name, which saves starting a process.
var versionInPath = regexp.MustCompile(`/(?:postgresql[@/]?|pgsql-)(\d+)(?:/bin)?$`)

var versionInWords = regexp.MustCompile(`PostgreSQL\)? (\d+)`)

// inspectServerPrograms returns the programs in dir, after following links. It refuses a folder whose postgres is a
// script, because a wrapper may change the user or the process group, and then we could not stop the server.
func inspectServerPrograms(ctx context.Context, dir string) (serverPrograms, error) {
	server, err := filepath.EvalSymlinks(filepath.Join(dir, "postgres"))
	if err != nil {
		return serverPrograms{}, err
	}
	dir = filepath.Dir(server)
	if _, err := os.Stat(filepath.Join(dir, "initdb")); err != nil {
		return serverPrograms{}, err
	}
	if isScript(server) {
		return serverPrograms{}, fmt.Errorf("%s is a script, not the server itself", server)
	}
	if m := versionInPath.FindStringSubmatch(dir); m != nil {
		major, err := strconv.Atoi(m[1])
		return serverPrograms{Dir: dir, Major: major}, err
	}
	out, err := exec.CommandContext(ctx, server, "--version").Output()
	if err != nil {
		return serverPrograms{}, fmt.Errorf("find the version of %s: %w", server, err)
	}
	m := versionInWords.FindSubmatch(out)
	if m == nil {
		return serverPrograms{}, fmt.Errorf(
			"%s reports %q instead of a version of PostgreSQL", server, strings.TrimSpace(string(out)),
		)
	}
	major, err := strconv.Atoi(string(m[1]))
	return serverPrograms{Dir: dir, Major: major}, err
}

func isScript(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	head, _ := bufio.NewReader(f).Peek(2)
	return string(head) == "#!"
}

// readClusterMajor returns the major version of the PostgreSQL that created the cluster, or zero if there is no cluster
// yet.
func readClusterMajor(cluster string) (majorOrZero int, err error) {
	text, err := readNoFollow(filepath.Join(cluster, "PG_VERSION"))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the version of the local database: %w", err)
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("read the version of the local database in %s: %w", cluster, err)
	}
	return major, nil
}
