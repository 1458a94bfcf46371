package meta

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"belfry/internal/network"
)

// Events in the callback addresses that an app registers.
const (
	eventDeauthorize = "deauthorize"
	eventDeletion    = "data-deletion"
)

// VerifyCallback verifies and reads a call that reports that a person has removed the app or wants their data
// deleted. grantIDOf returns the id of a person's grant.
func VerifyCallback(
	c network.Callback, secret network.Secret, now time.Time, grantIDOf func(person string) string,
) (network.Notice, error) {
	kind := map[string]network.NoticeKind{
		eventDeauthorize: network.AccessRemoved, eventDeletion: network.DataUnwanted,
	}[c.Event]
	form, err := url.ParseQuery(string(c.Body))
	if err != nil || kind == "" || len(form["signed_request"]) != 1 {
		return network.Notice{}, network.ErrNotSigned
	}
	person, at, ok := verifySignedRequest(form.Get("signed_request"), secret)
	if !ok || !network.IsSignatureFresh(at, now, network.AnyAge) {
		return network.Notice{}, network.ErrNotSigned
	}
	return network.Notice{Kind: kind, Grant: grantIDOf(person), At: at}, nil
}

// verifySignedRequest returns the person that a signed request is about, and when it was made. ok is false unless it
// was signed with the secret.
func verifySignedRequest(text string, secret network.Secret) (person string, at time.Time, ok bool) {
	signature, payload, found := strings.Cut(text, ".")
	signed, err := decodeBase64URL(signature)
	if !found || err != nil || secret == "" || strings.ContainsAny(text, "\r\n") { // which the decoder ignores
		return "", time.Time{}, false
	}
	mac := hmac.New(sha256.New, []byte(secret.Reveal()))
	mac.Write([]byte(payload))
	if !hmac.Equal(mac.Sum(nil), signed) {
		return "", time.Time{}, false
	}
	var request struct {
		Algorithm string `json:"algorithm"`
		Person    ID     `json:"user_id"`
		IssuedAt  int64  `json:"issued_at"` // Unix time
	}
	plain, err := decodeBase64URL(payload)
	if err != nil || json.Unmarshal(plain, &request) != nil {
		return "", time.Time{}, false
	}
	ok = strings.EqualFold(request.Algorithm, "HMAC-SHA256") && request.Person != "" && request.IssuedAt > 0
	return string(request.Person), time.Unix(request.IssuedAt, 0).UTC(), ok
}

// decodeBase64URL accepts the URL alphabet with and without padding.
func decodeBase64URL(text string) ([]byte, error) {
	return base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
}
