package metasim

import (
	"encoding/json"
	"time"

	"belfry/internal/network/sim"
)

// Kinds of tokens.
const (
	shortToken = "short"
	longToken  = "long"
	pageToken  = "page"
)

// Lifetimes of tokens.
const (
	shortLife  = time.Hour
	longLife   = 60 * 24 * time.Hour
	refreshAge = 24 * time.Hour
	grantLife  = 90 * 24 * time.Hour
)

// OwnLogin is the login of a network of Meta with its own accounts. A code is exchanged for a token of one hour, which
// is exchanged for a token of 60 days, which can be renewed once it is a day old.
type OwnLogin struct {
	Graph *Graph
	// Short is the prefix of grant types, such as th or ig. Basic is the scope that every token needs.
	Short, Basic string
	// Answer returns the body of the response to the exchange of a code.
	Answer func(t sim.Token) any
}

// Names of calls that a fault can target.
const (
	CallExchange = "exchange"
	CallToken    = "token"
	CallRefresh  = "refresh"
	CallDebug    = "debug"
)

// Prefixes returns the same prefix for all kinds of tokens.
func Prefixes(prefix string) map[string]string {
	return map[string]string{shortToken: prefix, longToken: prefix, pageToken: prefix}
}

func newExchangeFailure(message string) sim.Answer {
	return sim.Answer{Status: 400, Body: map[string]any{
		"error_type": TypeOAuth, "code": 400, "error_message": message,
	}}
}

// ExchangeRoute returns the route that exchanges a code for a token of one hour.
func (l *OwnLogin) ExchangeRoute() sim.Route {
	return sim.Route{
		Names: []string{CallExchange}, Params: []string{"*"},
		Arrive: func(q *sim.Request) { q.Account = l.Graph.API.OAuth.PeekCode(q.Params.Get("code")).Subject },
		Serve:  l.exchangeCode,
	}
}

func (l *OwnLogin) exchangeCode(q *sim.Request) (any, error) {
	oauth := l.Graph.API.OAuth
	name, unknown := sim.UnknownParam(q.Params, "client_id", "client_secret", "code", "grant_type", "redirect_uri")
	switch {
	case unknown:
		return newExchangeFailure("Param " + name + " is not allowed"), nil
	case q.R.URL.RawQuery != "":
		return newExchangeFailure("All parameters must be in the form body"), nil
	case oauth.CheckClient(q.Params.Get("client_id"), q.Params.Get("client_secret")) != "":
		return newExchangeFailure("Error validating client secret"), nil
	case q.Params.Get("grant_type") != "authorization_code":
		return newExchangeFailure("Invalid grant_type"), nil
	}
	code := q.Params.Get("code")
	consented, why, err := oauth.RedeemCode(code, q.Params.Get("redirect_uri"), "")
	switch {
	case err != nil:
		return nil, err
	case why == sim.WrongRedirect:
		return newExchangeFailure(wrongRedirect), nil
	case why != "":
		return newExchangeFailure("Matching code was not found or was already used"), nil
	}
	t, err := oauth.IssueToken(sim.Token{Consented: consented, Kind: shortToken, Grant: code}, shortLife)
	return l.Answer(t), err
}

const wrongRedirect = "Error validating verification code. Please make sure your redirect_uri is identical to the one " +
	"you used in the OAuth dialog request"

// AppTokenRoute returns the route that returns the app's own token, which cannot publish.
func (l *OwnLogin) AppTokenRoute() sim.Route {
	return sim.Route{
		Names: []string{CallToken}, Params: []string{"client_id", "client_secret", "grant_type"},
		Serve: func(q *sim.Request) (any, error) {
			if q.Params.Get("grant_type") != "client_credentials" ||
				l.Graph.API.OAuth.CheckClient(q.Params.Get("client_id"), q.Params.Get("client_secret")) != "" {
				return newExchangeFailure("Error validating client secret"), nil
			}
			return map[string]any{"access_token": l.appToken(), "token_type": "bearer"}, nil
		},
	}
}

func (l *OwnLogin) appToken() string {
	return "TH|" + l.Graph.API.Kit.ClientID() + "|" + l.Graph.API.Kit.ClientSecret()
}

// ExtendRoute authenticates a call and returns the route that exchanges a token of one hour for one of 60 days.
func (l *OwnLogin) ExtendRoute(q *sim.Request) (sim.Route, error) {
	return sim.Route{
		Names: []string{CallToken}, Params: []string{"grant_type", "client_secret"},
		Serve: func(q *sim.Request) (any, error) {
			switch {
			case q.Params.Get("grant_type") != l.Short+"_exchange_token":
				return nil, Bad("Invalid grant_type")
			case q.Params.Get("client_secret") != l.Graph.API.Kit.ClientSecret():
				return nil, &Error{Code: 101, Type: TypeOAuth, Message: "Error validating client secret."}
			case q.Token.Kind == longToken:
				return nil, &Error{
					Code: 452, Type: TypeOAuth, Message: "Session key invalid. This could be because the session key has an " +
						"incorrect format, or because the user has revoked this session",
				}
			}
			return l.issueLongToken(q)
		},
	}, l.Graph.Authenticate(q)
}

// RefreshRoute authenticates a call and returns the route that extends a token of 60 days by another 60 days.
func (l *OwnLogin) RefreshRoute(q *sim.Request) (sim.Route, error) {
	return sim.Route{
		Names: []string{CallRefresh}, Params: []string{"grant_type"}, Scopes: []string{l.Basic},
		Serve: func(q *sim.Request) (any, error) {
			switch {
			case q.Params.Get("grant_type") != l.Short+"_refresh_token":
				return nil, Bad("Invalid grant_type")
			case q.Token.Kind != longToken:
				return nil, Bad("Only long-lived access tokens can be refreshed")
			case l.Graph.API.Kit.Now().Sub(q.Token.IssuedAt) < refreshAge:
				return nil, Bad("The access token must be at least 24 hours old to be refreshed")
			}
			return l.issueLongToken(q)
		},
	}, l.Graph.Authenticate(q)
}

func (l *OwnLogin) issueLongToken(q *sim.Request) (any, error) {
	t := q.Token
	t.Kind, t.Parent = longToken, q.Token.Text
	t, err := l.Graph.API.OAuth.IssueToken(t, longLife)
	return map[string]any{
		"access_token": t.Text, "token_type": "bearer", "expires_in": int(longLife.Seconds()),
	}, err
}

// DebugRoute authenticates a call and returns the route that describes a token. It accepts the app's own token or a
// valid token of the same app.
func (l *OwnLogin) DebugRoute(q *sim.Request) (sim.Route, error) {
	return l.Graph.authenticateForDebugRoute(q, l.appToken())
}

// authenticateForDebugRoute authenticates a call, and returns the route even if err refuses the call.
func (g *Graph) authenticateForDebugRoute(q *sim.Request, appToken string) (route sim.Route, err error) {
	if q.Bearer != appToken {
		err = g.Authenticate(q)
	} else if g.Proof {
		err = g.takeAndCheckProof(q)
	}
	return sim.Route{
		Names: []string{CallDebug}, Params: []string{"input_token"},
		Serve: func(q *sim.Request) (any, error) {
			return map[string]any{"data": g.describeToken(q.Params.Get("input_token"))}, nil
		},
	}, err
}

func (g *Graph) describeToken(text string) map[string]any {
	t, why := g.API.OAuth.FindToken(text)
	now := g.API.Kit.Now()
	data := map[string]any{"is_valid": why == "", "scopes": []string{}}
	if e := g.newTokenErrorOrNil(t, why); e != nil {
		data["error"] = map[string]any{"code": e.Code, "subcode": e.Subcode, "message": e.Message}
	}
	if t.Text == "" {
		return data
	}
	data["app_id"], data["application"], data["type"] = g.API.Kit.ClientID(), g.API.Kit.AppName(), "USER"
	data["scopes"], data["user_id"], data["issued_at"] = t.Scopes, t.Subject, t.IssuedAt.Unix()
	data["expires_at"], data["data_access_expires_at"] = 0, t.IssuedAt.Add(grantLife).Unix()
	if t.Kind == pageToken {
		data["type"], data["user_id"], data["profile_id"] = "PAGE", personID, t.Subject
	}
	var granular []any
	for _, scope := range t.Scopes {
		if len(t.Targets) > 0 && scope != scopeProfile {
			granular = append(granular, map[string]any{"scope": scope, "target_ids": t.Targets})
		}
	}
	data["granular_scopes"] = granular
	if !t.ExpiresAt.IsZero() {
		data["expires_at"] = expiryOrJustNow(t, now).Unix()
	}
	return data
}

// BigNumber returns an id as a JSON number, which may be above 2^53.
func BigNumber(id string) json.RawMessage { return json.RawMessage(id) }

// Denied are the parameters of the redirect after a person has refused.
var Denied = [][2]string{
	{"error", "access_denied"}, {"error_reason", "user_denied"}, {"error_description", "The user denied your request"},
}
