package network

import (
	"net/url"
	"regexp"
	"strings"
)

const (
	redacted = "[redacted]"
	// minSecret is the minimum length of a secret that is redacted. Placeholders such as the sandbox's secrets are
	// shorter, and would otherwise be cut out of sentences.
	minSecret = 8
	rawLimit  = 64 << 10
	searched  = 4 // a body is truncated to this many times rawLimit before it is redacted
)

// Values with these names are secrets, ours or ones that the network has just issued. The address of an upload is a
// secret, because anyone who has it can send bytes.
const secretNames = `access_token|refresh_token|id_token|client_secret|fb_exchange_token|input_token|appsecret_proof|` +
	`code_verifier|upload_url|upload_id`

var (
	secretMember = regexp.MustCompile(`("(?:` + secretNames + `)"\s*:\s*")(?:[^"\\]|\\.)*`)
	secretParam  = regexp.MustCompile(`((?:` + secretNames + `)=)[^&"\\\s]*`)
	secretName   = regexp.MustCompile(`^(?:` + secretNames + `|code)$`)
)

// redactor removes the secrets of one call from texts.
type redactor struct{ secrets []string }

func newRedactor(r Request) redactor {
	var d redactor
	d.addSecretUnlessShort(r.Token.Reveal())
	for _, s := range r.Secrets {
		d.addSecretUnlessShort(s.Reveal())
	}
	var inAddress url.Values
	if u, err := url.Parse(r.URL); err == nil {
		inAddress = u.Query()
	}
	for _, values := range []url.Values{inAddress, r.Query, r.Form} {
		for name, list := range values {
			if !secretName.MatchString(name) {
				continue
			}
			for _, v := range list {
				d.addSecretUnlessShort(v)
			}
		}
	}
	return d
}

func (d *redactor) addSecretUnlessShort(secret string) {
	if len(secret) < minSecret {
		return
	}
	d.secrets = append(d.secrets, secret)
	if escaped := url.QueryEscape(secret); escaped != secret {
		d.secrets = append(d.secrets, escaped)
	}
}

// redact removes the call's secrets, and every value with the name of a secret, from a text.
func (d redactor) redact(s string) string {
	for _, secret := range d.secrets {
		s = strings.ReplaceAll(s, secret, redacted)
	}
	s = secretMember.ReplaceAllString(s, "${1}"+redacted)
	return secretParam.ReplaceAllString(s, "${1}"+redacted)
}

// redactAndTruncate returns a response body that can be stored: redacted, and at most rawLimit bytes. It redacts
// before it truncates, so no part of a secret remains at the end.
func (d redactor) redactAndTruncate(body []byte) []byte {
	kept := d.redact(string(body[:min(len(body), searched*rawLimit)]))
	return []byte(kept[:min(len(kept), rawLimit)])
}
