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

// LoadOrCreateKeys returns the secret keys, beginning with the one that encrypts. They are in BELFRY_SECRET_KEYS or, if
// that is not set, in the file secret.keys in the data folder. If the file does not exist, LoadOrCreateKeys creates it
// with a new key.
func LoadOrCreateKeys(cfg *Config) (*secret.Ring, error) {
	ring, err := LoadKeys(cfg)
	if !errors.Is(err, os.ErrNotExist) {
		return ring, err
	}
	if err := createKeyFileIfAbsent(filepath.Join(cfg.DataDir, keyFile)); err != nil {
		return nil, fmt.Errorf("create the secret keys: %w", err)
	}
	return LoadKeys(cfg)
}

// DescribeKeysLocation returns where LoadKeys reads the keys, for use within a sentence.
func DescribeKeysLocation(cfg *Config) string {
	if !cfg.SecretKeys.IsZero() {
		return Prefix + "SECRET_KEYS"
	}
	return filepath.Join(cfg.DataDir, keyFile) + " (" + Prefix + "SECRET_KEYS is not set)"
}

// LoadKeys returns the same keys as LoadOrCreateKeys, but does not create the file: if the file does not exist, the
// error is os.ErrNotExist.
func LoadKeys(cfg *Config) (*secret.Ring, error) {
	if !cfg.SecretKeys.IsZero() {
		return parseKeys(cfg.SecretKeys.Reveal())
	}
	path := filepath.Join(cfg.DataDir, keyFile)
	text, err := readKeyFileIfPrivate(path)
	if err != nil {
		return nil, err
	}
	ring, err := parseKeys(text)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be used (%w): correct it, or restore it from a backup", path, err)
	}
	return ring, nil
}

// readKeyFileIfPrivate returns the content of the file with the secret keys. It refuses a file that other users can
// read.
func readKeyFileIfPrivate(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("read the secret keys: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("the permissions of %[1]s allow access by other users: run `chmod 600 %[1]s`. "+
			"If others may have read the keys, put a new key before the old ones, restart the service and run "+
			"`belfry secrets rotate`; do not delete the old keys yet", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read the secret keys: %w", err)
	}
	return string(text), nil
}

// createKeyFileIfAbsent writes a file with one new key. It never replaces an existing file, not even one that another
// process creates at the same time, because no token can be decrypted without the right keys.
func createKeyFileIfAbsent(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), dataDirMode()); err != nil {
		return err
	}
	draft, err := os.CreateTemp(filepath.Dir(path), keyFile+".*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(draft.Name()) }()
	_, err = fmt.Fprintln(draft, secret.NewSecretKey())
	if err := errors.Join(err, draft.Sync(), draft.Close()); err != nil {
		return err
	}
	if err := os.Link(draft.Name(), path); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return nil
}

// dataDirMode returns the mode of the data folder. If root owns the folder, the system user that runs the local
// database needs access to a folder inside it.
func dataDirMode() os.FileMode {
	if os.Geteuid() == 0 {
		return 0o711
	}
	return 0o700
}

// parseKeys parses keys in the form ID:KEY, separated by commas or line breaks.
func parseKeys(text string) (*secret.Ring, error) {
	return secret.ParseRing(splitCommaList([]byte(strings.ReplaceAll(text, "\n", ",")))...)
}
