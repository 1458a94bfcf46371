package secret

import (
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
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

// Key is one key of a ring: an id, which is no secret, and 32 secret bytes.
type Key struct {
	ID     string
	Secret []byte
}

// Format shows the id alone, whatever the verb.
func (k Key) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, k.ID+":[redacted]") }

// MarshalText shows the id alone to encoders and to slog.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.ID + ":[redacted]"), nil }

// ParseKey reads the form ID:BASE64. Its errors repeat the id, never the key.
func ParseKey(pair string) (Key, error) {
	id, text, ok := strings.Cut(pair, ":")
	if !ok || !validID(id) {
		return Key{}, errors.New("a secret key must have the form ID:BASE64, where ID has letters, digits, `.`, `_` and `-`")
	}
	secret, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil {
		return Key{}, fmt.Errorf("the secret key %q is not base64", id)
	}
	return Key{ID: id, Secret: secret}, nil
}

func validID(id string) bool {
	return len(id) >= 1 && len(id) <= 32 && strings.Trim(id, base62+"._-") == ""
}

// NewKey makes a key with an id of its own, in the form that ParseKey reads.
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

// NewRing makes a ring. It needs at least one key, and no id twice.
func NewRing(keys ...Key) (*Ring, error) {
	if len(keys) == 0 {
		return nil, errors.New("a key ring needs at least one key")
	}
	r := &Ring{keys: make(map[string][]byte, len(keys)), current: keys[0].ID}
	for _, k := range keys {
		switch {
		case !validID(k.ID):
			return nil, fmt.Errorf("the key id %q is not 1 to 32 letters, digits, `.`, `_` or `-`", k.ID)
		case len(k.Secret) != keySize:
			return nil, fmt.Errorf("the secret key %q has %d bytes and must have %d", k.ID, len(k.Secret), keySize)
		case r.keys[k.ID] != nil:
			return nil, fmt.Errorf("the key ID %q is repeated", k.ID)
		}
		r.keys[k.ID] = append([]byte(nil), k.Secret...)
		r.ids = append(r.ids, k.ID)
	}
	return r, nil
}

// ParseRing makes a ring of keys in the form ID:BASE64.
func ParseRing(pairs ...string) (*Ring, error) {
	keys := make([]Key, 0, len(pairs))
	for _, pair := range pairs {
		k, err := ParseKey(pair)
		if err != nil {
			return nil, err
		}
		keys = append(keys, k)
	}
	return NewRing(keys...)
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
