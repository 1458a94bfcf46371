package config

import (
	"fmt"
	"io"
	"log/slog"
	"net/url"
)

const redacted = "[redacted]"

// Secret is a value that must not appear in logs, errors or output. Only Reveal returns it.
type Secret struct{ value string }

// NewSecret wraps a value.
func NewSecret(value string) Secret { return Secret{value} }

// Reveal returns the value itself.
func (s Secret) Reveal() string { return s.value }

// IsZero reports whether the value is empty.
func (s Secret) IsZero() bool { return s.value == "" }

// String hides the value.
func (s Secret) String() string {
	if s.IsZero() {
		return ""
	}
	return redacted
}

// Format hides the value from every verb of fmt.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// LogValue hides the value from slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText hides the value from encoders such as encoding/json.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText stores the text unchanged.
func (s *Secret) UnmarshalText(text []byte) error {
	s.value = string(text)
	return nil
}

// redactedURL returns an address without its user, password and query, which may all contain secrets. An address
// without a host is shown only if it is that of a folder: if a slash is missing, a password is part of the path.
func (s Secret) redactedURL() string {
	u, err := url.Parse(s.value)
	if err != nil || u.Scheme == "" {
		return s.String()
	}
	if u.Host == "" {
		if u.Scheme == "file" {
			return u.Scheme + ":" + u.Opaque + u.Path
		}
		return u.Scheme + ":" + redacted
	}
	user := ""
	if u.User != nil {
		user = redacted + "@"
	}
	return u.Scheme + "://" + user + u.Host + u.Path
}
