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

// scopes are everything the service asks for. Without business_management Pages of a business portfolio
// are not listed; insights are for later figures.
var scopes = []string{
	meta.ScopeListPages, scopeRead, scopePublish, "pages_read_user_content", "read_insights", "business_management",
}

// needed are the scopes without which no Page can be published to, or searched for a post.
var needed = []string{meta.ScopeListPages, scopeRead, scopePublish}

// AuthorizeURL is the login dialog's address, as a browser reaches it.
func (n *Network) AuthorizeURL(r network.AuthRequest) string {
	q := url.Values{
		"client_id": {n.id}, "redirect_uri": {r.RedirectURI}, "scope": {strings.Join(scopes, ",")},
		"response_type": {"code"}, "state": {r.State},
	}
	return n.client.Browse(site + "/" + n.version + "/dialog/oauth?" + q.Encode())
}

// Exchange turns the code into the Pages that the person ticked, each with a token of its own. Those come
// from a long-lived token of the person, so they have no date; the person's own is not kept.
func (n *Network) Exchange(ctx context.Context, g network.Grant) ([]network.Profile, error) {
	login, err := n.login.Exchange(ctx, g)
	if err != nil {
		return nil, err
	}
	list, err := meta.ListPages[meta.Page](ctx, n.login, login.Person, login.Granted, meta.PageFields)
	if err != nil {
		return nil, err
	}
	profiles := make([]network.Profile, 0, len(list))
	for _, p := range list {
		profile := profileOf(p)
		profile.Token = network.Token{
			Access: network.Secret(p.Access), IssuedAt: n.now(), Scopes: login.Granted, Grant: login.Grant,
		}
		profile.Unusable = p.WhyUnusable(login.Granted, needed)
		profiles = append(profiles, profile)
	}
	return profiles, nil
}

// Revoke removes the app from the account of the person who connected the Page.
func (n *Network) Revoke(ctx context.Context, t network.Token) error { return n.login.Revoke(ctx, t) }

// ReadCallback reads what Meta reports of a person who has connected Pages.
func (n *Network) ReadCallback(c network.Callback) (network.Notice, error) {
	return meta.ReadCallback(c, n.secret, n.now(), n.login.GrantOf)
}

// Verify asks for the Page, which its own token may.
func (n *Network) Verify(ctx context.Context, t network.Token) error {
	var me struct {
		ID meta.ID `json:"id"`
	}
	return n.classifyAuthError(ctx, n.graph.Get(ctx, "/me", t.Access, url.Values{"fields": {"id"}}, &me), t)
}

// ReadProfile reads the Page with its own token.
func (n *Network) ReadProfile(ctx context.Context, _ string, t network.Token) (network.Profile, error) {
	var p meta.Page
	fields := url.Values{"fields": {"id,name,username,picture.type(large)"}}
	err := n.graph.Get(ctx, "/me", t.Access, fields, &p)
	return profileOf(p), err
}

func profileOf(p meta.Page) network.Profile {
	return network.Profile{
		ExternalID: string(p.ID), Username: p.Username, DisplayName: p.Name, AvatarURL: p.Picture.Data.URL,
	}
}

// classifyAuthError tells an expired token from a revoked one where the answer does not.
func (n *Network) classifyAuthError(ctx context.Context, err error, t network.Token) error {
	return n.login.Classify(ctx, err, t)
}
