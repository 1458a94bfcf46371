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

// LoadOrCreateKeys returns the secret keys, the encrypting one first: those in BELFRY_SECRET_KEYS, or those in the
// file secret.keys in the data folder. If there is neither, it creates the file with a new key.
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

// KeysLocation returns where LoadKeys reads the keys, for the beginning of a sentence.
func KeysLocation(cfg *Config) string {
	if !cfg.SecretKeys.IsZero() {
		return Prefix + "SECRET_KEYS"
	}
	return filepath.Join(cfg.DataDir, keyFile) + " (" + Prefix + "SECRET_KEYS is not set)"
}

// LoadKeys returns the secret keys as LoadOrCreateKeys does, but creates nothing: if there is neither the variable
// nor the file, the error is os.ErrNotExist.
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

// makeKeys writes a file with one new key. It never replaces an existing file, not even one that another process
// creates at the same time, because without its keys no token could be decrypted.
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

// dirMode returns the mode of the data folder. Root's folder lets the local database's user pass through.
func dirMode() os.FileMode {
	if os.Geteuid() == 0 {
		return 0o711
	}
	return 0o700
}

// parseKeys parses keys in the form ID:KEY, separated by commas or line breaks.
func parseKeys(text string) (*secret.Ring, error) {
	return secret.ParseRing(splitList([]byte(strings.ReplaceAll(text, "\n", ",")))...)
}
