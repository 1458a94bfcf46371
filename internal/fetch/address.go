package fetch

import (
	"errors"
	"net/netip"
	"net/url"
	"slices"
)

// ErrAddress means that Belfry never opens addresses of this form.
var ErrAddress = errors.New("the address must be public, begin with https://, and have no user name and no port")

// maxAddressLength is the maximum length of an address in bytes.
const maxAddressLength = 4096

// CheckAddressWithoutLookup checks the form of an address, and refuses IP addresses that are not public. It neither
// resolves host names nor opens the address. It returns the file name in the address, or "" if there is none. The error
// is ErrAddress.
func CheckAddressWithoutLookup(address string) (fileNameOrEmpty string, err error) {
	u, err := parseAndCheckAddressForm(address)
	if err != nil {
		return "", err
	}
	if host, err := netip.ParseAddr(u.Hostname()); err == nil && !newIsPublicAddressFunc()(host) {
		return "", ErrAddress
	}
	return sanitizeFileName(u.Path), nil
}

// parseAndCheckAddressForm parses an address and checks its form, but not whether its host is public. The error is
// ErrAddress.
func parseAndCheckAddressForm(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || len(address) > maxAddressLength {
		return nil, ErrAddress
	}
	return u, checkHTTPSURLForm(u)
}

func checkHTTPSURLForm(u *url.URL) error {
	port := u.Port()
	if u.Scheme != "https" || u.Opaque != "" || u.User != nil || u.Hostname() == "" || port != "" && port != "443" {
		return ErrAddress
	}
	return nil
}

func mustParsePrefixes(list ...string) (all []netip.Prefix) {
	for _, p := range list {
		all = append(all, netip.MustParsePrefix(p))
	}
	return all
}

// newIsPublicAddressFunc returns a function that reports whether an IP address is on the public internet. The lists are
// IANA's registries of special-purpose addresses, and the multicast ranges. Public IPv6 addresses are all in 2000::/3,
// so NAT64, loopback, link-local and private addresses need no entry.
func newIsPublicAddressFunc() func(netip.Addr) bool {
	special4 := mustParsePrefixes(
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
		"192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24",
		"198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	)
	global6 := netip.MustParsePrefix("2000::/3")
	special6 := mustParsePrefixes("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
	return func(a netip.Addr) bool {
		special := special6
		a = a.Unmap()
		switch {
		case !a.IsValid() || a.Zone() != "":
			return false
		case a.Is4():
			special = special4
		case !global6.Contains(a):
			return false
		}
		return !slices.ContainsFunc(special, func(p netip.Prefix) bool { return p.Contains(a) })
	}
}
