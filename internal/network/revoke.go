package network

import (
	"context"
	"strings"
)

// Revoker is a network that can be asked to revoke a grant: all that a person has given this server's app.
type Revoker interface {
	// RevokeGrant revokes the grant of a token, and with it all its other tokens. The token has not lapsed. A grant that
	// was revoked already is a Rejected, Expired or Revoked error.
	RevokeGrant(ctx context.Context, t Token) error
}

// FormatGrantID names what a person has given an app at an issuer of tokens; "" when the person is not known.
func FormatGrantID(issuer, app, person string) string {
	if person == "" {
		return ""
	}
	return strings.Join([]string{issuer, app, person}, "/")
}

// PersonInGrantID returns the person of a grant to the app; "" for the grant to another app.
func PersonInGrantID(grant, issuer, app string) string {
	person, ok := strings.CutPrefix(grant, strings.Join([]string{issuer, app, ""}, "/"))
	if !ok {
		return ""
	}
	return person
}
