package postgres

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The data folder may belong to the service's user, and root may run commands on it: a link in it must not lead root to
// another file.
func TestLinksInTheDataFolderAreNotFollowed(t *testing.T) {
	t.Parallel()
	fillLog := func(l layout) error {
		return os.WriteFile(l.log, bytes.Repeat([]byte("x"), logLimit+1), 0o600)
	}
	for name, c := range map[string]struct {
		prepare func(layout) error
		act     func(t *testing.T, dir string, l layout) error
	}{
		"lock": {act: func(_ *testing.T, dir string, _ layout) error {
			lock, err := TryLockForService(dir)
			if err == nil {
				err = lock.Release()
			}
			return err
		}},
		"postgres.log": {act: func(_ *testing.T, _ string, l layout) error {
			log, _, err := rotateLogIfLargeAndOpen(l.log)
			if err == nil {
				_, err = log.WriteString("log")
				err = errors.Join(err, log.Close())
			}
			return err
		}},
		"postgres.log.old":     {prepare: fillLog, act: func(_ *testing.T, _ string, l layout) error { return rotateLogIfLarge(l.log) }},
		"postgres.log.old.new": {prepare: fillLog, act: func(_ *testing.T, _ string, l layout) error { return rotateLogIfLarge(l.log) }},
		"postgres.password": {act: func(t *testing.T, dir string, _ layout) error {
			l, err := loadLayout(dir)
			if strings.Contains(l.password, "precious") {
				t.Error("the password was read through a link")
			}
			return err
		}},
		"postgres.password.new": {act: func(_ *testing.T, _ string, l layout) error { return l.ensurePassword() }},
		"postgres.url.new": {act: func(_ *testing.T, _ string, l layout) error {
			return writePrivateFileAtomically(l.cluster+".url", "text")
		}},
		"postgres": {act: func(_ *testing.T, _ string, l layout) error {
			return (systemUser{uid: os.Geteuid(), gid: os.Getegid(), switched: true}).ensureOwnedDir(l.cluster)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := t.TempDir()
			dir, precious := filepath.Join(base, "data"), filepath.Join(base, "precious")
			// More than a log may have, so that one that is followed is rotated.
			want := strings.Repeat("precious", logLimit/8+1)
			if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(precious, []byte(want), 0o640)); err != nil {
				t.Fatal(err)
			}
			l, err := loadLayout(dir)
			if err != nil {
				t.Fatal(err)
			}
			if c.prepare != nil {
				if err := c.prepare(l); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink(precious, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
			_ = c.act(t, dir, l) // whether it fails or replaces the link, the file stays
			if text, err := os.ReadFile(precious); string(text) != want || err != nil {
				t.Errorf("the file behind the link has %d bytes, want %d; error %v", len(text), len(want), err)
			}
			if info, err := os.Stat(precious); err != nil || info.Mode().Perm() != 0o640 {
				t.Errorf("the file behind the link has the mode %v, error %v", info.Mode(), err)
			}
		})
	}
}
