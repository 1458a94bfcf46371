package instagram

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"belfry/internal/network"
	"belfry/internal/network/meta"
)

// scopes are the permissions that Belfry requests; needed are the ones that publishing requires.
var (
	scopes = []string{
		"instagram_business_basic", "instagram_business_content_publish", "instagram_business_manage_insights",
	}
	needed = scopes[:2]
)

// professional are the account types that can publish.
var professional = []string{"BUSINESS", "MEDIA_CREATOR"}

// AuthorizeURL returns the address of the consent window for a browser.
func (n *Network) AuthorizeURL(r network.AuthRequest) string {
	window, asked := consentURL, scopes
	if n.login == loginFacebook {
		window, asked = fmt.Sprintf(dialogURL, n.version), pageScopes
	}
	q := url.Values{
		"client_id": {n.id}, "redirect_uri": {r.RedirectURI}, "scope": {strings.Join(asked, ",")},
		"response_type": {"code"}, "state": {r.State},
	}
	return n.client.BrowserURL(window + "?" + q.Encode())
}

// shortLivedToken is the response to a code: a token that is valid for an hour.
type shortLivedToken struct {
	Access      string      `json:"access_token"`
	Person      meta.ID     `json:"user_id"` // the id of the account for this app only
	Permissions permissions `json:"permissions"`
}

// permissions are a list in JSON, or a string with commas.
type permissions []string

// UnmarshalJSON accepts both forms.
func (p *permissions) UnmarshalJSON(data []byte) error {
	var list []string
	if json.Unmarshal(data, &list) == nil {
		*p = list
		return nil
	}
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	*p = strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
	return nil
}

type tokenResponse struct {
	Access  string `json:"access_token"`
	Seconds int64  `json:"expires_in"`
}

// ExchangeCode exchanges the code for the account that consented, with a token that is valid for 60 days. With Facebook
// Login, it returns the accounts that are linked to the selected Pages.
func (n *Network) ExchangeCode(ctx context.Context, g network.AuthResponse) ([]network.Profile, error) {
	if n.login == loginFacebook {
		return n.exchangeCodeForLinkedAccounts(ctx, g)
	}
	short, err := n.requestShortLivedToken(ctx, g)
	if err != nil {
		return nil, err
	}
	var long tokenResponse
	err = n.token.Get(ctx, "/access_token", "", url.Values{
		"grant_type": {"ig_exchange_token"}, "client_secret": {n.secret.Reveal()}, "access_token": {short.Access},
	}, &long)
	if err != nil {
		return nil, err
	}
	if long.Access == "" {
		return nil, newNoTokenError()
	}
	p, err := n.fetchInstagramLoginProfile(ctx, network.Secret(long.Access))
	if err != nil {
		return nil, err
	}
	p.Login = loginInstagram
	grant := n.instagramLoginGrantID(string(short.Person))
	p.Token = n.mergeTokenResponse(network.Token{Scopes: short.Permissions, Grant: grant}, long)
	p.Unusable = cmp.Or(p.Unusable, meta.MissingScopeMessage(short.Permissions, needed))
	return []network.Profile{p}, nil
}

// instagramLoginGrantID returns the id of the grant with which an account gave the app access through Instagram Login.
func (n *Network) instagramLoginGrantID(person string) string {
	return network.FormatGrantID("graph.instagram.com", n.id, person)
}

// RevokeGrant removes the app from the account of the person who connected with Facebook Login. Instagram Login
// documents no such call.
func (n *Network) RevokeGrant(ctx context.Context, t network.Token) error {
	if isPageToken(t) {
		return n.pages.RevokeGrant(ctx, t)
	}
	return &network.Error{Kind: network.Rejected, Message: "Instagram's API cannot revoke this access."}
}

// VerifyCallback reads what Meta reports about a person who has connected accounts with the login that this server
// uses.
func (n *Network) VerifyCallback(c network.Callback) (network.Notice, error) {
	grantIDOf := n.instagramLoginGrantID
	if n.login == loginFacebook {
		grantIDOf = n.pages.GrantID
	}
	return meta.VerifyCallback(c, n.secret, n.now(), grantIDOf)
}

// requestShortLivedToken exchanges the code for a token that is valid for an hour, and the granted permissions. The
// documented response is a list with one object, but Instagram has also returned the object alone.
func (n *Network) requestShortLivedToken(ctx context.Context, g network.AuthResponse) (shortLivedToken, error) {
	var out struct {
		Data []shortLivedToken `json:"data"`
		shortLivedToken
	}
	err := n.code.Post(ctx, "/oauth/access_token", "", url.Values{
		"client_id": {n.id}, "client_secret": {n.secret.Reveal()}, "grant_type": {"authorization_code"},
		"redirect_uri": {g.RedirectURI}, "code": {meta.TrimAuthCodeSuffix(g.Code)},
	}, &out)
	switch {
	case err != nil:
		return shortLivedToken{}, err
	case len(out.Data) > 0:
		return out.Data[0], nil
	}
	return out.shortLivedToken, nil
}

// fetchInstagramLoginProfile returns the account of a token of Instagram Login. It uses user_id, because other calls do
// not accept the field id.
func (n *Network) fetchInstagramLoginProfile(
	ctx context.Context, token network.Secret,
) (network.Profile, error) {
	var me struct {
		ID       meta.ID `json:"user_id"`
		Username string  `json:"username"`
		Name     string  `json:"name"`
		Type     string  `json:"account_type"`
		Picture  string  `json:"profile_picture_url"`
	}
	fields := url.Values{"fields": {"user_id,username,name,account_type,profile_picture_url"}}
	if err := n.own.Get(ctx, "/me", token, fields, &me); err != nil {
		return network.Profile{}, err
	}
	if me.ID == "" {
		return network.Profile{}, &network.Error{
			Kind: network.Unknown, Message: "Instagram returned a profile without an ID.",
		}
	}
	p := network.Profile{
		ExternalID: string(me.ID), Username: me.Username, DisplayName: cmp.Or(me.Name, me.Username), AvatarURL: me.Picture,
	}
	if !slices.Contains(professional, strings.ToUpper(me.Type)) {
		p.Unusable = "This is a personal account. In the Instagram app, change it to a Business or Creator account. Then " +
			"connect again."
	}
	return p, nil
}

// mergeTokenResponse returns the old token with the values of the response. Values that the response omits stay.
func (n *Network) mergeTokenResponse(old network.Token, response tokenResponse) network.Token {
	t := old
	t.Access, t.IssuedAt = network.Secret(response.Access), n.now()
	t.ExpiresAt = meta.ExpiryAfter(t.IssuedAt, response.Seconds, old.ExpiresAt)
	t.RefreshAt = t.RefreshTime(meta.MinRefreshAge)
	return t
}

// RefreshToken extends a token by 60 days. The token itself is the only credential. Tokens of Pages cannot be renewed
// and are returned unchanged.
func (n *Network) RefreshToken(ctx context.Context, t network.Token) (network.Token, error) {
	if isPageToken(t) {
		return t, nil
	}
	var g tokenResponse
	err := n.token.Get(ctx, "/refresh_access_token", "", url.Values{
		"grant_type": {"ig_refresh_token"}, "access_token": {t.Access.Reveal()},
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
	return &network.Error{Kind: network.Unknown, Message: "Instagram did not return a token."}
}

// VerifyToken reads the profile or the Page, for which every valid token is enough.
func (n *Network) VerifyToken(ctx context.Context, t network.Token) error {
	if isPageToken(t) {
		return n.verifyPageToken(ctx, t)
	}
	_, err := n.fetchInstagramLoginProfile(ctx, t.Access)
	return n.distinguishExpiredFromRevoked(ctx, err, t)
}

// ReadProfile reads the account. A Page's token needs the account's id for this.
func (n *Network) ReadProfile(ctx context.Context, profileID string, t network.Token) (network.Profile, error) {
	if !isPageToken(t) {
		return n.fetchInstagramLoginProfile(ctx, t.Access)
	}
	var a linkedAccount
	fields := url.Values{"fields": {linkedAccountFields}}
	err := n.readNodeWithFallback(ctx, t, "/"+url.PathEscape(profileID), fields, &a)
	return a.toProfile(), err
}

// distinguishExpiredFromRevoked distinguishes an expired token from a revoked one when the response does not. For
// tokens of Instagram Login, only the stored date can tell, because Instagram documents no call for it.
func (n *Network) distinguishExpiredFromRevoked(ctx context.Context, err error, t network.Token) error {
	if isPageToken(t) {
		return n.pages.DistinguishExpiredFromRevoked(ctx, err, t)
	}
	return n.own.DistinguishExpiredFromRevoked(ctx, err, t, func(context.Context) (network.Secret, error) {
		return "", errors.New("Instagram Login tokens cannot be inspected")
	})
}
