package meta

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"belfry/internal/network"
)

// Judged tells a token that ran out from one that was withdrawn, where the network says neither (190
// without a subcode): by the date that was stored, else by asking the network about the token. inspect
// makes the token that may ask.
func (a API) Judged(ctx context.Context, err error, t network.Token, inspect func(context.Context) (network.Secret, error)) error {
	var e *network.Error
	if !errors.As(err, &e) || e.Kind != network.Revoked || (e.Code != "190" && e.Code != "102") {
		return err
	}
	judged := *e
	if ends := a.ends(ctx, t, inspect); !ends.IsZero() && !ends.After(a.Now()) {
		judged.Kind = network.Expired
	}
	return &judged
}

// ends is when the token ends or ended; zero when nobody knows.
func (a API) ends(ctx context.Context, t network.Token, inspect func(context.Context) (network.Secret, error)) time.Time {
	if !t.ExpiresAt.IsZero() && !t.ExpiresAt.After(a.Now()) {
		return t.ExpiresAt
	}
	asking, err := inspect(ctx)
	if err != nil {
		return time.Time{}
	}
	var out struct {
		Data struct {
			Valid   bool  `json:"is_valid"`
			Expires int64 `json:"expires_at"`
		} `json:"data"`
	}
	err = a.Get(ctx, "/debug_token", asking, url.Values{"input_token": {t.Access.Reveal()}}, &out)
	if err != nil || out.Data.Valid || out.Data.Expires <= 0 {
		return time.Time{}
	}
	return time.Unix(out.Data.Expires, 0)
}

// CodeOf is the code of a way back, without the mark that these networks hang on it.
func CodeOf(code string) string {
	code = strings.TrimSuffix(code, "#_=_")
	return strings.TrimSuffix(code, "#_")
}
