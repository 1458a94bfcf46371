package sim

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// CheckRedirect returns an error that says why people cannot be redirected to an address after their consent; nil if
// they can. http is allowed only for loopback.
func CheckRedirect(address string) error {
	u, err := url.Parse(address)
	switch {
	case address == "":
		return errors.New("redirect_uri is missing")
	case err != nil:
		return fmt.Errorf("redirect_uri is not an address: %w", err)
	case u.Host == "" || u.Opaque != "" || u.User != nil:
		return errors.New("redirect_uri must be absolute, with a host and without a user")
	case u.Fragment != "" || strings.HasSuffix(address, "#"):
		return errors.New("redirect_uri must not have a fragment")
	case u.Scheme == "https":
		return nil
	case u.Scheme == "http" && IsLoopback(u.Hostname()):
		return nil
	}
	return errors.New("redirect_uri must use https; http is allowed only for loopback hosts such as localhost")
}

// IsLoopback reports whether a host name always means this machine.
func IsLoopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// NewSecret returns a random text that begins with prefix, for codes and tokens.
func NewSecret(prefix string) string { return prefix + rand.Text() + rand.Text() }

// BuildRedirect returns a redirect address with additional parameters and a fragment.
func BuildRedirect(address string, params [][2]string, fragment string) string {
	var b strings.Builder
	b.WriteString(address)
	sep := byte('?')
	if strings.Contains(address, "?") {
		sep = '&'
	}
	for _, p := range params {
		b.WriteByte(sep)
		b.WriteString(url.QueryEscape(p[0]) + "=" + url.QueryEscape(p[1]))
		sep = '&'
	}
	b.WriteString(fragment)
	return b.String()
}
