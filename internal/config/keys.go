package config

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Key is one of the keys that seal what must not lie open in the database.
type Key struct {
	ID     string
	Secret Secret // 32 bytes, not text
}

// keyID is the form of a key's id, which stands in front of everything it seals.
var keyID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,32}$`)

const (
	keyFile = "secret.keys"
	keySize = 32 // AES-256
)

// Keys returns the secret keys, the sealing one first: those of BELFRY_SECRET_KEYS, else those of the
// file secret.keys in the data folder, which is made with a fresh key when it is missing.
func Keys(cfg *Config) ([]Key, error) {
	keys, err := FindKeys(cfg)
	if !errors.Is(err, os.ErrNotExist) {
		return keys, err
	}
	if err := makeKeys(filepath.Join(cfg.DataDir, keyFile)); err != nil {
		return nil, fmt.Errorf("create the secret keys: %w", err)
	}
	return FindKeys(cfg)
}

// KeysFrom names the place that FindKeys reads, as a sentence about it begins.
func KeysFrom(cfg *Config) string {
	if !cfg.SecretKeys.IsZero() {
		return Prefix + "SECRET_KEYS"
	}
	return filepath.Join(cfg.DataDir, keyFile) + " (" + Prefix + "SECRET_KEYS is not set)"
}

// FindKeys is Keys without making any: the error is os.ErrNotExist when there is neither variable nor file.
func FindKeys(cfg *Config) ([]Key, error) {
	if !cfg.SecretKeys.IsZero() {
		return parseKeys(cfg.SecretKeys.Reveal())
	}
	path := filepath.Join(cfg.DataDir, keyFile)
	text, err := readKeys(path)
	if err != nil {
		return nil, err
	}
	keys, err := parseKeys(text)
	if err == nil && len(keys) == 0 {
		err = errors.New("it has no key")
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be used (%w): restore it from a backup", path, err)
	}
	return keys, nil
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
	id, key := make([]byte, 4), make([]byte, keySize)
	_, _ = rand.Read(id) // it never fails: see crypto/rand
	_, _ = rand.Read(key)
	_, err = fmt.Fprintf(draft, "%s:%s\n", hex.EncodeToString(id), base64.StdEncoding.EncodeToString(key))
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

// parseKeys reads ID:KEY, divided by commas or lines. Its errors repeat ids, never keys.
func parseKeys(text string) ([]Key, error) {
	var keys []Key
	seen := map[string]bool{}
	for _, word := range splitList([]byte(strings.ReplaceAll(text, "\n", ","))) {
		id, encoded, ok := strings.Cut(word, ":")
		if !ok || !keyID.MatchString(id) {
			return nil, errors.New("a key does not have the form ID:KEY, where ID has letters, digits, dots and dashes")
		}
		key, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			return nil, fmt.Errorf("the key %q is not base64", id)
		}
		if len(key) != keySize {
			return nil, fmt.Errorf("the key %q has %d bytes, but must have %d: create one with `openssl rand -base64 32`", id, len(key), keySize)
		}
		if seen[id] {
			return nil, fmt.Errorf("the ID %q is repeated", id)
		}
		seen[id] = true
		keys = append(keys, Key{ID: id, Secret: NewSecret(string(key))})
	}
	return keys, nil
}
