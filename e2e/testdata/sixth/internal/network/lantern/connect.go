package lantern

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"belfry/internal/network"
)

// AuthorizeURL is the consent page's address.
func (n *Network) AuthorizeURL(r network.AuthRequest) string {
	return n.env.Client.BrowserURL(site + "/oauth/authorize?" + url.Values{
		"client_id": {n.env.Get(varClientID)}, "redirect_uri": {r.RedirectURI}, "response_type": {"code"},
		"scope": {"read write"}, "state": {r.State},
	}.Encode())
}

// ExchangeCode turns the code into the profile that consented. Its token has no end.
func (n *Network) ExchangeCode(ctx context.Context, g network.AuthResponse) ([]network.Profile, error) {
	var out struct {
		Access string `json:"access_token"`
		Scope  string `json:"scope"`
	}
	err := n.call(ctx, network.Request{Method: http.MethodPost, URL: site + "/oauth/token", Form: url.Values{
		"client_id": {n.env.Get(varClientID)}, "client_secret": {n.env.Get(varClientSecret)}, "code": {g.Code},
		"grant_type": {"authorization_code"}, "redirect_uri": {g.RedirectURI},
	}}, &out)
	if err == nil && out.Access == "" {
		err = &network.Error{Kind: network.Unknown, Message: "Lantern did not return a token."}
	}
	if err != nil {
		return nil, err
	}
	t := network.Token{Access: network.Secret(out.Access), IssuedAt: n.env.Now(), Scopes: strings.Fields(out.Scope)}
	p, err := n.fetchProfile(ctx, t)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(t.Scopes, "write") {
		p.Unusable = "Belfry has no permission to write notes. Connect the profile again, and allow this."
	}
	return []network.Profile{p}, nil
}

// VerifyToken reads the profile.
func (n *Network) VerifyToken(ctx context.Context, t network.Token) error {
	_, err := n.fetchProfile(ctx, t)
	return err
}

func (n *Network) fetchProfile(ctx context.Context, t network.Token) (network.Profile, error) {
	var me struct{ ID, Name, Handle, Picture string }
	err := n.call(ctx, network.Request{Method: http.MethodGet, URL: site + "/api/me", Token: t.Access}, &me)
	if err == nil && me.ID == "" {
		err = &network.Error{Kind: network.Unknown, Message: "Lantern did not return a profile."}
	}
	t.Grant = network.FormatGrantID(site, n.env.Get(varClientID), me.ID)
	return network.Profile{
		ExternalID: me.ID, Username: me.Handle, DisplayName: me.Name, AvatarURL: me.Picture, Token: t,
	}, err
}
