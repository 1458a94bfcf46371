package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"belfry/internal/secret"
)

const keyFile = "secret.keys"

// LoadOrCreateKeys returns the ring of the secret keys, the encrypting one first: those of BELFRY_SECRET_KEYS, or those
// of the file secret.keys in the data folder. It creates that file with a new key if there is neither.
func LoadOrCreateKeys(cfg *Config) (*secret.Ring, error) {
	ring, err := LoadKeys(cfg)
	if !errors.Is(err, os.ErrNotExist) {
		return ring, err
	}
	if err := makeKeys(filepath.Join(cfg.DataDir, keyFile)); err != nil {
		return nil, fmt.Errorf("create the secret keys: %w", err)
	}
	return LoadKeys(cfg)
}

// KeysLocation returns the place that LoadKeys reads, as the subject of a sentence.
func KeysLocation(cfg *Config) string {
	if !cfg.SecretKeys.IsZero() {
		return Prefix + "SECRET_KEYS"
	}
	return filepath.Join(cfg.DataDir, keyFile) + " (" + Prefix + "SECRET_KEYS is not set)"
}

// LoadKeys returns the ring as LoadOrCreateKeys does, but creates nothing: the error is os.ErrNotExist if there is
// neither variable nor file.
func LoadKeys(cfg *Config) (*secret.Ring, error) {
	if !cfg.SecretKeys.IsZero() {
		return parseKeys(cfg.SecretKeys.Reveal())
	}
	path := filepath.Join(cfg.DataDir, keyFile)
	text, err := readKeys(path)
	if err != nil {
		return nil, err
	}
	ring, err := parseKeys(text)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be used (%w): restore it from a backup", path, err)
	}
	return ring, nil
}

func readKeys(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("read the secret keys: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("other users can read %s: run `chmod 600 %s`, and replace its keys, because others may know them", path, path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read the secret keys: %w", err)
	}
	return string(text), nil
}

// makeKeys writes a file with one new key. Of two starts at the same moment one wins, and a file
// that is there is never replaced: with it would go every connected account.
func makeKeys(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), dirMode()); err != nil {
		return err
	}
	draft, err := os.CreateTemp(filepath.Dir(path), keyFile+".*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(draft.Name()) }()
	_, err = fmt.Fprintln(draft, secret.NewKey())
	if err := errors.Join(err, draft.Sync(), draft.Close()); err != nil {
		return err
	}
	if err := os.Link(draft.Name(), path); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return nil
}

// dirMode is the data folder's mode: root's lets the local database's user walk through it.
func dirMode() os.FileMode {
	if os.Geteuid() == 0 {
		return 0o711
	}
	return 0o700
}

// parseKeys reads ID:KEY, divided by commas or lines.
func parseKeys(text string) (*secret.Ring, error) {
	return secret.ParseRing(splitList([]byte(strings.ReplaceAll(text, "\n", ",")))...)
}
