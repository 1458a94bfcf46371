package secret

import (
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
)

const keySize = 32 // for AES-256 and for HMAC-SHA-256

var (
	// ErrUnknownKey means that a value was encrypted with a key that the ring does not have.
	ErrUnknownKey = errors.New("the value was encrypted with a key that is not among the secret keys")
	// ErrSealed means that an encrypted value was changed, was moved to another place, or has another purpose.
	ErrSealed = errors.New("the encrypted value was changed or belongs to another record")
)

// NewSecretKey returns a new key with its id, in the form that ParseRing reads.
func NewSecretKey() (idColonKey string) {
	return hex.EncodeToString(randomBytes(4)) + ":" + base64.StdEncoding.EncodeToString(randomBytes(keySize))
}

// Ring contains the keys for encrypting and signing. The first one encrypts and signs; all of them decrypt and verify.
// It is safe for concurrent use.
type Ring struct {
	keys    map[string][]byte
	ids     []string
	current string
}

// ParseRing parses keys in the form ID:BASE64. There must be at least one key, and the ids must differ. Errors contain
// ids, but no keys.
func ParseRing(idColonKeys ...string) (*Ring, error) {
	r := &Ring{keys: make(map[string][]byte, len(idColonKeys))}
	for _, pair := range idColonKeys {
		id, text, ok := strings.Cut(pair, ":")
		if !ok || !isValidKeyID(id) {
			return nil, errors.New("a key must have the form ID:KEY, where ID has 1 to 32 characters: ASCII letters, digits, dots, hyphens or underscores")
		}
		key, err := base64.StdEncoding.DecodeString(text)
		switch {
		case err != nil:
			return nil, fmt.Errorf("the key with the ID %q is not base64", id)
		case len(key) != keySize:
			return nil, fmt.Errorf("the key with the ID %q has %d bytes, but must have %d: create a key with `openssl rand -base64 32`", id, len(key), keySize)
		case r.keys[id] != nil:
			return nil, fmt.Errorf("the ID %q is repeated", id)
		}
		r.keys[id] = key
		r.ids = append(r.ids, id)
	}
	if len(r.ids) == 0 {
		return nil, errors.New("it contains no keys")
	}
	r.current = r.ids[0]
	return r, nil
}

func isValidKeyID(id string) bool {
	return len(id) >= 1 && len(id) <= 32 && strings.Trim(id, base62+"._-") == ""
}

// KeyIDs returns the ids of the keys, the current one first.
func (r *Ring) KeyIDs() []string { return slices.Clone(r.ids) }

// Format prints the ids, but not the keys, for every verb of package fmt.
func (r *Ring) Format(f fmt.State, _ rune) { _, _ = fmt.Fprintf(f, "secret.Ring%v", r.ids) }

// deriveKey derives a 32-byte key for one use. Uses differ in act (seal or sign) and purpose, so a value for one use is
// never valid for another (security.md 4.1).
func deriveKey(master, salt []byte, act, purpose string) []byte {
	key, err := hkdf.Key(sha256.New, master, salt, "belfry/"+act+"/"+purpose, keySize)
	if err != nil {
		panic(err) //nolint:forbidigo // only an impossible length is refused
	}
	return key
}
