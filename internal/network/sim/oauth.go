package sim

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// CheckRedirect says why an address cannot take people back from a consent page. Plain http is for
// loopback only.
func CheckRedirect(address string) error {
	u, err := url.Parse(address)
	switch {
	case address == "":
		return errors.New("redirect_uri is missing")
	case err != nil:
		return fmt.Errorf("redirect_uri is no address: %w", err)
	case u.Host == "" || u.Opaque != "" || u.User != nil:
		return errors.New("redirect_uri must be absolute, with a host and without a user")
	case u.Fragment != "" || strings.HasSuffix(address, "#"):
		return errors.New("redirect_uri must not carry a fragment")
	case u.Scheme == "https":
		return nil
	case u.Scheme == "http" && IsLoopback(u.Hostname()):
		return nil
	}
	return errors.New("redirect_uri must be https; http is allowed only for loopback hosts such as localhost")
}

// IsLoopback says whether a host name is this machine by definition.
func IsLoopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// NewSecret is a fresh random text that begins with prefix, for codes and tokens.
func NewSecret(prefix string) string { return prefix + rand.Text() + rand.Text() }

// BuildRedirect adds parameters to a redirect address and ends it with the fragment the network is known for.
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
