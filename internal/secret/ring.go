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

const keySize = 32 // AES-256, and as much for HMAC-SHA-256

var (
	// ErrUnknownKey is what opening a value gives that was sealed with a key the ring does not hold.
	ErrUnknownKey = errors.New("encrypted with a key that is not among the secret keys")
	// ErrSealed is what opening a value gives that was changed, moved to another place or sealed for
	// another purpose.
	ErrSealed = errors.New("the encrypted value belongs to another record")
)

// NewKey makes a key with an id of its own, in the form that ParseRing reads.
func NewKey() string {
	return hex.EncodeToString(randomBytes(4)) + ":" + base64.StdEncoding.EncodeToString(randomBytes(keySize))
}

// Ring holds the keys that seal and sign: the first does, all of them open and verify. It is safe for
// concurrent use.
type Ring struct {
	keys    map[string][]byte
	ids     []string
	current string
}

// ParseRing makes a ring of keys in the form ID:BASE64. It needs at least one key, and no id twice. Its errors repeat
// ids, never keys.
func ParseRing(pairs ...string) (*Ring, error) {
	r := &Ring{keys: make(map[string][]byte, len(pairs))}
	for _, pair := range pairs {
		id, text, ok := strings.Cut(pair, ":")
		if !ok || !validID(id) {
			return nil, errors.New("a key does not have the form ID:KEY, where ID has letters, digits, dots and dashes")
		}
		key, err := base64.StdEncoding.DecodeString(text)
		switch {
		case err != nil:
			return nil, fmt.Errorf("the key %q is not base64", id)
		case len(key) != keySize:
			return nil, fmt.Errorf("the key %q has %d bytes, but must have %d: create one with `openssl rand -base64 32`", id, len(key), keySize)
		case r.keys[id] != nil:
			return nil, fmt.Errorf("the ID %q is repeated", id)
		}
		r.keys[id] = key
		r.ids = append(r.ids, id)
	}
	if len(r.ids) == 0 {
		return nil, errors.New("it has no key")
	}
	r.current = r.ids[0]
	return r, nil
}

func validID(id string) bool {
	return len(id) >= 1 && len(id) <= 32 && strings.Trim(id, base62+"._-") == ""
}

// IDs lists the ids of the keys, the current one first.
func (r *Ring) IDs() []string { return slices.Clone(r.ids) }

// Format names the keys and hides them from every verb of fmt.
func (r *Ring) Format(f fmt.State, _ rune) { _, _ = fmt.Fprintf(f, "secret.Ring%v", r.ids) }

// deriveKey makes the 32-byte key of one use. Uses differ in act (seal, sign) and in purpose, so what was
// made for one never passes for another (security.md 4.1).
func deriveKey(master, salt []byte, act, purpose string) []byte {
	key, err := hkdf.Key(sha256.New, master, salt, "belfry/"+act+"/"+purpose, keySize)
	if err != nil {
		panic(err) //nolint:forbidigo // only an impossible length is refused
	}
	return key
}
