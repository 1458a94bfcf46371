package network

import (
	"net/url"
	"regexp"
	"strings"
)

const (
	redacted = "[redacted]"
	// minSecret keeps words that only stand in for a secret, as the sandbox's do, from being cut
	// out of sentences.
	minSecret = 8
	rawLimit  = 64 << 10
	searched  = 4
)

// Whatever carries one of these names is a secret, ours or one that the network has just made. Whoever has the address
// of an upload may send bytes to it.
const secretNames = `access_token|refresh_token|id_token|client_secret|fb_exchange_token|input_token|appsecret_proof|` +
	`code_verifier|upload_url|upload_id`

var (
	secretMember = regexp.MustCompile(`("(?:` + secretNames + `)"\s*:\s*")(?:[^"\\]|\\.)*`)
	secretParam  = regexp.MustCompile(`((?:` + secretNames + `)=)[^&"\\\s]*`)
	secretName   = regexp.MustCompile(`^(?:` + secretNames + `|code)$`)
)

// redactor cuts what one call must not tell.
type redactor struct{ secrets []string }

func newRedactor(r Request) redactor {
	var d redactor
	d.addSecret(r.Token.Reveal())
	for _, s := range r.Secrets {
		d.addSecret(s.Reveal())
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
				d.addSecret(v)
			}
		}
	}
	return d
}

func (d *redactor) addSecret(secret string) {
	if len(secret) < minSecret {
		return
	}
	d.secrets = append(d.secrets, secret)
	if escaped := url.QueryEscape(secret); escaped != secret {
		d.secrets = append(d.secrets, escaped)
	}
}

// redact removes the call's secrets, and anything named like one, from a text.
func (d redactor) redact(s string) string {
	for _, secret := range d.secrets {
		s = strings.ReplaceAll(s, secret, redacted)
	}
	s = secretMember.ReplaceAllString(s, "${1}"+redacted)
	return secretParam.ReplaceAllString(s, "${1}"+redacted)
}

// redactAndTruncate is an answer as it may be stored. More is searched than is stored, so that the end holds no half
// of a secret.
func (d redactor) redactAndTruncate(body []byte) []byte {
	kept := d.redact(string(body[:min(len(body), searched*rawLimit)]))
	return []byte(kept[:min(len(kept), rawLimit)])
}
