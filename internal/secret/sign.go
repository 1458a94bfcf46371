package secret

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strings"
	"time"
)

var (
	// ErrSigned means that a value was changed, or was signed for another purpose or with an unknown key.
	ErrSigned = errors.New("the signature is not valid")
	// ErrExpired means that a correctly signed value has expired.
	ErrExpired = errors.New("the signed value has expired")
)

const (
	signFormat = 1
	macSize    = sha256.Size
	expSize    = 8
)

// Sign returns a URL-safe text that contains the payload, which everybody can read, and a signature for the purpose.
// The expiry is rounded down to a whole second. With the zero time, the text never expires.
func (r *Ring) Sign(purpose string, payload []byte, expiresOrZero time.Time) (signed string) {
	var exp int64
	if !expiresOrZero.IsZero() {
		exp = max(expiresOrZero.Unix(), 1) // 0 means never
	}
	b := append([]byte{signFormat, byte(len(r.current))}, r.current...) //nolint:gosec // at most 32, see isValidKeyID
	b = binary.BigEndian.AppendUint64(b, uint64(exp))
	b = append(b, payload...)
	b = append(b, computeMAC(r.keys[r.current], purpose, b)...)
	return base64.RawURLEncoding.EncodeToString(b)
}

// Verify returns the payload of a string that Sign returned for the same purpose. The error is ErrSigned or, with the
// payload, ErrExpired.
func (r *Ring) Verify(purpose, signed string, now time.Time) (payload []byte, err error) {
	// The decoder skips line breaks, but each value must have only one spelling.
	if strings.ContainsAny(signed, "\r\n") {
		return nil, ErrSigned
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(signed)
	if err != nil || len(b) < 2 || b[0] != signFormat {
		return nil, ErrSigned
	}
	head := 2 + int(b[1])
	if len(b) < head+expSize+macSize {
		return nil, ErrSigned
	}
	master, ok := r.keys[string(b[2:head])]
	if !ok {
		return nil, ErrSigned
	}
	body, tag := b[:len(b)-macSize], b[len(b)-macSize:]
	if !hmac.Equal(tag, computeMAC(master, purpose, body)) {
		return nil, ErrSigned
	}
	exp := int64(binary.BigEndian.Uint64(body[head:])) //nolint:gosec // signed by us, so in range
	if exp != 0 && now.Unix() >= exp {
		err = ErrExpired
	}
	return body[head+expSize:], err
}

// ComputeMAC returns an authentication code for a value. Nobody can compute the code without the current key.
func (r *Ring) ComputeMAC(purpose, value string) []byte {
	return computeMAC(r.keys[r.current], purpose, []byte(value))
}

func computeMAC(master []byte, purpose string, body []byte) []byte {
	h := hmac.New(sha256.New, deriveKey(master, nil, "sign", purpose))
	h.Write(body)
	return h.Sum(nil)
}
