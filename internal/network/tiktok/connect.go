package tiktok

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"belfry/internal/network"
)

// Permissions that Belfry requests. Publishing requires scopePublish.
const (
	scopeProfile = "user.info.profile"
	scopePublish = "video.publish"
)

var scopes = []string{"user.info.basic", scopeProfile, "user.info.stats", "video.list", scopePublish}

// AuthorizeURL returns the address of the consent page for a browser.
func (n *Network) AuthorizeURL(r network.AuthRequest) string {
	q := url.Values{
		"client_key": {n.id}, "redirect_uri": {r.RedirectURI}, "scope": {strings.Join(scopes, ",")},
		"response_type": {"code"}, "state": {r.State},
	}
	if r.Challenge != "" {
		q.Set("code_challenge", n.reencodeChallenge(r.Challenge))
		q.Set("code_challenge_method", "S256")
	}
	return n.env.Client.BrowserURL(consentURL + "?" + q.Encode())
}

// reencodeChallenge converts a challenge from base64url to the configured encoding.
func (n *Network) reencodeChallenge(base64URL string) string {
	sum, err := base64.RawURLEncoding.DecodeString(base64URL)
	if n.pkce != pkceHex || err != nil {
		return base64URL
	}
	return hex.EncodeToString(sum)
}

// tokenResponse is a pair of tokens, or an error.
type tokenResponse struct {
	Access         network.Secret `json:"access_token"`
	Seconds        int64          `json:"expires_in"`
	Refresh        network.Secret `json:"refresh_token"`
	RefreshSeconds int64          `json:"refresh_expires_in"`
	Scope          string         `json:"scope"`
	Error          string         `json:"error"`
	Description    string         `json:"error_description"`
	LogID          string         `json:"log_id"`
}

// requestToken calls the token endpoint, whose errors are at the top level and can have status 200.
func (n *Network) requestToken(ctx context.Context, form url.Values) (tokenResponse, error) {
	form.Set("client_key", n.id)
	form.Set("client_secret", n.secret.Reveal())
	var out tokenResponse
	resp, err := n.env.Client.CallOnce(ctx, network.Request{
		Method: http.MethodPost, URL: apiURL + "/v2/oauth/token/", Form: form,
	})
	if err != nil {
		return out, err
	}
	failed := decodeResponse(resp, &out)
	switch {
	case failed != nil:
		return out, failed
	case out.Error != "":
		return out, n.newAPIError(resp, apiFault{Code: out.Error, Message: out.Description, LogID: out.LogID})
	case out.Access == "" || resp.Status != http.StatusOK:
		return out, resp.AttachRedactedTo(network.Error{Kind: network.Unknown, Message: "TikTok did not return a token."})
	}
	return out, nil
}

// ExchangeCode exchanges the code for the account that consented.
func (n *Network) ExchangeCode(ctx context.Context, g network.AuthResponse) ([]network.Profile, error) {
	form := url.Values{"grant_type": {"authorization_code"}, "code": {g.Code}, "redirect_uri": {g.RedirectURI}}
	if g.Verifier != "" {
		form.Set("code_verifier", g.Verifier)
	}
	out, err := n.requestToken(ctx, form)
	if err != nil {
		return nil, err
	}
	token := n.mergeTokenResponse(network.Token{}, out)
	p, err := n.fetchProfile(ctx, token)
	if err != nil {
		return nil, err
	}
	p.Token = token
	p.Token.Grant = n.grantID(p.ExternalID)
	if !slices.Contains(token.Scopes, scopePublish) {
		p.Unusable = "The permission " + scopePublish + " was not granted. Connect again and leave every permission selected."
	}
	return []network.Profile{p}, nil
}

// grantID returns the id of the grant with which an account gave the app access.
func (n *Network) grantID(person string) string {
	return network.FormatGrantID("open.tiktokapis.com", n.id, person)
}

// RevokeGrant removes the app from the account. TikTok's response is empty.
func (n *Network) RevokeGrant(ctx context.Context, t network.Token) error {
	resp, err := n.env.Client.CallOnce(ctx, network.Request{
		Method: http.MethodPost, URL: apiURL + "/v2/oauth/revoke/", Form: url.Values{
			"client_key": {n.id}, "client_secret": {n.secret.Reveal()}, "token": {t.Access.Reveal()},
		},
		Secrets: []network.Secret{t.Access}, CompleteWithoutJSON: []int{http.StatusOK},
	})
	if err != nil || resp.Status == http.StatusOK && len(bytes.TrimSpace(resp.Body)) == 0 {
		return err
	}
	var out tokenResponse
	switch failed := decodeResponse(resp, &out); {
	case failed != nil:
		return failed
	case out.Error != "":
		return n.newAPIError(resp, apiFault{Code: out.Error, Message: out.Description, LogID: out.LogID})
	case resp.Status != http.StatusOK:
		return resp.AttachRedactedTo(
			network.Error{Kind: network.Unknown, Message: "TikTok did not confirm that it revoked the grant."},
		)
	}
	return nil
}

// mergeTokenResponse returns the old token with the values of the response. Values that the response omits stay.
func (n *Network) mergeTokenResponse(old network.Token, response tokenResponse) network.Token {
	now, t := n.env.Now(), old
	t.Access, t.Refresh, t.IssuedAt = response.Access, cmp.Or(response.Refresh, old.Refresh), now
	t.LapsesAt = now.Add(time.Duration(cmp.Or(response.Seconds, defaultLife)) * time.Second)
	if response.RefreshSeconds > 0 {
		life := time.Duration(min(response.RefreshSeconds, longestLife)) * time.Second
		t.ExpiresAt = now.Add(life)
		t.RefreshAt = t.RefreshTime(0)
	}
	if response.Scope != "" {
		t.Scopes = strings.Split(response.Scope, ",")
	}
	return t
}

// defaultLife is the life of an access token, in seconds, if the response does not say.
const defaultLife = 60 * 60

// longestLife caps the life of a refresh token, in seconds: ten years.
const longestLife = 10 * 365 * 24 * 60 * 60

// RefreshToken gets another access token and usually another refresh token, which invalidates the old one.
func (n *Network) RefreshToken(ctx context.Context, t network.Token) (network.Token, error) {
	out, err := n.requestToken(ctx, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {t.Refresh.Reveal()}})
	if e, ok := errors.AsType[*network.Error](err); ok && e.Code == codeInvalidGrant {
		// TikTok has one code for both, so the date decides.
		e.Kind, e.Hint = network.Revoked, hintReconnect
		if !t.ExpiresAt.IsZero() && !n.env.Now().Before(t.ExpiresAt) {
			e.Kind = network.Expired
		}
	}
	if err != nil {
		return network.Token{}, err
	}
	return n.mergeTokenResponse(t, out), nil
}

// VerifyToken reads the profile, for which every valid token is enough.
func (n *Network) VerifyToken(ctx context.Context, t network.Token) error {
	_, err := n.fetchProfile(ctx, t)
	return err
}

// ReadProfile reads the profile of the token.
func (n *Network) ReadProfile(ctx context.Context, _ string, t network.Token) (network.Profile, error) {
	return n.fetchProfile(ctx, t)
}

func (n *Network) fetchProfile(ctx context.Context, t network.Token) (network.Profile, error) {
	fields := "open_id,avatar_url,display_name"
	if slices.Contains(t.Scopes, scopeProfile) { // a field without its permission fails the whole call
		fields += ",username"
	}
	var out struct {
		User struct {
			ID       string `json:"open_id"`
			Name     string `json:"display_name"`
			Username string `json:"username"`
			Picture  string `json:"avatar_url"`
		} `json:"user"`
	}
	err := n.callAPI(ctx, network.Request{
		Method: http.MethodGet, URL: apiURL + "/v2/user/info/", Query: url.Values{"fields": {fields}}, Token: t.Access,
	}, &out)
	if err != nil {
		return network.Profile{}, err
	}
	u := out.User
	if u.ID == "" {
		return network.Profile{}, &network.Error{Kind: network.Unknown, Message: "TikTok returned a profile without an ID."}
	}
	return network.Profile{
		ExternalID: u.ID, Username: u.Username, DisplayName: cmp.Or(u.Name, u.Username, "TikTok"), AvatarURL: u.Picture,
	}, nil
}
