package meta

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"belfry/internal/network"
)

// ClassifyAuthError tells a token that ran out from one that was withdrawn, where the network says neither (190
// without a subcode): by the date that was stored, else by asking the network about the token. appToken
// gets the token that may ask. Any other error comes back as it is.
func (a API) ClassifyAuthError(
	ctx context.Context, err error, t network.Token, appToken func(context.Context) (network.Secret, error),
) error {
	var e *network.Error
	if !errors.As(err, &e) || e.Kind != network.Revoked || (e.Code != "190" && e.Code != "102") {
		return err
	}
	classified := *e
	if ends := a.findTokenExpiry(ctx, t, appToken); !ends.IsZero() && !ends.After(a.Now()) {
		classified.Kind = network.Expired
	}
	return &classified
}

// findTokenExpiry is when the token ends or ended; zero when it is unknown.
func (a API) findTokenExpiry(
	ctx context.Context, t network.Token, appToken func(context.Context) (network.Secret, error),
) time.Time {
	if !t.ExpiresAt.IsZero() && !t.ExpiresAt.After(a.Now()) {
		return t.ExpiresAt
	}
	inspector, err := appToken(ctx)
	if err != nil {
		return time.Time{}
	}
	info, err := a.InspectToken(ctx, inspector, t.Access)
	if err != nil || info.Valid || info.Expires <= 0 {
		return time.Time{}
	}
	return time.Unix(info.Expires, 0)
}

// TokenInfo is what the network says of a token.
type TokenInfo struct {
	Valid   bool     `json:"is_valid"`
	Expires int64    `json:"expires_at"` // Unix time; 0 for none
	Scopes  []string `json:"scopes"`
	// DataAccessEnds is when the person must consent again for what the token may see; Unix time.
	DataAccessEnds int64 `json:"data_access_expires_at"`
}

// InspectToken asks about a token with another of the same app, or with the token itself.
func (a API) InspectToken(ctx context.Context, inspector, token network.Secret) (TokenInfo, error) {
	var out struct {
		Data TokenInfo `json:"data"`
	}
	err := a.Get(ctx, "/debug_token", inspector, url.Values{"input_token": {token.Reveal()}}, &out)
	return out.Data, err
}

// refreshAge is how old a token must be to be refreshed.
const refreshAge = 24 * time.Hour

// RefreshTime is half of the token's life, and never before the network allows it; zero when the token has no end or
// ends before that.
func RefreshTime(t network.Token) time.Time {
	if t.ExpiresAt.IsZero() {
		return time.Time{}
	}
	at := t.IssuedAt.Add(max(t.ExpiresAt.Sub(t.IssuedAt)/2, refreshAge))
	if !at.Before(t.ExpiresAt) {
		return time.Time{}
	}
	return at
}

// MissingScopeMessage says in a sentence which of the needed permissions was not granted first; "" when all were.
func MissingScopeMessage(granted, needed []string) string {
	for _, scope := range needed {
		if !slices.Contains(granted, scope) {
			return "The permission " + scope + " was not granted. Connect again and leave every permission selected."
		}
	}
	return ""
}

// TrimCode is an authorization code without the mark that these networks append to it.
func TrimCode(code string) string {
	code = strings.TrimSuffix(code, "#_=_")
	return strings.TrimSuffix(code, "#_")
}
