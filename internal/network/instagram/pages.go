package instagram

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"time"

	"belfry/internal/network"
	"belfry/internal/network/meta"
)

// pageScopes are the permissions that Belfry requests with Facebook Login; pageNeeded are the ones that publishing
// requires. Without business_management, Pages of a business portfolio are not listed.
var (
	pageScopes = []string{
		"instagram_basic", "instagram_content_publish", meta.ScopeListPages, "pages_read_engagement",
		"instagram_manage_insights", "business_management",
	}
	pageNeeded = pageScopes[:4]
)

// extraPerson is the key under which the person's token is stored with the Page's token. Only tokens of Facebook Login
// have it.
const extraPerson = "person"

func isPageToken(t network.Token) bool { return t.Extra[extraPerson] != "" }

// linkedPage is a Page with its linked professional account.
type linkedPage struct {
	meta.Page
	Account linkedAccount `json:"instagram_business_account"`
}

// linkedAccount is a professional account, as its Page returns it.
type linkedAccount struct {
	ID       meta.ID `json:"id"`
	Username string  `json:"username"`
	Name     string  `json:"name"`
	Picture  string  `json:"profile_picture_url"`
}

const (
	linkedAccountFields = "id,username,name,profile_picture_url"
	linkedFields        = meta.PageFields + ",instagram_business_account{" + linkedAccountFields + "}"
)

func (a linkedAccount) toProfile() network.Profile {
	return network.Profile{
		ExternalID: string(a.ID), Username: a.Username, DisplayName: cmp.Or(a.Name, a.Username), AvatarURL: a.Picture,
	}
}

// exchangeCodeForLinkedAccounts exchanges the code for the accounts that are linked to the selected Pages.
func (n *Network) exchangeCodeForLinkedAccounts(
	ctx context.Context, g network.AuthResponse,
) ([]network.Profile, error) {
	login, err := n.pages.ExchangeCode(ctx, g)
	if err != nil {
		return nil, err
	}
	list, err := meta.ListPages[linkedPage](ctx, n.pages, login.PersonToken, login.Granted, linkedFields)
	if err != nil {
		return nil, err
	}
	info, err := n.pages.API.InspectToken(ctx, network.Secret(n.id+"|"+n.secret.Reveal()), login.PersonToken)
	if err != nil {
		return nil, err
	}
	token := network.Token{
		IssuedAt: n.now(), Scopes: login.Granted, Grant: login.Grant,
		Extra: map[string]network.Secret{extraPerson: login.PersonToken},
	}
	if info.DataAccessEnds > 0 {
		token.ExpiresAt = time.Unix(info.DataAccessEnds, 0).UTC()
	}
	profiles := make([]network.Profile, 0, len(list))
	for _, p := range list {
		token.Access = network.Secret(p.Access)
		profile := p.toProfile(token)
		profile.Login = loginFacebook
		profiles = append(profiles, profile)
	}
	return profiles, nil
}

// toProfile returns the account of a Page, or the Page itself with the reason why it cannot be connected.
func (p linkedPage) toProfile(t network.Token) network.Profile {
	if p.Account.ID == "" {
		return network.Profile{
			ExternalID: string(p.ID), DisplayName: p.Name, AvatarURL: p.Picture.Data.URL, Token: t,
			Unusable: "No Instagram Business or Creator account is linked to this Page. Link one in the Page's settings. Then " +
				"connect again.",
		}
	}
	profile := p.Account.toProfile()
	profile.Token, profile.Unusable = t, p.WhyUnusable(t.Scopes, pageNeeded)
	return profile
}

// verifyPageToken reads the Page with its own token.
func (n *Network) verifyPageToken(ctx context.Context, t network.Token) error {
	var me struct {
		ID meta.ID `json:"id"`
	}
	err := n.pages.API.Get(ctx, "/me", t.Access, url.Values{"fields": {"id"}}, &me)
	return n.distinguishExpiredFromRevoked(ctx, err, t)
}

// apiForToken returns the API of the login that issued the token.
func (n *Network) apiForToken(t network.Token) meta.API {
	if isPageToken(t) {
		return n.pages.API
	}
	return n.own
}

// hiddenCodes are the codes for objects that a token may not see. Instagram has hidden objects from a Page's token
// although the person's token could read them.
var hiddenCodes = map[string]bool{"10": true, "100/33": true}

// readWithPersonTokenFallback makes a read-only call with the account's token. If a Page's token may not see the
// object, it repeats the call with the person's token.
func (n *Network) readWithPersonTokenFallback(
	t network.Token, call func(graph meta.API, token network.Secret) error,
) error {
	err := call(n.apiForToken(t), t.Access)
	var e *network.Error
	if isPageToken(t) && errors.As(err, &e) && hiddenCodes[e.Code] && call(n.apiForToken(t), t.Extra[extraPerson]) == nil {
		return nil
	}
	return err
}

// readNodeWithFallback reads a path, with the person's token if a Page's token may not see the object, and decodes the
// response into the value.
func (n *Network) readNodeWithFallback(
	ctx context.Context, t network.Token, path string, params url.Values, into any,
) error {
	return n.readWithPersonTokenFallback(t, func(graph meta.API, token network.Secret) error {
		return graph.Get(ctx, path, token, params, into)
	})
}
