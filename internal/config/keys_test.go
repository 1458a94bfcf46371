package config

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"belfry/internal/secret"
)

func TestKeysAreMadeOnceAndKept(t *testing.T) {
	t.Parallel()
	cfg := &Config{DataDir: filepath.Join(t.TempDir(), "new", "data")}
	made := make([]*secret.Ring, 8)
	var starts sync.WaitGroup
	for i := range made {
		starts.Go(func() {
			keys, err := LoadOrCreateKeys(cfg)
			if err != nil {
				t.Error(err)
			}
			made[i] = keys
		})
	}
	starts.Wait()
	sealed := made[0].Seal("test", "here", []byte("text"))
	for _, keys := range made {
		if text, err := keys.Open("test", "here", sealed); err != nil || string(text) != "text" || len(keys.KeyIDs()) != 1 {
			t.Fatalf("two starts got different keys: %v", err)
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
	if id := made[0].KeyIDs()[0]; len(id) != 8 {
		t.Errorf("the key's id is %q", id)
	}
}

func TestKeysOfTheEnvironmentKeepTheirOrder(t *testing.T) {
	t.Parallel()
	one, two := strings.Repeat("1", 32), strings.Repeat("2", 32)
	text := "b:" + base64.StdEncoding.EncodeToString([]byte(two)) + ", a:" + base64.StdEncoding.EncodeToString([]byte(one))
	keys, err := LoadOrCreateKeys(&Config{SecretKeys: NewSecret(text), DataDir: filepath.Join(t.TempDir(), "none")})
	if err != nil || !slices.Equal(keys.KeyIDs(), []string{"b", "a"}) {
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
		"empty":          {"", 0o600, "it contains no keys"},
		"cut off":        {good[:20], 0o600, "restore it from a backup"},
		"twice":          {good + good, 0o600, `the ID "a" is repeated`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "secret.keys"), []byte(c.text), c.mode); err != nil {
				t.Fatal(err)
			}
			_, err := LoadOrCreateKeys(&Config{DataDir: dir})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), "AAAA") {
				t.Error("the error shows a key")
			}
		})
	}
}
