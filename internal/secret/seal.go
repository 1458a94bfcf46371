package secret

import (
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// An encrypted value consists of: format byte, length of the key's id, the id, salt, nonce, ciphertext with tag.
const (
	sealFormat = 1
	saltSize   = 16
	nonceSize  = 12
	tagSize    = 16
)

// EncryptionContext returns a string that identifies where an encrypted value is stored. A value that was encrypted in
// one context cannot be decrypted in another, so a ciphertext that was copied to another row, column or workspace is
// refused (security.md 4.13).
func EncryptionContext(table, column, row, workspace string) string {
	return strings.Join([]string{table, column, row, workspace}, "|")
}

// Seal encrypts a value with the current key. purpose is the kind of value, and encryptionContext a result of
// EncryptionContext. Open must be called with the same purpose and context.
func (r *Ring) Seal(purpose, encryptionContext string, plain []byte) []byte {
	// Each value gets its own key. With one key for all, random nonces would allow only 2^32 values.
	head := r.CurrentSealPrefix()
	salt := randomBytes(saltSize)
	sealed := append(append([]byte(nil), head...), salt...)
	gcm, bound := newGCM(r.keys[r.current], salt, purpose), associatedData(head, encryptionContext)
	return gcm.Seal(sealed, nil, plain, bound) //nolint:gosec // nil makes the cipher choose a random nonce
}

// Open decrypts a value from Seal. The error is ErrUnknownKey, with the key's id, or ErrSealed.
func (r *Ring) Open(purpose, encryptionContext string, sealed []byte) ([]byte, error) {
	id, err := SealingKeyID(sealed)
	if err != nil {
		return nil, err
	}
	master, ok := r.keys[id]
	if !ok {
		return nil, fmt.Errorf("%w: %q (the IDs of the secret keys are %s)", ErrUnknownKey, id, strings.Join(r.ids, ", "))
	}
	head, rest := sealed[:2+len(id)], sealed[2+len(id):]
	bound := associatedData(head, encryptionContext)
	plain, err := newGCM(master, rest[:saltSize], purpose).Open(nil, nil, rest[saltSize:], bound)
	if err != nil {
		return nil, ErrSealed
	}
	return plain, nil
}

// CurrentSealPrefix returns the first bytes of every value that the current key encrypts.
func (r *Ring) CurrentSealPrefix() []byte {
	return append([]byte{sealFormat, byte(len(r.current))}, r.current...) //nolint:gosec // at most 32, see isValidKeyID
}

// Reseal encrypts a value from Seal again, with the current key. Its errors are those of Open.
func (r *Ring) Reseal(purpose, encryptionContext string, sealed []byte) ([]byte, error) {
	plain, err := r.Open(purpose, encryptionContext, sealed)
	if err != nil {
		return nil, err
	}
	return r.Seal(purpose, encryptionContext, plain), nil
}

// SealingKeyID returns the id of the key that encrypted a value, without decrypting the value.
func SealingKeyID(sealed []byte) (string, error) {
	if len(sealed) < 2 || sealed[0] != sealFormat {
		return "", errors.New("this is not an encrypted value")
	}
	end := 2 + int(sealed[1])
	if len(sealed) < end+saltSize+nonceSize+tagSize {
		return "", errors.New("the encrypted value is truncated")
	}
	return string(sealed[2:end]), nil
}

// associatedData returns what the tag authenticates in addition to the ciphertext.
func associatedData(sealPrefix []byte, encryptionContext string) []byte {
	return append(slices.Clip(sealPrefix), encryptionContext...)
}

func newGCM(master, salt []byte, purpose string) cipher.AEAD {
	block, err := aes.NewCipher(deriveKey(master, salt, "seal", purpose))
	if err != nil {
		panic(err) //nolint:forbidigo // 32 bytes are always an AES key
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) //nolint:forbidigo // AES always has GCM's block size
	}
	return aead
}
