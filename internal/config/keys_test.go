package config

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestKeysAreMadeOnceAndKept(t *testing.T) {
	t.Parallel()
	cfg := &Config{DataDir: filepath.Join(t.TempDir(), "new", "data")}
	made := make([][]Key, 8)
	var starts sync.WaitGroup
	for i := range made {
		starts.Go(func() {
			keys, err := Keys(cfg)
			if err != nil {
				t.Error(err)
			}
			made[i] = keys
		})
	}
	starts.Wait()
	for _, keys := range made {
		if len(keys) != 1 || keys[0] != made[0][0] {
			t.Fatal("two starts got different keys")
		}
	}
	info, err := os.Stat(filepath.Join(cfg.DataDir, "secret.keys"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode is %v, error %v", info.Mode(), err)
	}
	left, err := os.ReadDir(cfg.DataDir)
	if err != nil || len(left) != 1 {
		t.Errorf("%d files are left, error %v", len(left), err)
	}
	if len(made[0][0].Secret.Reveal()) != 32 || len(made[0][0].ID) != 8 {
		t.Errorf("the key %q has the wrong size", made[0][0].ID)
	}
}

func TestKeysOfTheEnvironmentKeepTheirOrder(t *testing.T) {
	t.Parallel()
	one, two := strings.Repeat("1", 32), strings.Repeat("2", 32)
	text := "b:" + base64.StdEncoding.EncodeToString([]byte(two)) + ", a:" + base64.StdEncoding.EncodeToString([]byte(one))
	keys, err := Keys(&Config{SecretKeys: NewSecret(text), DataDir: filepath.Join(t.TempDir(), "none")})
	if err != nil || len(keys) != 2 || keys[0].ID != "b" || keys[0].Secret.Reveal() != two ||
		keys[1].Secret.Reveal() != one {
		t.Errorf("keys %v, error %v", keys, err)
	}
}

func TestAKeyFileThatCannotBeTrustedIsRefused(t *testing.T) {
	t.Parallel()
	good := "a:" + base64.StdEncoding.EncodeToString(make([]byte, 32)) + "\n"
	for name, c := range map[string]struct {
		text string
		mode os.FileMode
		want string
	}{
		"open to others": {good, 0o644, "chmod 600"},
		"empty":          {"", 0o600, "it has no key"},
		"cut off":        {good[:20], 0o600, "restore it from a backup"},
		"twice":          {good + good, 0o600, `the ID "a" is repeated`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "secret.keys"), []byte(c.text), c.mode); err != nil {
				t.Fatal(err)
			}
			_, err := Keys(&Config{DataDir: dir})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), "AAAA") {
				t.Error("the error shows a key")
			}
		})
	}
}
