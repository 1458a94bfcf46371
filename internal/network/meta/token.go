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

// DistinguishExpiredFromRevoked distinguishes an expired token from a revoked one if the network does not (190 without
// a subcode). If the stored date has not passed, or there is none, it asks the network with the token that appToken
// returns. It returns any other error unchanged.
func (a API) DistinguishExpiredFromRevoked(
	ctx context.Context, err error, t network.Token, appToken func(context.Context) (network.Secret, error),
) error {
	var e *network.Error
	if !errors.As(err, &e) || e.Kind != network.Revoked || (e.Code != "190" && e.Code != "102") {
		return err
	}
	classified := *e
	if ends := a.findInvalidTokenExpiry(ctx, t, appToken); !ends.IsZero() && !ends.After(a.Now()) {
		classified.Kind = network.Expired
	}
	return &classified
}

// findInvalidTokenExpiry returns when a token that no longer works expires or expired; zero if it works, or if the time
// is unknown. Unless the stored date has passed, it asks the network.
func (a API) findInvalidTokenExpiry(
	ctx context.Context, t network.Token, appToken func(context.Context) (network.Secret, error),
) (expiryOrZero time.Time) {
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

// TokenInfo is what the network reports about a token.
type TokenInfo struct {
	Valid   bool     `json:"is_valid"`
	Expires int64    `json:"expires_at"` // Unix time; 0 for none
	Scopes  []string `json:"scopes"`
	// DataAccessEnds is when the token loses access to the person's data unless the person consents again; Unix time.
	DataAccessEnds int64 `json:"data_access_expires_at"`
}

// InspectToken asks the network about a token. inspectorToken is another token of the same app, or the token itself.
func (a API) InspectToken(ctx context.Context, inspectorToken, token network.Secret) (TokenInfo, error) {
	var out struct {
		Data TokenInfo `json:"data"`
	}
	err := a.Get(ctx, "/debug_token", inspectorToken, url.Values{"input_token": {token.Reveal()}}, &out)
	return out.Data, err
}

// MinRefreshAge is the minimum age of a token that can be refreshed.
const MinRefreshAge = 24 * time.Hour

// MissingScopeMessage returns a sentence that names the first needed permission that was not granted; "" if all were.
func MissingScopeMessage(granted, needed []string) (messageOrEmpty string) {
	for _, scope := range needed {
		if !slices.Contains(granted, scope) {
			return "The permission " + scope + " was not granted. Connect again and leave every permission selected."
		}
	}
	return ""
}

// TrimAuthCodeSuffix returns an authorization code without the suffix that these networks append.
func TrimAuthCodeSuffix(code string) string {
	code = strings.TrimSuffix(code, "#_=_")
	return strings.TrimSuffix(code, "#_")
}
