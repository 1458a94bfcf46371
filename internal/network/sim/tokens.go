package sim

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// Refusal is why a client, a code or a token is not accepted. Each network words it in its own way.
type Refusal string

// Refusals. The empty refusal means that it is accepted.
const (
	WrongClient   Refusal = "wrong client"
	WrongSecret   Refusal = "wrong secret"
	WrongRedirect Refusal = "wrong redirect"
	WrongVerifier Refusal = "wrong verifier"
	Missing       Refusal = "missing"
	Unknown       Refusal = "unknown"
	Used          Refusal = "used"
	Expired       Refusal = "expired"
	Revoked       Refusal = "revoked"
)

// Consented is what a person allowed the app.
type Consented struct {
	Subject  string   `json:"subject"`           // the account that signed in
	Targets  []string `json:"targets,omitempty"` // what else was chosen: Pages
	Scopes   []string `json:"scopes"`
	Declined []string `json:"declined,omitempty"`
}

// Token is an access or a refresh token.
type Token struct {
	Consented
	Text     string    `json:"text"`
	Kind     string    `json:"kind"`             // a key of OAuthConfig.Prefixes
	Grant    string    `json:"grant"`            // the code from which it was issued
	Parent   string    `json:"parent,omitempty"` // the token that it was derived from
	IssuedAt time.Time `json:"issuedAt"`
	// ExpiresAt is zero for a token that does not expire.
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
	// Ended is why the token stopped working early; Number is the network's own number for it, if a fault set one.
	Ended  Refusal `json:"ended,omitempty"`
	Number int     `json:"number,omitempty"`
}

// HasScopes reports whether the person granted all of the scopes.
func (t Token) HasScopes(scopes ...string) bool {
	return !slices.ContainsFunc(scopes, func(s string) bool { return !slices.Contains(t.Scopes, s) })
}

// RefusalAt returns why the token does not work at a time; "" if it does.
func (t Token) RefusalAt(now time.Time) Refusal {
	if t.Ended == "" && !t.ExpiresAt.IsZero() && !now.Before(t.ExpiresAt) {
		return Expired
	}
	return t.Ended
}

// code is an authorization code, which can be redeemed once.
type code struct {
	Consented
	RedirectURI string    `json:"redirectUri"`
	Challenge   string    `json:"challenge,omitempty"`
	ExpiresAt   time.Time `json:"expiresAt"`
	Used        bool      `json:"used"`
}

// OAuth is the authorization server of a simulated network: its consent page, its codes and its tokens.
type OAuth struct {
	kit *Kit
	cfg OAuthConfig

	mu     sync.Mutex
	codes  *Table[*code]
	tokens *Table[Token]
}

// NewOAuth returns an authorization server with the state of earlier runs.
func NewOAuth(kit *Kit, cfg OAuthConfig) *OAuth {
	o := &OAuth{
		kit: kit, cfg: cfg, codes: OpenTable[*code](kit, cfg.Network, "code"),
		tokens: OpenTable[Token](kit, cfg.Network, "token"),
	}
	kit.mu.Lock()
	defer kit.mu.Unlock()
	kit.logins = append(kit.logins, o)
	return o
}

// CheckClient checks the app's id and secret from the parameters of a call.
func (o *OAuth) CheckClient(id, secret string) Refusal {
	switch {
	case id != o.kit.ClientID():
		return WrongClient
	case secret != o.kit.ClientSecret():
		return WrongSecret
	}
	return ""
}

// PeekCode returns what a code grants without redeeming it, so a fault can target the account of the call.
func (o *OAuth) PeekCode(text string) Consented {
	o.mu.Lock()
	defer o.mu.Unlock()
	if c := o.codes.Get(text); c != nil {
		return c.Consented
	}
	return Consented{}
}

// RedeemCode redeems a code and returns what the person allowed. verifier is required for codes that were requested
// with a challenge.
func (o *OAuth) RedeemCode(text, redirectURI, verifier string) (Consented, Refusal, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	c := o.codes.Get(text)
	switch {
	case c == nil:
		return Consented{}, Unknown, nil
	case c.Used:
		return Consented{}, Used, nil
	case !o.kit.Now().Before(c.ExpiresAt):
		return Consented{}, Expired, nil
	case c.RedirectURI != redirectURI:
		return Consented{}, WrongRedirect, nil
	case c.Challenge != "" && !o.cfg.PKCE.matchesVerifier(c.Challenge, verifier), c.Challenge == "" && verifier != "":
		return Consented{}, WrongVerifier, nil
	}
	c.Used = true
	return c.Consented, "", o.codes.Put(text, c)
}

// IssueToken issues a token like t that expires after life; 0 for never.
func (o *OAuth) IssueToken(t Token, life time.Duration) (Token, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.issueTokenLocked(t, life)
}

// issueTokenLocked is IssueToken for a caller that holds o.mu.
func (o *OAuth) issueTokenLocked(t Token, life time.Duration) (Token, error) {
	t.Text, t.IssuedAt, t.ExpiresAt = NewSecret(o.cfg.Prefixes[t.Kind]), o.kit.Now(), time.Time{}
	t.Ended, t.Number = "", 0
	if life > 0 {
		t.ExpiresAt = t.IssuedAt.Add(life)
	}
	return t, o.tokens.Put(t.Text, t)
}

// Kinds of the tokens of networks with refresh tokens.
const (
	AccessToken  = "access"
	RefreshToken = "refresh"
)

// IssuePair issues an access token and a refresh token for one consent. grant is the redeemed code.
func (o *OAuth) IssuePair(c Consented, grant string, access, refresh time.Duration) (a, r Token, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if r, err = o.issueTokenLocked(Token{Consented: c, Kind: RefreshToken, Grant: grant}, refresh); err != nil {
		return a, r, err
	}
	a, err = o.issueTokenLocked(Token{Consented: c, Kind: AccessToken, Grant: grant, Parent: r.Text}, access)
	return a, r, err
}

// RenewTokens exchanges a refresh token for a new access token. With rotate, it also replaces the refresh token, and
// the old one no longer works; otherwise, it returns the same refresh token.
func (o *OAuth) RenewTokens(
	text string, rotate bool, access, refresh time.Duration,
) (a, r Token, why Refusal, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	r = o.tokens.Get(text)
	switch why = r.RefusalAt(o.kit.Now()); {
	case r.Kind != RefreshToken:
		return a, r, Unknown, nil
	case why != "":
		return a, r, why, nil
	}
	if rotate {
		if err = o.endTokenLocked(r, Used, 0); err != nil {
			return a, r, "", err
		}
		if r, err = o.issueTokenLocked(r, refresh); err != nil {
			return a, r, "", err
		}
	}
	a, err = o.issueTokenLocked(Token{Consented: r.Consented, Kind: AccessToken, Grant: r.Grant, Parent: r.Text}, access)
	return a, r, "", err
}

// FindToken returns a token and why it does not work; "" if it does.
func (o *OAuth) FindToken(text string) (Token, Refusal) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case text == "":
		return Token{}, Missing
	case !o.tokens.Has(text):
		return Token{}, Unknown
	}
	t := o.tokens.Get(text)
	return t, t.RefusalAt(o.kit.Now())
}

// FindDerivedToken returns the valid token that was derived from parent for a subject.
func (o *OAuth) FindDerivedToken(parent, subject string) (Token, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for t := range o.tokens.All() {
		if t.Parent == parent && t.Subject == subject && t.RefusalAt(o.kit.Now()) == "" {
			return t, true
		}
	}
	return Token{}, false
}

// EndTokens invalidates all matching tokens for a reason. number is the network's own number for it; 0 for none.
func (o *OAuth) EndTokens(why Refusal, number int, match func(Token) bool) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for t := range o.tokens.All() {
		if match(t) && t.Ended == "" {
			if err := o.endTokenLocked(t, why, number); err != nil {
				return err
			}
		}
	}
	return nil
}

// endTokenLocked records that a token is no longer accepted, and why. The caller holds o.mu.
func (o *OAuth) endTokenLocked(t Token, why Refusal, number int) error {
	t.Ended, t.Number = why, number
	return o.tokens.Put(t.Text, t)
}

// SplitScopes splits a list of scopes at commas and spaces.
func SplitScopes(list string) []string {
	return strings.FieldsFunc(list, func(c rune) bool { return c == ',' || c == ' ' })
}
