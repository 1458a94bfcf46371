package youtube

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
)

const (
	consentURL = "https://accounts.google.com/o/oauth2/v2/auth"
	tokenURL   = "https://oauth2.googleapis.com/token" //nolint:gosec // an address
	revokeURL  = "https://oauth2.googleapis.com/revoke"
)

const scopePrefix = "https://www.googleapis.com/auth/"

// Permissions that Belfry requests. A person can deselect some of them.
const (
	scopeUpload = scopePrefix + "youtube.upload"
	scopeRead   = scopePrefix + "youtube.readonly"
	scopeChange = scopePrefix + "youtube.force-ssl" // also includes the two above
	scopeFigure = scopePrefix + "yt-analytics.readonly"
	// scopePerson identifies the person who granted access. Revoking a grant affects all channels of the person.
	scopePerson = "openid"
)

// AuthorizeURL returns the address of the consent page for a browser.
func (n *Network) AuthorizeURL(r network.AuthRequest) string {
	q := url.Values{
		"client_id": {n.id}, "redirect_uri": {r.RedirectURI}, "response_type": {"code"}, "state": {r.State},
		"scope":       {strings.Join([]string{scopeUpload, scopeRead, scopeChange, scopeFigure, scopePerson}, " ")},
		"access_type": {"offline"}, "prompt": {"select_account consent"}, // otherwise, there is no refresh token
	}
	if r.Challenge != "" {
		q.Set("code_challenge", r.Challenge)
		q.Set("code_challenge_method", "S256")
	}
	return n.client.BrowserURL(consentURL + "?" + q.Encode())
}

// tokenResponse is the response of the token endpoint.
type tokenResponse struct {
	Access         string `json:"access_token"`
	Refresh        string `json:"refresh_token"`
	Seconds        int64  `json:"expires_in"`
	RefreshSeconds int64  `json:"refresh_token_expires_in"` // only if the person granted access for a limited time
	Scope          string `json:"scope"`
	Identity       string `json:"id_token"`
}

// googleAccountID returns the id of the Google account that granted access; "" if the response has none. The
// signature need not be verified, because the token comes directly from Google.
func (g tokenResponse) googleAccountID() (idOrEmpty string) {
	parts := strings.Split(g.Identity, ".")
	if len(parts) != 3 {
		return ""
	}
	var claims struct {
		Subject string `json:"sub"`
	}
	plain, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || json.Unmarshal(plain, &claims) != nil {
		return ""
	}
	return claims.Subject
}

// ExchangeCode exchanges the code for the channel that the person chose.
func (n *Network) ExchangeCode(ctx context.Context, g network.AuthResponse) ([]network.Profile, error) {
	form := url.Values{"grant_type": {"authorization_code"}, "code": {g.Code}, "redirect_uri": {g.RedirectURI}}
	if g.Verifier != "" {
		form.Set("code_verifier", g.Verifier)
	}
	granted, err := n.requestToken(ctx, form)
	if err != nil {
		return nil, err
	}
	token := n.mergeTokenResponse(network.Token{}, granted)
	token.Grant = network.FormatGrantID("accounts.google.com", n.id, granted.googleAccountID())
	channels, err := n.listChannels(ctx, token.Access)
	if err != nil {
		return nil, err
	}
	if len(channels) == 0 {
		return nil, newNoChannelError()
	}
	var profiles []network.Profile
	for _, c := range channels {
		p := c.toProfile()
		p.Token, p.Unusable = token, whyUnusable(token)
		profiles = append(profiles, p)
	}
	return profiles, nil
}

func newNoChannelError() error {
	return &network.Error{
		Kind: network.Rejected, Message: "This Google account has no YouTube channel.",
		Hint: "Create a channel on YouTube, or choose an account that has one.",
	}
}

// whyUnusable returns a sentence that says why Belfry cannot publish with the token: access is not lasting, or a
// permission is missing. It returns "" if Belfry can.
func whyUnusable(t network.Token) (reasonOrEmpty string) {
	granted := func(scopes ...string) bool {
		return slices.ContainsFunc(scopes, func(s string) bool { return slices.Contains(t.Scopes, s) })
	}
	switch {
	case t.Refresh == "":
		return "Google did not grant long-term access. Connect again and allow access."
	case !granted(scopeUpload, scopeChange):
		return "The permission to upload videos was not granted. Connect again and grant this permission."
	case !granted(scopeRead, scopeChange):
		return "The permission to view the channel was not granted. Connect again and grant this permission."
	}
	return ""
}

// mergeTokenResponse returns the old token with the values of the response. Values that the response omits stay.
func (n *Network) mergeTokenResponse(old network.Token, response tokenResponse) network.Token {
	t, now := old, n.now()
	t.Access, t.Refresh = network.Secret(response.Access), cmp.Or(network.Secret(response.Refresh), old.Refresh)
	t.IssuedAt, t.LapsesAt = now, now.Add(time.Duration(cmp.Or(response.Seconds, defaultLife))*time.Second)
	if response.RefreshSeconds > 0 {
		t.ExpiresAt = now.Add(time.Duration(response.RefreshSeconds) * time.Second)
	}
	if response.Scope != "" {
		t.Scopes = strings.Fields(response.Scope)
	}
	return t
}

// defaultLife is the life of a token, in seconds, if the response does not say.
const defaultLife = 3000

// RefreshToken gets another access token. The refresh token stays valid.
func (n *Network) RefreshToken(ctx context.Context, t network.Token) (network.Token, error) {
	g, err := n.requestToken(ctx, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {t.Refresh.Reveal()}})
	if err != nil {
		return network.Token{}, convertRefreshError(err, t, n.now())
	}
	return n.mergeTokenResponse(t, g), nil
}

// RevokeGrant revokes the grant of the person who connected the channel, for all their channels.
func (n *Network) RevokeGrant(ctx context.Context, t network.Token) error {
	resp, err := n.client.CallOnce(ctx, network.Request{
		Method: http.MethodPost, URL: revokeURL, Form: url.Values{"token": {cmp.Or(t.Refresh, t.Access).Reveal()}},
		Secrets: []network.Secret{t.Refresh, t.Access}, CompleteWithoutJSON: []int{http.StatusOK},
	})
	if err == nil && resp.Status != http.StatusOK {
		return newTokenError(resp, n.now())
	}
	return err
}

// VerifyToken reads the channel, for which every valid token is enough.
func (n *Network) VerifyToken(ctx context.Context, t network.Token) error {
	channels, err := n.listChannels(ctx, t.Access)
	if err == nil && len(channels) == 0 {
		return newNoChannelError()
	}
	return err
}

// ReadAccountFacts returns a limit of 15 minutes for a channel that cannot upload longer videos.
func (n *Network) ReadAccountFacts(ctx context.Context, profileID string, t network.Token) (core.Facts, error) {
	c, err := n.fetchChannel(ctx, profileID, t.Access)
	if err != nil {
		return core.Facts{}, err
	}
	switch c.Status.LongUploads {
	case "eligible", "disallowed":
		return core.Facts{LongestVideoMs: ordinaryMs}, nil
	}
	return core.Facts{}, nil
}

// ReadProfile reads the channel.
func (n *Network) ReadProfile(ctx context.Context, profileID string, t network.Token) (network.Profile, error) {
	c, err := n.fetchChannel(ctx, profileID, t.Access)
	return c.toProfile(), err
}

// requestToken calls the token endpoint with the form and the client's credentials.
func (n *Network) requestToken(ctx context.Context, form url.Values) (g tokenResponse, err error) {
	form.Set("client_id", n.id)
	form.Set("client_secret", n.secret.Reveal())
	resp, err := n.client.CallOnce(ctx, network.Request{Method: http.MethodPost, URL: tokenURL, Form: form})
	if err != nil {
		return tokenResponse{}, err
	}
	if resp.Status != http.StatusOK {
		return tokenResponse{}, newTokenError(resp, n.now())
	}
	if json.Unmarshal(resp.Body, &g) != nil || g.Access == "" {
		return tokenResponse{}, resp.AttachRedactedTo(
			network.Error{Kind: network.Unknown, Message: "Google did not return a token."},
		)
	}
	return g, nil
}

// channel is a channel, as the Data API returns it.
type channel struct {
	ID      string `json:"id"`
	Snippet struct {
		Title      string `json:"title"`
		Handle     string `json:"customUrl"`
		Thumbnails map[string]struct {
			URL string `json:"url"`
		} `json:"thumbnails"`
	} `json:"snippet"`
	Status struct {
		LongUploads string `json:"longUploadsStatus"`
	} `json:"status"`
}

func (c channel) toProfile() network.Profile {
	pictures := c.Snippet.Thumbnails
	return network.Profile{
		ExternalID: c.ID, Username: strings.TrimPrefix(c.Snippet.Handle, "@"), DisplayName: cmp.Or(c.Snippet.Title, c.ID),
		AvatarURL: cmp.Or(pictures["medium"].URL, pictures["default"].URL, pictures["high"].URL),
	}
}

// fetchChannel returns the channel with the id, or an error if the token does not belong to it.
func (n *Network) fetchChannel(ctx context.Context, id string, token network.Secret) (channel, error) {
	channels, err := n.listChannels(ctx, token)
	if err != nil {
		return channel{}, err
	}
	i := slices.IndexFunc(channels, func(c channel) bool { return c.ID == id })
	if i < 0 {
		return channel{}, &network.Error{Kind: network.Unknown, Message: "YouTube did not return the channel."}
	}
	return channels[i], nil
}

// listChannels returns the channels of the token, usually one.
func (n *Network) listChannels(ctx context.Context, token network.Secret) ([]channel, error) {
	var out struct {
		Items []channel `json:"items"`
	}
	err := n.getJSON(ctx, "/channels", token, url.Values{"part": {"id,snippet,status"}, "mine": {"true"}}, &out)
	out.Items = slices.DeleteFunc(out.Items, func(c channel) bool { return c.ID == "" })
	return out.Items, err
}
