package sim

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// Refusal is why a client, a code or a token is not accepted; each network says it in its own words.
type Refusal string

// Refusals. The empty one means that all is well.
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
	Kind     string    `json:"kind"`             // a word of the network's, with a prefix in OAuthConfig.Prefixes
	Grant    string    `json:"grant"`            // the code that it goes back to
	Parent   string    `json:"parent,omitempty"` // the token that it was derived from
	IssuedAt time.Time `json:"issuedAt"`
	// ExpiresAt is zero for a token that only an event ends.
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
	// Ended is why the token died before its time; Number is the network's own number for it, where a fault gave one.
	Ended  Refusal `json:"ended,omitempty"`
	Number int     `json:"number,omitempty"`
}

// Has reports whether the person granted all of the scopes.
func (t Token) Has(scopes ...string) bool {
	return !slices.ContainsFunc(scopes, func(s string) bool { return !slices.Contains(t.Scopes, s) })
}

// Refusal is why the token does not work at a time; "" when it does.
func (t Token) Refusal(now time.Time) Refusal {
	if t.Ended == "" && !t.ExpiresAt.IsZero() && !now.Before(t.ExpiresAt) {
		return Expired
	}
	return t.Ended
}

// code is the one-time code between the consent page and the exchange.
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

// NewOAuth restores what earlier runs kept.
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

// CheckClient checks the app's id and secret, as the parameters of a call name them.
func (o *OAuth) CheckClient(id, secret string) Refusal {
	switch {
	case id != o.kit.ClientID():
		return WrongClient
	case secret != o.kit.ClientSecret():
		return WrongSecret
	}
	return ""
}

// PeekCode returns what a code stands for without spending it, for the fault of a call that names an account.
func (o *OAuth) PeekCode(text string) Consented {
	o.mu.Lock()
	defer o.mu.Unlock()
	if c := o.codes.Get(text); c != nil {
		return c.Consented
	}
	return Consented{}
}

// Redeem spends a code and returns what the person allowed. verifier is for codes that were asked for with a challenge.
func (o *OAuth) Redeem(text, redirectURI, verifier string) (Consented, Refusal, error) {
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

// Issue makes a token of t, which ends after life; 0 for never.
func (o *OAuth) Issue(t Token, life time.Duration) (Token, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.issueToken(t, life)
}

func (o *OAuth) issueToken(t Token, life time.Duration) (Token, error) {
	t.Text, t.IssuedAt, t.ExpiresAt = Secret(o.cfg.Prefixes[t.Kind]), o.kit.Now(), time.Time{}
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

// IssuePair makes an access token and a refresh token that belong to one consent; grant is the code that was redeemed.
func (o *OAuth) IssuePair(c Consented, grant string, access, refresh time.Duration) (a, r Token, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if r, err = o.issueToken(Token{Consented: c, Kind: RefreshToken, Grant: grant}, refresh); err != nil {
		return a, r, err
	}
	a, err = o.issueToken(Token{Consented: c, Kind: AccessToken, Grant: grant, Parent: r.Text}, access)
	return a, r, err
}

// Renew makes another access token of a refresh token. A rotating network replaces the refresh token too, and the old
// one is used up; without rotation the same comes back.
func (o *OAuth) Renew(text string, rotate bool, access, refresh time.Duration) (a, r Token, why Refusal, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	r = o.tokens.Get(text)
	switch why = r.Refusal(o.kit.Now()); {
	case r.Kind != RefreshToken:
		return a, r, Unknown, nil
	case why != "":
		return a, r, why, nil
	}
	if rotate {
		if err = o.endToken(r, Used, 0); err != nil {
			return a, r, "", err
		}
		if r, err = o.issueToken(r, refresh); err != nil {
			return a, r, "", err
		}
	}
	a, err = o.issueToken(Token{Consented: r.Consented, Kind: AccessToken, Grant: r.Grant, Parent: r.Text}, access)
	return a, r, "", err
}

// Find returns a token and why it does not work, "" when it does.
func (o *OAuth) Find(text string) (Token, Refusal) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case text == "":
		return Token{}, Missing
	case !o.tokens.Has(text):
		return Token{}, Unknown
	}
	t := o.tokens.Get(text)
	return t, t.Refusal(o.kit.Now())
}

// Derived returns the working token of a kind that was derived from another for a subject.
func (o *OAuth) Derived(parent, subject string) (Token, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for t := range o.tokens.All() {
		if t.Parent == parent && t.Subject == subject && t.Refusal(o.kit.Now()) == "" {
			return t, true
		}
	}
	return Token{}, false
}

// End ends all tokens that match, for a reason and with the network's own number for it, 0 for none.
func (o *OAuth) End(why Refusal, number int, match func(Token) bool) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for t := range o.tokens.All() {
		if match(t) && t.Ended == "" {
			if err := o.endToken(t, why, number); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o *OAuth) endToken(t Token, why Refusal, number int) error {
	t.Ended, t.Number = why, number
	return o.tokens.Put(t.Text, t)
}

// SplitScopes reads a list of scopes, with commas or spaces between them.
func SplitScopes(list string) []string {
	return strings.FieldsFunc(list, func(c rune) bool { return c == ',' || c == ' ' })
}
