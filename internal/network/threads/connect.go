package threads

import (
	"cmp"
	"context"
	"net/url"
	"strings"

	"belfry/internal/network"
	"belfry/internal/network/meta"
)

// scopes are the permissions that Belfry requests; needed are the ones that publishing requires.
var (
	scopes = []string{"threads_basic", "threads_content_publish", "threads_manage_insights"}
	needed = scopes[:2]
)

// AuthorizeURL returns the address of the consent window for a browser.
func (n *Network) AuthorizeURL(r network.AuthRequest) string {
	q := url.Values{
		"client_id": {n.id}, "redirect_uri": {r.RedirectURI}, "scope": {strings.Join(scopes, ",")},
		"response_type": {"code"}, "state": {r.State},
	}
	return n.client.BrowserURL(n.consent + "?" + q.Encode())
}

type tokenResponse struct {
	Access  string `json:"access_token"`
	Seconds int64  `json:"expires_in"`
}

// ExchangeCode exchanges the code for the profile that consented, with a token that is valid for 60 days.
func (n *Network) ExchangeCode(ctx context.Context, g network.AuthResponse) ([]network.Profile, error) {
	var short tokenResponse
	err := n.token.Post(ctx, "/oauth/access_token", "", url.Values{
		"client_id": {n.id}, "client_secret": {n.secret.Reveal()}, "grant_type": {"authorization_code"},
		"redirect_uri": {g.RedirectURI}, "code": {meta.TrimAuthCodeSuffix(g.Code)},
	}, &short)
	if err != nil {
		return nil, err
	}
	var long tokenResponse
	err = n.token.Get(ctx, "/access_token", "", url.Values{
		"grant_type": {"th_exchange_token"}, "client_secret": {n.secret.Reveal()}, "access_token": {short.Access},
	}, &long)
	if err != nil {
		return nil, err
	}
	if long.Access == "" {
		return nil, newNoTokenError()
	}
	p, err := n.fetchProfile(ctx, network.Secret(long.Access))
	if err != nil {
		return nil, err
	}
	granted, err := n.fetchGrantedScopes(ctx, network.Secret(long.Access))
	if err != nil {
		return nil, err
	}
	p.Token = n.mergeTokenResponse(network.Token{Scopes: granted, Grant: n.grantID(p.ExternalID)}, long)
	p.Unusable = meta.MissingScopeMessage(granted, needed)
	return []network.Profile{p}, nil
}

// grantID returns the id of the grant with which a person gave the app access. Threads documents no call to revoke it.
func (n *Network) grantID(person string) string {
	return network.FormatGrantID("graph.threads.net", n.id, person)
}

// VerifyCallback reads what Meta reports about a person who has connected a profile.
func (n *Network) VerifyCallback(c network.Callback) (network.Notice, error) {
	return meta.VerifyCallback(c, n.secret, n.now(), n.grantID)
}

// fetchGrantedScopes returns the permissions of the token. A person can deselect some.
func (n *Network) fetchGrantedScopes(ctx context.Context, token network.Secret) ([]string, error) {
	info, err := n.graph.InspectToken(ctx, token, token)
	if err != nil {
		return nil, err
	}
	return info.Scopes, nil
}

func (n *Network) fetchProfile(ctx context.Context, token network.Secret) (network.Profile, error) {
	var me struct {
		ID       meta.ID `json:"id"`
		Username string  `json:"username"`
		Name     string  `json:"name"`
		Picture  string  `json:"threads_profile_picture_url"`
	}
	err := n.graph.Get(ctx, "/me", token, url.Values{"fields": {"id,username,name,threads_profile_picture_url"}}, &me)
	if err != nil {
		return network.Profile{}, err
	}
	if me.ID == "" {
		return network.Profile{}, &network.Error{Kind: network.Unknown, Message: "Threads returned a profile without an ID."}
	}
	return network.Profile{
		ExternalID: string(me.ID), Username: me.Username, DisplayName: cmp.Or(me.Name, me.Username), AvatarURL: me.Picture,
	}, nil
}

// mergeTokenResponse returns the old token with the values of the response. Values that the response omits stay.
func (n *Network) mergeTokenResponse(old network.Token, response tokenResponse) network.Token {
	now := n.now()
	t := old
	t.Access, t.IssuedAt = network.Secret(response.Access), now
	t.ExpiresAt = meta.ExpiryAfter(now, response.Seconds, old.ExpiresAt)
	t.RefreshAt = t.RefreshTime(meta.MinRefreshAge)
	return t
}

// RefreshToken extends a token by 60 days. The token itself is the only credential.
func (n *Network) RefreshToken(ctx context.Context, t network.Token) (network.Token, error) {
	var g tokenResponse
	err := n.token.Get(ctx, "/refresh_access_token", "", url.Values{
		"grant_type": {"th_refresh_token"}, "access_token": {t.Access.Reveal()},
	}, &g)
	if err != nil {
		return network.Token{}, n.distinguishExpiredFromRevoked(ctx, err, t)
	}
	if g.Access == "" {
		return network.Token{}, newNoTokenError()
	}
	return n.mergeTokenResponse(t, g), nil
}

func newNoTokenError() error {
	return &network.Error{Kind: network.Unknown, Message: "Threads did not return a token."}
}

// VerifyToken reads the profile, for which every valid token is enough.
func (n *Network) VerifyToken(ctx context.Context, t network.Token) error {
	_, err := n.fetchProfile(ctx, t.Access)
	return n.distinguishExpiredFromRevoked(ctx, err, t)
}

// ReadProfile reads the profile of the token.
func (n *Network) ReadProfile(ctx context.Context, _ string, t network.Token) (network.Profile, error) {
	return n.fetchProfile(ctx, t.Access)
}

// distinguishExpiredFromRevoked distinguishes an expired token from a revoked one when the response does not.
func (n *Network) distinguishExpiredFromRevoked(ctx context.Context, err error, t network.Token) error {
	return n.graph.DistinguishExpiredFromRevoked(ctx, err, t, func(ctx context.Context) (network.Secret, error) {
		var app tokenResponse
		err := n.token.Get(ctx, "/oauth/access_token", "", url.Values{
			"client_id": {n.id}, "client_secret": {n.secret.Reveal()}, "grant_type": {"client_credentials"},
		}, &app)
		return network.Secret(app.Access), err
	})
}
