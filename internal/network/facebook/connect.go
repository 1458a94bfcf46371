package facebook

import (
	"context"
	"net/url"
	"strings"

	"belfry/internal/network"
	"belfry/internal/network/meta"
)

const (
	scopePublish = "pages_manage_posts"
	scopeRead    = "pages_read_engagement"
)

// scopes are the permissions that Belfry requests. Without business_management, Pages of a business portfolio are not
// listed. The insights are for statistics.
var scopes = []string{
	meta.ScopeListPages, scopeRead, scopePublish, "pages_read_user_content", "read_insights", "business_management",
}

// needed are the scopes that publishing to a Page and searching its posts require.
var needed = []string{meta.ScopeListPages, scopeRead, scopePublish}

// AuthorizeURL returns the address of the login dialog for a browser.
func (n *Network) AuthorizeURL(r network.AuthRequest) string {
	q := url.Values{
		"client_id": {n.id}, "redirect_uri": {r.RedirectURI}, "scope": {strings.Join(scopes, ",")},
		"response_type": {"code"}, "state": {r.State},
	}
	return n.client.BrowserURL(site + "/" + n.version + "/dialog/oauth?" + q.Encode())
}

// ExchangeCode exchanges the code for the Pages that the person selected, each with its own token. These tokens do
// not expire, because they derive from a long-lived token of the person, which is not stored.
func (n *Network) ExchangeCode(ctx context.Context, g network.AuthResponse) ([]network.Profile, error) {
	login, err := n.login.ExchangeCode(ctx, g)
	if err != nil {
		return nil, err
	}
	list, err := meta.ListPages[meta.Page](ctx, n.login, login.PersonToken, login.Granted, meta.PageFields)
	if err != nil {
		return nil, err
	}
	profiles := make([]network.Profile, 0, len(list))
	for _, p := range list {
		profile := profileFromPage(p)
		profile.Token = network.Token{
			Access: network.Secret(p.Access), IssuedAt: n.now(), Scopes: login.Granted, Grant: login.Grant,
		}
		profile.Unusable = p.WhyUnusable(login.Granted, needed)
		profiles = append(profiles, profile)
	}
	return profiles, nil
}

// RevokeGrant removes the app from the account of the person who connected the Page.
func (n *Network) RevokeGrant(ctx context.Context, t network.Token) error {
	return n.login.RevokeGrant(ctx, t)
}

// VerifyCallback reads what Meta reports about a person who has connected Pages.
func (n *Network) VerifyCallback(c network.Callback) (network.Notice, error) {
	return meta.VerifyCallback(c, n.secret, n.now(), n.login.GrantID)
}

// VerifyToken reads the Page with its own token.
func (n *Network) VerifyToken(ctx context.Context, t network.Token) error {
	var me struct {
		ID meta.ID `json:"id"`
	}
	return n.distinguishExpiredFromRevoked(ctx, n.graph.Get(ctx, "/me", t.Access, url.Values{"fields": {"id"}}, &me), t)
}

// ReadProfile reads the Page with its own token.
func (n *Network) ReadProfile(ctx context.Context, _ string, t network.Token) (network.Profile, error) {
	var p meta.Page
	fields := url.Values{"fields": {"id,name,username,picture.type(large)"}}
	err := n.graph.Get(ctx, "/me", t.Access, fields, &p)
	return profileFromPage(p), err
}

func profileFromPage(p meta.Page) network.Profile {
	return network.Profile{
		ExternalID: string(p.ID), Username: p.Username, DisplayName: p.Name, AvatarURL: p.Picture.Data.URL,
	}
}

// distinguishExpiredFromRevoked distinguishes an expired token from a revoked one when the response does not.
func (n *Network) distinguishExpiredFromRevoked(ctx context.Context, err error, t network.Token) error {
	return n.login.DistinguishExpiredFromRevoked(ctx, err, t)
}
