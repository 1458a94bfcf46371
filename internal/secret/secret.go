// Package secret encrypts what the database must not contain in plain text, and creates and checks keys, passwords and
// tokens. It stores none of them, and no error contains one.
package secret

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

// RandomText returns random bytes in URL-safe base64 without padding.
func RandomText(numBytes int) string {
	return base64.RawURLEncoding.EncodeToString(randomBytes(numBytes))
}

// HashToken returns the hash under which a token is stored, such as a state, a session id or the token of a single-use
// link. Such tokens are random enough not to need a slow hash. The hash depends on the purpose.
func HashToken(purpose, token string) [32]byte {
	return sha256.Sum256([]byte("belfry/hash/" + purpose + "\x00" + token))
}

// NewPKCEVerifier returns a new PKCE code verifier (RFC 7636 §4.1): 43 characters, 256 bits.
func NewPKCEVerifier() string { return RandomText(32) }

// PKCEChallenge returns the S256 code challenge of a verifier (RFC 7636 §4.2).
func PKCEChallenge(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

func randomBytes(numBytes int) []byte {
	b := make([]byte, numBytes)
	_, _ = rand.Read(b) // never fails: the program ends instead, see crypto/rand
	return b
}
