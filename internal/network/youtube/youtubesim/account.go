package youtubesim

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"belfry/internal/network/sim"
)

const (
	tokenHost   = "oauth2.googleapis.com" //nolint:gosec // a host
	scopePrefix = "https://www.googleapis.com/auth/"
	scopePerson = "openid"
	noChannel   = "nobody"
	// personID is the Google account that all channels belong to.
	personID = "112358132134558914423"
)

type channel struct {
	ID, Title, Handle string
	LongUploads       bool // videos longer than 15 minutes are allowed
	Verified          bool // by phone: thumbnails are allowed
}

func demoChannels() []*channel {
	return []*channel{
		{"UCk3J9sBxQwZ1a4817229035", "Harbour Bakery", "@harbour.bakery", true, true},
		{"UCk3J9sBxQwZ1a7730916254", "Night Owl Cycles", "@nightowl.cycles", true, true},
		{"UCk3J9sBxQwZ1a2260417798", "Maren Holt", "@maren.writes", false, false},
	}
}

func (s *Sim) pictureURL(c *channel) string { return s.kit.PictureURL(site, c.ID, c.Title) }

// uploadsPlaylistID returns the id of the playlist of a channel's uploads, and otherPlaylistID that of its only other
// playlist.
func uploadsPlaylistID(channel string) string { return "UU" + channel[2:] }
func otherPlaylistID(channel string) string   { return "PL" + channel[2:] }

func (s *Sim) newOAuth() *sim.OAuth {
	scopes := []string{scopePerson}
	for _, name := range []string{
		"youtube", "youtube.force-ssl", "youtube.readonly", "youtube.upload", "yt-analytics.readonly",
	} {
		scopes = append(scopes, scopePrefix+name)
	}
	return sim.NewOAuth(s.kit, sim.OAuthConfig{
		Network: Name, Title: title, Scopes: scopes, Withhold: true, PKCE: sim.PKCEBase64, CodeLife: 10 * time.Minute,
		Params:   []string{"access_type", "prompt", "include_granted_scopes", "login_hint"},
		Prefixes: map[string]string{sim.AccessToken: "ya29.", sim.RefreshToken: "1//"}, CodePrefix: "4/0A",
		Allow: "Continue", Heading: "wants access to a YouTube channel", Lead: "Choose the channel that this app can publish to.",
		UnknownApp: "invalid_client: the OAuth client was not found", BadScope: "invalid_scope",
		Denied: [][2]string{{"error", "access_denied"}}, Form: []string{"channel", "username"},
		Granted:  func(c sim.Consented) [][2]string { return [][2]string{{"scope", strings.Join(c.Scopes, " ")}} },
		Accounts: s.offerChannels, Choose: s.chooseOrCreateChannel, Person: personID,
		NameOf: func(string) string { return "The Google account of all channels" },
		Check: func(r *http.Request) error {
			if r.Form.Get("access_type") != "offline" || !strings.Contains(r.Form.Get("prompt"), "consent") {
				return errors.New("access_type must be offline, and prompt must include consent; otherwise, Google returns no refresh token")
			}
			return nil
		},
	})
}

func (s *Sim) offerChannels() sim.Group {
	group := sim.Group{
		Title: "Which channel?", Field: "username", FieldLabel: "Or another handle",
		FieldHint: "If no channel has this handle, one is created.",
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.channels.All() {
		group.Choices = append(group.Choices, sim.Choice{
			Type: "radio", Name: "channel", Value: c.ID, Label: c.Title, Note: c.Handle, Picture: s.pictureURL(c),
		})
	}
	group.Apart = []sim.Choice{{
		Type: "radio", Name: "channel", Value: noChannel, Label: "A Google account without a channel",
		Picture: s.kit.PictureURL(site, noChannel, ""),
	}}
	return group
}

var handles = regexp.MustCompile(`^@[a-z0-9._-]{3,30}$`)

// chooseOrCreateChannel returns the channel that a person chose or, if they entered a handle, the channel with that
// handle, which it creates if necessary.
func (s *Sim) chooseOrCreateChannel(form url.Values) (sim.Consented, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	handle := strings.ToLower(strings.TrimSpace(form.Get("username")))
	if handle == "" {
		if id := form.Get("channel"); id == noChannel || s.channels.Has(id) {
			return sim.Consented{Subject: id}, nil
		}
		return sim.Consented{}, errors.New("choose a channel or enter a handle")
	}
	handle = "@" + strings.TrimPrefix(handle, "@")
	for c := range s.channels.All() {
		if c.Handle == handle {
			return sim.Consented{Subject: c.ID}, nil
		}
	}
	if !handles.MatchString(handle) {
		return sim.Consented{}, errors.New("a handle must have 3 to 30 characters: a to z, digits, periods, hyphens and underscores")
	}
	c := &channel{Title: handle[1:], Handle: handle, LongUploads: true, Verified: true}
	c.ID = sim.StableID("UCk3J9sBxQwZ1a", handle, s.channels.Has)
	return sim.Consented{Subject: c.ID}, s.channels.Put(c.ID, c)
}

// serveTokens serves the endpoints that issue, renew and revoke tokens.
func (s *Sim) serveTokens(w http.ResponseWriter, r *http.Request) {
	q, err := sim.ReadCall(w, r, false)
	var route sim.Route
	switch {
	case err != nil || r.Method != http.MethodPost:
		s.kit.SendAnswer(w, r, tokenErrorAnswer(http.StatusBadRequest, "invalid_request", "Bad Request"))
		return
	case r.URL.Path == "/revoke":
		route = sim.Route{Names: []string{"revoke"}, Params: []string{"token"}, Serve: s.revokeGrants}
		q.Token, _ = s.oauth.FindToken(q.Params.Get("token"))
	case q.Params.Get("grant_type") == "authorization_code":
		route = sim.Route{
			Names: []string{"exchange"}, Serve: s.redeemCode,
			Params: []string{"code", "client_id", "client_secret", "redirect_uri", "grant_type", "code_verifier"},
		}
	default:
		route = sim.Route{
			Names: []string{"refresh"}, Serve: s.renewToken,
			Params: []string{"client_id", "client_secret", "refresh_token", "grant_type"},
		}
		q.Token, _ = s.oauth.FindToken(q.Params.Get("refresh_token"))
	}
	s.api.ServeCall(r.Context(), q, route)
}

func badGrantAnswer(description string) (any, error) {
	return tokenErrorAnswer(http.StatusBadRequest, "invalid_grant", description), nil
}

// checkClient checks the credentials of the app. If they are wrong, ok is false, and refusal is the response.
func (s *Sim) checkClient(q *sim.Request) (refusal sim.Answer, ok bool) {
	if s.oauth.CheckClient(q.Params.Get("client_id"), q.Params.Get("client_secret")) != "" {
		return tokenErrorAnswer(http.StatusUnauthorized, "invalid_client", "Unauthorized"), false
	}
	return sim.Answer{}, true
}

func (s *Sim) redeemCode(q *sim.Request) (any, error) {
	if answer, ok := s.checkClient(q); !ok {
		return answer, nil
	}
	code := q.Params.Get("code")
	c, why, err := s.oauth.RedeemCode(code, q.Params.Get("redirect_uri"), q.Params.Get("code_verifier"))
	switch {
	case err != nil:
		return nil, err
	case code == "":
		return tokenErrorAnswer(http.StatusBadRequest, "invalid_request", "Missing required parameter: code"), nil
	case why == sim.WrongRedirect:
		return tokenErrorAnswer(http.StatusBadRequest, "redirect_uri_mismatch", "Bad Request"), nil
	case why != "":
		return badGrantAnswer("Bad Request")
	}
	days := time.Duration(s.kit.NumberOption(OptRefresh)) * 24 * time.Hour
	access, refresh, err := s.oauth.IssuePair(c, code, s.kit.SecondsOption(OptAccess), days)
	if err != nil {
		return nil, err
	}
	body := newAccessBody(access)
	body["refresh_token"] = refresh.Text
	if access.HasScopes(scopePerson) {
		body["id_token"] = s.makeInvalidlySignedIDToken()
	}
	if days > 0 {
		body["refresh_token_expires_in"] = int(days.Seconds())
	}
	return body, nil
}

// makeInvalidlySignedIDToken returns an ID token of the person with an invalid signature.
func (s *Sim) makeInvalidlySignedIDToken() string {
	claims := fmt.Sprintf(`{"iss":"https://accounts.google.com","aud":%q,"sub":%q}`, s.kit.ClientID(), personID)
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(`{"alg":"RS256","typ":"JWT"}`)) + "." + encode([]byte(claims)) + "." + encode([]byte("unsigned"))
}

func newAccessBody(t sim.Token) map[string]any {
	return map[string]any{
		"access_token": t.Text, "expires_in": int(t.ExpiresAt.Sub(t.IssuedAt).Seconds()),
		"scope": strings.Join(t.Scopes, " "), "token_type": "Bearer",
	}
}

// renewToken issues another access token. The refresh token stays the same.
func (s *Sim) renewToken(q *sim.Request) (any, error) {
	if answer, ok := s.checkClient(q); !ok {
		return answer, nil
	}
	if q.Params.Get("grant_type") != "refresh_token" {
		return tokenErrorAnswer(http.StatusBadRequest, "unsupported_grant_type", "Invalid grant_type"), nil
	}
	access, _, why, err := s.oauth.RenewTokens(q.Params.Get("refresh_token"), false, s.kit.SecondsOption(OptAccess), 0)
	switch {
	case err != nil:
		return nil, err
	case why != "":
		return badGrantAnswer("Token has been expired or revoked.")
	}
	return newAccessBody(access), nil
}

// revokeGrants revokes all consents of the person, for all channels.
func (s *Sim) revokeGrants(q *sim.Request) (any, error) {
	if q.Token.Text == "" || q.Token.Ended != "" {
		return tokenErrorAnswer(http.StatusBadRequest, "invalid_token", "Token expired or revoked"), nil
	}
	return map[string]any{}, s.oauth.EndPersonAccess(personID)
}

// listChannels serves the token's channel.
func (s *Sim) listChannels(q *sim.Request) (any, error) {
	if q.Params.Get("mine") != "true" {
		return nil, &apiError{http.StatusBadRequest, "youtube.parameter", "missingRequiredParameter", "No filter selected."}
	}
	parts := strings.Split(q.Params.Get("part"), ",")
	items := []any{}
	if c := s.channels.Get(q.Account); c != nil {
		item := map[string]any{"kind": "youtube#channel"}
		for _, part := range parts {
			section, known := s.channelPart(c, part)
			if !known {
				return nil, &apiError{http.StatusBadRequest, "youtube.part", "unknownPart", "'" + part + "'"}
			}
			item[part] = section
		}
		items = append(items, item)
	}
	answer := map[string]any{"kind": "youtube#channelListResponse", "pageInfo": map[string]any{"totalResults": len(items)}}
	if len(items) > 0 {
		answer["items"] = items
	}
	return answer, nil
}

// channelPart returns a part of a channel, or false if there is no such part.
func (s *Sim) channelPart(c *channel, part string) (section any, known bool) {
	switch part {
	case "id":
		return c.ID, true
	case "snippet":
		picture := map[string]any{"url": s.pictureURL(c), "width": 88, "height": 88}
		return map[string]any{
			"title": c.Title, "customUrl": c.Handle, "thumbnails": map[string]any{"default": picture, "medium": picture},
		}, true
	case "contentDetails":
		return map[string]any{"relatedPlaylists": map[string]any{"uploads": uploadsPlaylistID(c.ID)}}, true
	case "statistics":
		return map[string]any{
			"subscriberCount": strconv.Itoa(s.kit.CountFollowers(c.ID, s.kit.Now())), "hiddenSubscriberCount": false,
			"videoCount": strconv.Itoa(s.kit.Posts.CountSince(Name, c.ID, time.Time{})),
		}, true
	case "status":
		return map[string]any{"longUploadsStatus": s.longUploadsStatus(c)}, true
	}
	return nil, false
}

// longUploadsStatus returns the longUploadsStatus of a channel: whether it can upload videos longer than 15 minutes.
func (s *Sim) longUploadsStatus(c *channel) string {
	switch option := s.kit.Option(OptLongUploads); {
	case option != ofChannel:
		return option
	case c.LongUploads:
		return longAllowed
	}
	return "eligible"
}

// servePages serves the public pages of videos and channels, and pictures.
func (s *Sim) servePages(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, isShort := strings.CutPrefix(r.URL.Path, "/shorts/")
	switch {
	case r.URL.Path == "/watch" || isShort:
		if !isShort {
			id = r.URL.Query().Get("v")
		}
		p, found := s.kit.Posts.Get(Name, id)
		if !found || !p.IsVisible() || p.Extra["privacyStatus"] == "private" {
			s.kit.ServePost(w, r, nil)
			return
		}
		c, page := s.channels.Get(p.Account), s.kit.NewPostPage(p, site)
		page.Title, page.Name, page.Handle, page.Picture = title, c.Title, c.Handle, s.pictureURL(c)
		page.Topic = p.Extra["title"]
		s.kit.ServePost(w, r, page)
	case strings.HasPrefix(r.URL.Path, "/channel/"):
		c := s.channels.Get(strings.TrimPrefix(r.URL.Path, "/channel/"))
		if c == nil {
			s.kit.ServePost(w, r, nil)
			return
		}
		s.kit.ServeProfile(w, r, sim.ProfilePage{
			Network: Name, Title: title, Name: c.Title, Handle: c.Handle, Picture: s.pictureURL(c),
		}, site, c.ID)
	default:
		s.kit.ServeSite(w, r, Name, title)
	}
}
