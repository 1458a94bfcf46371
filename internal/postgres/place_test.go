package postgres

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAClosedFolderOnTheWayIsNamed(t *testing.T) {
	t.Parallel()
	open := filepath.Join(dataDir(t), "open")
	closed := filepath.Join(open, "closed")
	inside := filepath.Join(closed, "data")
	if err := os.MkdirAll(inside, 0o711); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	// dataDir makes an open folder for root alone; the stranger is to pass it whoever runs the test.
	for _, dir := range []string{filepath.Dir(open), open} {
		if err := os.Chmod(dir, 0o711); err != nil {
			t.Fatal(err)
		}
	}
	stranger := systemUser{name: "nobody", uid: 54321, gid: 54321, switched: true}
	err := stranger.checkUserCanReach(filepath.Join(inside, "postgres"))
	if err == nil || !strings.HasPrefix(err.Error(), "the folder "+closed+` is not accessible to the user "nobody"`) {
		t.Errorf("got %v", err)
	}
	if err != nil && !strings.Contains(err.Error(), "`chmod o+x "+closed+"`") {
		t.Errorf("got %v", err)
	}
	colleague := systemUser{name: "nobody", uid: 54321, gid: os.Getegid(), switched: true}
	err = colleague.checkUserCanReach(filepath.Join(inside, "postgres"))
	if err == nil || !strings.Contains(err.Error(), "`chmod g+x "+closed+"`") {
		t.Errorf("got %v", err)
	}
	if err := stranger.checkUserCanReach(filepath.Join(open, "postgres")); err != nil {
		t.Errorf("an open way is refused: %v", err)
	}
	if err := (systemUser{}).checkUserCanReach(filepath.Join(inside, "postgres")); err != nil {
		t.Errorf("our own user is stopped: %v", err)
	}
}

func TestAFolderOfSomebodyElseIsNotUsed(t *testing.T) {
	t.Parallel()
	file := filepath.Join(dataDir(t), "run")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (systemUser{uid: os.Geteuid()}).ensureOwnedDir(file); err == nil ||
		!strings.Contains(err.Error(), "already exists, but it belongs to another user or is not a folder") {
		t.Errorf("got %v", err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Dir(file), file); err != nil {
		t.Fatal(err)
	}
	if err := (systemUser{uid: os.Geteuid()}).ensureOwnedDir(file); err == nil {
		t.Error("a link was followed")
	}
}

// A socket's name has little room.
func TestADataFolderWhoseNameIsTooLongIsRefused(t *testing.T) {
	t.Parallel()
	long := "/" + strings.Repeat("d", 84)
	if l, err := loadLayout(long); err != nil || len(l.socketPath()) != socketLimit {
		t.Errorf("%v, %v", l, err)
	}
	if _, err := loadLayout(long + "d"); err == nil || !strings.Contains(err.Error(), "set BELFRY_DATA_DIR to a shorter path") {
		t.Errorf("error %v", err)
	}
}

// Root may run a command on the folder of a service that runs as another user.
func TestRootRunsTheServerAsTheOwnerOfTheCluster(t *testing.T) {
	t.Parallel()
	cluster, want := t.TempDir(), os.Geteuid()
	if want == 0 {
		want = 54321
		if err := os.Chown(cluster, want, want); err != nil {
			t.Fatal(err)
		}
	}
	if a, err := chooseSystemUser(cluster); err != nil || a.uid != want || a.switched != (os.Geteuid() == 0) {
		t.Errorf("the server runs as %+v, %v; want the user %d", a, err, want)
	}
}

// programs makes a folder that looks like PostgreSQL's.
func programs(t *testing.T, dir, text string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"postgres", "initdb"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestWhichProgramsAreTaken(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	glob := filepath.Join(base, "postgresql", "*", "bin")
	programs(t, filepath.Join(base, "postgresql", "9", "bin"), "binary")
	old := programs(t, filepath.Join(base, "postgresql", "15", "bin"), "binary")
	newest := programs(t, filepath.Join(base, "postgresql", "17", "bin"), "binary")
	ancient := programs(t, filepath.Join(base, "ancient", "postgresql", "11", "bin"), "binary")
	wrapper := programs(t, filepath.Join(base, "wrapper"), "#!/bin/sh\n")
	linked := filepath.Join(base, "linked")
	if err := os.Symlink(old, linked); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		want  int
		only  string
		globs []string
		path  string
		dir   string
		err   string
	}{
		"the newest":            {globs: []string{glob}, dir: newest},
		"the cluster's version": {globs: []string{glob}, want: 15, dir: old},
		"a version that is not there": {
			globs: []string{glob}, want: 16,
			err: "created by PostgreSQL 16, whose programs Belfry cannot find (found: 15, 17, 9)",
		},
		"PG_BIN alone":                   {globs: []string{glob}, only: old, dir: old},
		"PG_BIN without programs":        {globs: []string{glob}, only: base, err: "PG_BIN is " + base},
		"PG_BIN of another version":      {only: newest, want: 15, err: "created by PostgreSQL 15"},
		"PATH, through a link":           {path: linked, dir: old},
		"a wrapper on PATH is passed by": {path: wrapper + ":" + linked, dir: old},
		"nothing at all":                 {path: wrapper, err: "install PostgreSQL"},
		"too old": {path: ancient, err: "PostgreSQL 11 in " + ancient +
			" is too old: version 15 or newer is required"},
		"an old cluster keeps its server": {path: ancient, want: 11, dir: ancient},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := locateServerProgramsIn(t.Context(), c.want, c.only, c.globs, c.path)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("error %v, want %q in it", err, c.err)
				}
				return
			}
			if err != nil || got.Dir != c.dir {
				t.Errorf("got %v, error %v, want %s", got, err, c.dir)
			}
		})
	}
}

func TestTheRealProgramsAreFound(t *testing.T) {
	t.Parallel()
	got, err := locateServerPrograms(t.Context(), 0)
	if err != nil || got.Major < Oldest {
		t.Fatalf("got %v, error %v", got, err)
	}
	// From a folder whose name does not tell, the server itself is asked.
	plain := t.TempDir()
	for _, name := range []string{"postgres", "initdb"} {
		if err := os.Link(filepath.Join(got.Dir, name), filepath.Join(plain, name)); err != nil &&
			!errors.Is(err, os.ErrExist) {
			copyFile(t, filepath.Join(got.Dir, name), filepath.Join(plain, name))
		}
	}
	asked, err := locateServerProgramsIn(t.Context(), 0, plain, nil, "")
	if err != nil || asked.Major != got.Major {
		t.Errorf("asked, it is %v (%v); by its folder %v", asked, err, got)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, text, 0o755); err != nil {
		t.Fatal(err)
	}
}

// The server's user owns the cluster, and may have put a link there for root to write through.
func TestALinkOfTheServersUserLeadsRootNowhere(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	precious := filepath.Join(dir, "precious")
	l, err := loadLayout(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(precious, []byte("mine"), 0o600), os.Mkdir(l.cluster, 0o700),
		os.Symlink(precious, filepath.Join(l.cluster, "postmaster.pid"))); err != nil {
		t.Fatal(err)
	}
	if err := (&Server{layout: l}).stopLeftoverServerOrTakePIDFile(t.Context()); err == nil {
		t.Error("a link out of the cluster was followed")
	}
	if text, err := os.ReadFile(precious); string(text) != "mine" {
		t.Errorf("the file behind the link holds %q: %v", text, err)
	}
}
