package threads

import (
	"cmp"
	"context"
	"net/url"
	"strings"
	"time"

	"belfry/internal/network"
	"belfry/internal/network/meta"
)

// scopes are everything the service asks for, insights for later figures included.
var scopes = []string{"threads_basic", "threads_content_publish", "threads_manage_insights"}

// refreshAge is how old a token must be to be refreshed.
const refreshAge = 24 * time.Hour

// AuthorizeURL is the consent window's address, as a browser reaches it.
func (n *Network) AuthorizeURL(r network.AuthRequest) string {
	q := url.Values{
		"client_id": {n.id}, "redirect_uri": {r.RedirectURI}, "scope": {strings.Join(scopes, ",")},
		"response_type": {"code"}, "state": {r.State},
	}
	return n.client.Browse(n.consent + "?" + q.Encode())
}

type granted struct {
	Access  string `json:"access_token"`
	Seconds int64  `json:"expires_in"`
}

// Exchange turns the code into the one profile that consented, with a token of 60 days.
func (n *Network) Exchange(ctx context.Context, g network.Grant) ([]network.Profile, error) {
	var short granted
	err := n.token.Post(ctx, "/oauth/access_token", "", url.Values{
		"client_id": {n.id}, "client_secret": {n.secret.Reveal()}, "grant_type": {"authorization_code"},
		"redirect_uri": {g.RedirectURI}, "code": {meta.CodeOf(g.Code)},
	}, &short)
	if err != nil {
		return nil, err
	}
	var long granted
	err = n.token.Get(ctx, "/access_token", "", url.Values{
		"grant_type": {"th_exchange_token"}, "client_secret": {n.secret.Reveal()}, "access_token": {short.Access},
	}, &long)
	if err != nil {
		return nil, err
	}
	if long.Access == "" {
		return nil, noToken()
	}
	p, err := n.profile(ctx, network.Secret(long.Access))
	if err != nil {
		return nil, err
	}
	p.Token = n.fresh(network.Token{Scopes: scopes}, long)
	return []network.Profile{p}, nil
}

func (n *Network) profile(ctx context.Context, token network.Secret) (network.Profile, error) {
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
		return network.Profile{}, &network.Error{Kind: network.Unknown, Message: "Threads answered a profile without an id."}
	}
	return network.Profile{
		ExternalID: string(me.ID), Username: me.Username, DisplayName: cmp.Or(me.Name, me.Username), AvatarURL: me.Picture,
	}, nil
}

// fresh puts what the network granted over an older token; what it left out stays.
func (n *Network) fresh(old network.Token, g granted) network.Token {
	now := n.now()
	t := old
	t.Access, t.IssuedAt = network.Secret(g.Access), now
	t.ExpiresAt = meta.Expiry(now, g.Seconds, old.ExpiresAt)
	t.RefreshAt = refreshAt(t)
	return t
}

// refreshAt is half of the token's life, and never before the network allows it.
func refreshAt(t network.Token) time.Time {
	if t.ExpiresAt.IsZero() {
		return time.Time{}
	}
	life := t.ExpiresAt.Sub(t.IssuedAt)
	at := t.IssuedAt.Add(max(life/2, refreshAge))
	if !at.Before(t.ExpiresAt) {
		return time.Time{}
	}
	return at
}

// Refresh gives a token another 60 days. The token is its own credential: there is no other.
func (n *Network) Refresh(ctx context.Context, t network.Token) (network.Token, error) {
	var g granted
	err := n.token.Get(ctx, "/refresh_access_token", "", url.Values{
		"grant_type": {"th_refresh_token"}, "access_token": {t.Access.Reveal()},
	}, &g)
	if err != nil {
		return network.Token{}, n.judged(ctx, err, t)
	}
	if g.Access == "" {
		return network.Token{}, noToken()
	}
	return n.fresh(t, g), nil
}

func noToken() error {
	return &network.Error{Kind: network.Unknown, Message: "Threads answered without a token."}
}

// Verify asks for the profile, which any working token may.
func (n *Network) Verify(ctx context.Context, t network.Token) error {
	_, err := n.profile(ctx, t.Access)
	return n.judged(ctx, err, t)
}

// judged tells expired from revoked where the answer does not.
func (n *Network) judged(ctx context.Context, err error, t network.Token) error {
	return n.graph.Judged(ctx, err, t, func(ctx context.Context) (network.Secret, error) {
		var app granted
		err := n.token.Get(ctx, "/oauth/access_token", "", url.Values{
			"client_id": {n.id}, "client_secret": {n.secret.Reveal()}, "grant_type": {"client_credentials"},
		}, &app)
		return network.Secret(app.Access), err
	})
}
