package network

import (
	"context"
	"strings"
)

// Revoker is a network that can revoke a grant: all access that a person has given this server's app.
type Revoker interface {
	// RevokeGrant revokes the grant of the token, which must not have lapsed, and all other tokens of that grant. If
	// the grant is already revoked, it returns a Rejected, Expired or Revoked error.
	RevokeGrant(ctx context.Context, t Token) error
}

// FormatGrantID returns the id of the grant of a person to an app at an issuer of tokens; "" if the person is
// unknown.
func FormatGrantID(issuer, app, person string) (idOrEmpty string) {
	if person == "" {
		return ""
	}
	return strings.Join([]string{issuer, app, person}, "/")
}

// PersonInGrantID returns the person in the id of a grant; "" if the grant is to another app or at another issuer.
func PersonInGrantID(grant, issuer, app string) (personOrEmpty string) {
	person, ok := strings.CutPrefix(grant, strings.Join([]string{issuer, app, ""}, "/"))
	if !ok {
		return ""
	}
	return person
}
