package secret

import (
	"crypto/sha256"
	"hash/crc32"
	"strings"
)

// KeyPattern matches API keys in texts, for secret scanners.
const KeyPattern = `\bbelfry_live_[0-9A-Za-z]{38}\b`

const (
	keyPrefix   = "belfry_live_"
	keyRandom   = 32 // base62 characters: 190 bits
	keyChecksum = 6
	keyHint     = 8
	base62      = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// NewAPIKey creates an API key (decisions.md, Credentials). It returns the key, which is shown only once, and what is
// stored: its SHA-256 hash and its first eight random characters.
func NewAPIKey() (key string, hash [32]byte, hint string) {
	random := randomBase62(keyRandom)
	body := keyPrefix + random
	key = body + keyChecksumOf(body)
	return key, sha256.Sum256([]byte(key)), random[:keyHint]
}

// HashAPIKey returns the hash by which an API key is found. wellFormed is false if the text cannot be a key from
// NewAPIKey. It detects a mistyped key without the database.
func HashAPIKey(key string) (hash [32]byte, wellFormed bool) {
	if len(key) != len(keyPrefix)+keyRandom+keyChecksum || !strings.HasPrefix(key, keyPrefix) {
		return hash, false
	}
	body, sum := key[:len(key)-keyChecksum], key[len(key)-keyChecksum:]
	if strings.Trim(body[len(keyPrefix):], base62) != "" || sum != keyChecksumOf(body) {
		return hash, false
	}
	return sha256.Sum256([]byte(key)), true
}

func keyChecksumOf(body string) string {
	n := crc32.ChecksumIEEE([]byte(body))
	var out [keyChecksum]byte
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = base62[n%62]
		n /= 62
	}
	return string(out[:])
}

func randomBase62(numChars int) string {
	out := make([]byte, 0, numChars)
	for len(out) < numChars {
		for _, b := range randomBytes(numChars) {
			// 248 is the greatest multiple of 62 in a byte. Without the limit, some characters would be more frequent.
			if b < 248 && len(out) < numChars {
				out = append(out, base62[b%62])
			}
		}
	}
	return string(out)
}
