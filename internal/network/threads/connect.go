package threads

import (
	"cmp"
	"context"
	"net/url"
	"strings"

	"belfry/internal/network"
	"belfry/internal/network/meta"
)

// scopes are the permissions that the service asks for; needed are those without which it cannot publish.
var (
	scopes = []string{"threads_basic", "threads_content_publish", "threads_manage_insights"}
	needed = scopes[:2]
)

// AuthorizeURL is the consent window's address, as a browser reaches it.
func (n *Network) AuthorizeURL(r network.AuthRequest) string {
	q := url.Values{
		"client_id": {n.id}, "redirect_uri": {r.RedirectURI}, "scope": {strings.Join(scopes, ",")},
		"response_type": {"code"}, "state": {r.State},
	}
	return n.client.Browse(n.consent + "?" + q.Encode())
}

type tokenAnswer struct {
	Access  string `json:"access_token"`
	Seconds int64  `json:"expires_in"`
}

// Exchange turns the code into the one profile that consented, with a token of 60 days.
func (n *Network) Exchange(ctx context.Context, g network.Grant) ([]network.Profile, error) {
	var short tokenAnswer
	err := n.token.Post(ctx, "/oauth/access_token", "", url.Values{
		"client_id": {n.id}, "client_secret": {n.secret.Reveal()}, "grant_type": {"authorization_code"},
		"redirect_uri": {g.RedirectURI}, "code": {meta.TrimCode(g.Code)},
	}, &short)
	if err != nil {
		return nil, err
	}
	var long tokenAnswer
	err = n.token.Get(ctx, "/access_token", "", url.Values{
		"grant_type": {"th_exchange_token"}, "client_secret": {n.secret.Reveal()}, "access_token": {short.Access},
	}, &long)
	if err != nil {
		return nil, err
	}
	if long.Access == "" {
		return nil, errNoToken()
	}
	p, err := n.fetchProfile(ctx, network.Secret(long.Access))
	if err != nil {
		return nil, err
	}
	granted, err := n.grantedScopes(ctx, network.Secret(long.Access))
	if err != nil {
		return nil, err
	}
	p.Token = n.applyGrant(network.Token{Scopes: granted, Grant: n.grantOf(p.ExternalID)}, long)
	p.Unusable = meta.MissingScope(granted, needed)
	return []network.Profile{p}, nil
}

// grantOf names what a person has given the app. No call is documented that ends it.
func (n *Network) grantOf(person string) string {
	return network.GrantOf("graph.threads.net", n.id, person)
}

// ReadCallback reads what Meta reports of a person who has connected a profile.
func (n *Network) ReadCallback(c network.Callback) (network.Notice, error) {
	return meta.ReadCallback(c, n.secret, n.now(), n.grantOf)
}

// grantedScopes are the permissions that the token has: a person may leave some out.
func (n *Network) grantedScopes(ctx context.Context, token network.Secret) ([]string, error) {
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

// applyGrant is an older token with what Threads has just granted; what the answer leaves out stays.
func (n *Network) applyGrant(old network.Token, g tokenAnswer) network.Token {
	now := n.now()
	t := old
	t.Access, t.IssuedAt = network.Secret(g.Access), now
	t.ExpiresAt = meta.Expiry(now, g.Seconds, old.ExpiresAt)
	t.RefreshAt = meta.RefreshTime(t)
	return t
}

// Refresh gives a token another 60 days. The token is its own credential: there is no other.
func (n *Network) Refresh(ctx context.Context, t network.Token) (network.Token, error) {
	var g tokenAnswer
	err := n.token.Get(ctx, "/refresh_access_token", "", url.Values{
		"grant_type": {"th_refresh_token"}, "access_token": {t.Access.Reveal()},
	}, &g)
	if err != nil {
		return network.Token{}, n.classifyAuthError(ctx, err, t)
	}
	if g.Access == "" {
		return network.Token{}, errNoToken()
	}
	return n.applyGrant(t, g), nil
}

func errNoToken() error {
	return &network.Error{Kind: network.Unknown, Message: "Threads did not return a token."}
}

// Verify asks for the profile, which any working token may.
func (n *Network) Verify(ctx context.Context, t network.Token) error {
	_, err := n.fetchProfile(ctx, t.Access)
	return n.classifyAuthError(ctx, err, t)
}

// ReadProfile reads the profile of the token.
func (n *Network) ReadProfile(ctx context.Context, _ string, t network.Token) (network.Profile, error) {
	return n.fetchProfile(ctx, t.Access)
}

// classifyAuthError tells an expired token from a revoked one where the answer does not.
func (n *Network) classifyAuthError(ctx context.Context, err error, t network.Token) error {
	return n.graph.ClassifyAuthError(ctx, err, t, func(ctx context.Context) (network.Secret, error) {
		var app tokenAnswer
		err := n.token.Get(ctx, "/oauth/access_token", "", url.Values{
			"client_id": {n.id}, "client_secret": {n.secret.Reveal()}, "grant_type": {"client_credentials"},
		}, &app)
		return network.Secret(app.Access), err
	})
}
