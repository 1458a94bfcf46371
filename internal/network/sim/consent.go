package sim

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"time"
)

// PKCE is how a network encodes the challenge of a code. The method is always called S256.
type PKCE string

// Encodings of a challenge. With NoPKCE, the consent page does not accept its parameters.
const (
	NoPKCE     PKCE = ""
	PKCEBase64 PKCE = "base64url"
	PKCEHex    PKCE = "hex"
)

var verifiers = regexp.MustCompile(`^[A-Za-z0-9._~-]{43,128}$`)

func (p PKCE) encodeSum(sum []byte) string {
	if p == PKCEHex {
		return hex.EncodeToString(sum)
	}
	return base64.RawURLEncoding.EncodeToString(sum)
}

func (p PKCE) matchesVerifier(challenge, verifier string) bool {
	sum := sha256.Sum256([]byte(verifier))
	return verifiers.MatchString(verifier) && p.encodeSum(sum[:]) == challenge
}

// OAuthConfig describes the authorization server of one network.
type OAuthConfig struct {
	Network, Title string
	// ClientParam is the parameter with the app's id; "" for client_id.
	ClientParam string
	// Scopes are all that exist. Every request must include those in Needed, and people cannot decline them. Those in
	// Given are granted without a request.
	Scopes, Needed, Given []string
	// Params are the consent page's parameters in addition to those of OAuth. Form lists the fields that a person fills
	// in.
	Params, Form []string
	// Withhold makes people select the scopes that they decline. Otherwise, they select the scopes that they grant, and
	// all are selected at first.
	Withhold bool
	PKCE     PKCE
	// NeedPKCE is true if a request without a challenge is refused.
	NeedPKCE bool
	CodeLife time.Duration
	// Prefixes are the prefixes of tokens by kind; CodePrefix is the prefix of codes.
	Prefixes   map[string]string
	CodePrefix string

	Allow, Heading, Lead string // of the consent page
	UnknownApp, BadScope string // the network's error messages
	// Fragment is appended to the redirect address. Denied are its parameters after a refusal. Granted returns its
	// parameters in addition to code and state; nil for none.
	Fragment string
	Denied   [][2]string
	Granted  func(Consented) [][2]string
	// Accounts returns all accounts that a person can choose, with none selected. Choose reads the choice, and may create
	// an account.
	Accounts func() Group
	Choose   func(form url.Values) (Consented, error)
	// Person is the person who owns all accounts; "" if each account is a person. NameOf returns a person's name.
	Person string
	NameOf func(person string) string
	// Removed reports to the app that a person has removed it and, with erase, that their data must be deleted; nil for a
	// network that reports nothing. Erases is true if the network passes on requests to delete data.
	Removed func(person string, erase bool)
	Erases  bool
	// Check does the network's own checks of a request; nil for none.
	Check func(r *http.Request) error
}

func (c OAuthConfig) clientParam() string {
	if c.ClientParam != "" {
		return c.ClientParam
	}
	return "client_id"
}

func (c OAuthConfig) listPageParams() []string {
	all := slices.Concat([]string{c.clientParam(), "redirect_uri", "scope", "response_type", "state"}, c.Params)
	if c.PKCE != NoPKCE {
		all = append(all, "code_challenge", "code_challenge_method")
	}
	return all
}

// ServeConsent shows the consent page and handles the person's decision.
func (o *OAuth) ServeConsent(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodPost {
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	err := r.ParseForm()
	var scopes []string
	if err == nil {
		scopes, err = o.checkRequestAndReadScopes(r)
	}
	switch {
	case err != nil:
		o.serveProblem(w, r, "This app cannot ask for access", err)
	case r.Method == http.MethodGet:
		o.kit.ServePage(w, r, http.StatusOK, "consent", o.newConsentPage(r, scopes))
	default:
		o.handleDecision(w, r, scopes)
	}
}

func (o *OAuth) serveProblem(w http.ResponseWriter, r *http.Request, heading string, err error) {
	o.kit.ServePage(w, r, http.StatusBadRequest, "notice", Notice{
		Network: o.cfg.Network, Title: o.cfg.Title, Heading: heading, Text: err.Error(),
	})
}

// checkRequestAndReadScopes returns the requested scopes, or an error that says why the consent page cannot be shown.
// The form of the request must be parsed.
func (o *OAuth) checkRequestAndReadScopes(r *http.Request) (scopes []string, err error) {
	known := o.cfg.listPageParams()
	for _, name := range known {
		if len(r.Form[name]) > 1 {
			return nil, fmt.Errorf("%s was given more than once", name)
		}
	}
	if r.Method == http.MethodPost {
		known = slices.Concat(known, o.cfg.Form, []string{"decision", "grant", "withhold"})
	}
	if name, unknown := UnknownParam(r.Form, known...); unknown {
		return nil, fmt.Errorf("this page does not accept the parameter %s", name)
	}
	if o.cfg.Check != nil {
		if err := o.cfg.Check(r); err != nil {
			return nil, err
		}
	}
	if err := CheckRedirect(r.Form.Get("redirect_uri")); err != nil {
		return nil, err
	}
	challenge, method := r.Form.Get("code_challenge"), r.Form.Get("code_challenge_method")
	switch {
	case r.Form.Get(o.cfg.clientParam()) != o.kit.ClientID():
		return nil, errors.New(o.cfg.UnknownApp)
	case r.Form.Get("response_type") != "code":
		return nil, errors.New("response_type must be code")
	case r.Form.Get("state") == "":
		return nil, errors.New("state is missing")
	case challenge == "" && (o.cfg.NeedPKCE || method != ""):
		return nil, errors.New("code_challenge is missing")
	case challenge != "" && method != "S256":
		return nil, errors.New("code_challenge_method must be S256")
	case challenge != "" && len(challenge) != len(o.cfg.PKCE.encodeSum(make([]byte, sha256.Size))):
		return nil, fmt.Errorf("code_challenge must be a SHA-256 hash encoded as %s", o.cfg.PKCE)
	}
	return o.checkScopes(SplitScopes(r.Form.Get("scope")))
}

// checkScopes returns the scopes unchanged, or an error that says why a request for them is refused.
func (o *OAuth) checkScopes(scopes []string) ([]string, error) {
	if len(scopes) == 0 {
		return nil, errors.New("scope is missing")
	}
	for _, scope := range scopes {
		if !slices.Contains(o.cfg.Scopes, scope) {
			return nil, fmt.Errorf("%s: %s", o.cfg.BadScope, scope)
		}
	}
	for _, scope := range o.cfg.Needed {
		if !slices.Contains(scopes, scope) {
			return nil, fmt.Errorf("scope must include %s", scope)
		}
	}
	return scopes, nil
}

func (o *OAuth) newConsentPage(r *http.Request, scopes []string) Consent {
	page := Consent{
		Network: o.cfg.Network, Title: o.cfg.Title, Allow: o.cfg.Allow, Heading: o.kit.AppName() + " " + o.cfg.Heading,
		Lead: o.cfg.Lead, Action: o.kit.SandboxURL("https://" + RequestHost(r) + r.URL.Path),
	}
	for _, name := range o.cfg.listPageParams() {
		if r.Form.Has(name) {
			page.Hidden = append(page.Hidden, [2]string{name, r.Form.Get(name)})
		}
	}
	permissions := Group{Title: "Permissions", Folded: true}
	choice := Choice{Type: "checkbox", Name: "grant", Checked: true}
	if o.cfg.Withhold {
		permissions.Title, choice.Name, choice.Checked = "Permissions to withhold", "withhold", false
	}
	for _, scope := range scopes {
		if !slices.Contains(o.cfg.Needed, scope) {
			choice.Value, choice.Label = scope, scope
			permissions.Choices = append(permissions.Choices, choice)
		}
	}
	page.Groups = []Group{o.offerAccounts(), permissions}
	return page
}

// mostOffered is the largest number of accounts on a consent page.
const mostOffered = 24

// offerAccounts returns the accounts that a person can choose. Networks do not learn which account the app wants to
// reconnect, so those to which the app has lost access come first, and then those to which it has access. In both
// cases, the account with the latest consent comes first. The first account is selected.
func (o *OAuth) offerAccounts() Group {
	group := o.cfg.Accounts()
	latestNumber, hasAccess := o.findAccountConsents()
	rank := func(c Choice) int {
		switch {
		case latestNumber[c.Value] == 0:
			return 2
		case hasAccess[c.Value]:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(group.Choices, func(a, b Choice) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(latestNumber[b.Value], latestNumber[a.Value]))
	})
	group.Choices = group.Choices[:min(len(group.Choices), mostOffered)]
	if len(group.Choices) > 0 {
		group.Choices[0].Checked = true
	}
	group.Choices = append(group.Choices, group.Apart...)
	return group
}

// findAccountConsents returns the number of the latest consent for each account, from 1 on, and the accounts to which
// the app has access.
func (o *OAuth) findAccountConsents() (latestNumber map[string]int, hasAccess map[string]bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	latestNumber, hasAccess = map[string]int{}, map[string]bool{}
	number := 0
	for c := range o.codes.All() {
		number++
		for _, id := range append([]string{c.Subject}, c.Targets...) {
			latestNumber[id] = number
		}
	}
	for t := range o.tokens.All() {
		if t.RefusalAt(o.kit.Now()) == "" {
			hasAccess[t.Subject] = true
		}
	}
	return latestNumber, hasAccess
}

func (o *OAuth) handleDecision(w http.ResponseWriter, r *http.Request, scopes []string) {
	back, state := r.Form.Get("redirect_uri"), [2]string{"state", r.Form.Get("state")}
	if r.Form.Get("decision") != "allow" {
		denied := append(slices.Clone(o.cfg.Denied), state)
		o.kit.SendRedirect(w, r, BuildRedirect(back, denied, o.cfg.Fragment))
		return
	}
	chosen, err := o.cfg.Choose(r.Form)
	if err != nil {
		o.serveProblem(w, r, "Check your choice", err)
		return
	}
	chosen.Scopes = slices.Clone(o.cfg.Given)
	for _, scope := range scopes {
		granted := slices.Contains(o.cfg.Needed, scope) ||
			slices.Contains(r.Form["grant"], scope) || o.cfg.Withhold && !slices.Contains(r.Form["withhold"], scope)
		switch {
		case slices.Contains(o.cfg.Given, scope):
		case granted:
			chosen.Scopes = append(chosen.Scopes, scope)
		default:
			chosen.Declined = append(chosen.Declined, scope)
		}
	}
	text := NewSecret(o.cfg.CodePrefix)
	o.mu.Lock()
	err = o.codes.Put(text, &code{
		Consented: chosen, RedirectURI: back, Challenge: r.Form.Get("code_challenge"),
		ExpiresAt: o.kit.Now().Add(o.cfg.CodeLife),
	})
	o.mu.Unlock()
	if err != nil {
		o.serveProblem(w, r, "The sandbox failed", err)
		return
	}
	answer := [][2]string{{"code", text}}
	if o.cfg.Granted != nil {
		answer = append(answer, o.cfg.Granted(chosen)...)
	}
	o.kit.SendRedirect(w, r, BuildRedirect(back, append(answer, state), o.cfg.Fragment))
}
