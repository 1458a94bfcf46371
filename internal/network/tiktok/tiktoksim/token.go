package tiktoksim

import (
	"cmp"
	"errors"
	"net/http"
	"strings"

	"belfry/internal/network/sim"
)

// loginError is an error of the calls about tokens.
type loginError struct {
	status     int
	code, text string
}

func (e *loginError) Error() string { return e.text }

var errGrant = &loginError{400, "invalid_grant", "Authorization code is expired."}

// loginErrorAnswer returns the response for an error about tokens, which has its own format.
func (s *Sim) loginErrorAnswer(err error) sim.Answer {
	e := &loginError{http.StatusBadRequest, "invalid_request", "The request parameters are malformed."}
	var param *sim.ParamError
	if !errors.As(err, &e) && !errors.As(err, &param) {
		return sim.InternalError(err)
	}
	return sim.Answer{Status: s.shownStatus(e.status), Body: map[string]any{
		"error": e.code, "error_description": e.text, "log_id": newLogID(),
	}}
}

// newScriptedLoginError returns the error for a scripted fault of a call about tokens.
func newScriptedLoginError(f sim.Fault) error {
	e := map[string]loginError{
		sim.RateLimited: {http.StatusTooManyRequests, "rate_limit_exceeded", "The API rate limit was exceeded."},
		sim.ServerError: {http.StatusInternalServerError, "server_error", "Something went wrong."},
	}[f.Kind]
	return &loginError{
		cmp.Or(f.Status, e.status, http.StatusBadRequest), cmp.Or(f.Reason, e.code, "invalid_request"),
		cmp.Or(f.Message, e.text, "The request parameters are malformed."),
	}
}

func (s *Sim) serveLogin(w http.ResponseWriter, r *http.Request) {
	q, err := sim.ReadCall(w, r, false)
	if err != nil || r.Method != http.MethodPost || r.URL.RawQuery != "" {
		s.kit.SendAnswer(w, r, s.loginErrorAnswer(&sim.ParamError{}))
		return
	}
	client := []string{"client_key", "client_secret"}
	route := sim.Route{Names: []string{"exchange"}, Params: []string{"*"}, Serve: func(*sim.Request) (any, error) {
		return nil, &loginError{http.StatusBadRequest, "unsupported_grant_type", "The grant type is not supported."}
	}}
	switch grant := q.Params.Get("grant_type"); {
	case r.URL.Path == "/v2/oauth/revoke/":
		route = sim.Route{Names: []string{"revoke"}, Params: append(client, "token"), Serve: s.revokeAccess}
	case r.URL.Path != "/v2/oauth/token/":
		http.NotFound(w, r)
		return
	case grant == "authorization_code":
		route.Params = append(client, "grant_type", "code", "redirect_uri", "code_verifier")
		route.Serve = s.exchangeCode
	case grant == "refresh_token":
		route = sim.Route{
			Names: []string{"refresh"}, Params: append(client, "grant_type", "refresh_token"), Serve: s.refreshTokens,
		}
	}
	s.login.ServeCall(r.Context(), q, route)
}

func (s *Sim) checkClient(q *sim.Request) error {
	if s.oauth.CheckClient(q.Params.Get("client_key"), q.Params.Get("client_secret")) != "" {
		return &loginError{http.StatusUnauthorized, "invalid_client", "Client key or secret is incorrect."}
	}
	return nil
}

func (s *Sim) exchangeCode(q *sim.Request) (any, error) {
	if err := s.checkClient(q); err != nil {
		return nil, err
	}
	code := q.Params.Get("code")
	if code == "" {
		return nil, &sim.ParamError{Name: "code"}
	}
	c, why, err := s.oauth.RedeemCode(code, q.Params.Get("redirect_uri"), q.Params.Get("code_verifier"))
	switch {
	case err != nil:
		return nil, err
	case why == sim.WrongRedirect || why == sim.WrongVerifier:
		return nil, &loginError{http.StatusBadRequest, "invalid_request", string(why)}
	case why != "":
		return nil, errGrant
	}
	access, refresh, err := s.oauth.IssuePair(c, code, s.kit.SecondsOption(OptAccess), s.kit.SecondsOption(OptRefresh))
	if err != nil {
		return nil, err
	}
	return s.tokenNode(access, refresh), nil
}

// refreshTokens renews the tokens. If the option says so, it replaces the refresh token.
func (s *Sim) refreshTokens(q *sim.Request) (any, error) {
	if err := s.checkClient(q); err != nil {
		return nil, err
	}
	access, refresh, why, err := s.oauth.RenewTokens(
		q.Params.Get("refresh_token"), s.kit.Option(OptRotate) == On,
		s.kit.SecondsOption(OptAccess), s.kit.SecondsOption(OptRefresh),
	)
	switch {
	case err != nil:
		return nil, err
	case why != "":
		return nil, &loginError{http.StatusBadRequest, "invalid_grant", "Refresh token is invalid or expired."}
	}
	return s.tokenNode(access, refresh), nil
}

func (s *Sim) tokenNode(access, refresh sim.Token) any {
	left := func(t sim.Token) int64 { return int64(t.ExpiresAt.Sub(s.kit.Now()).Seconds()) }
	return map[string]any{
		"access_token": access.Text, "expires_in": left(access), "refresh_token": refresh.Text,
		"refresh_expires_in": left(refresh), "open_id": access.Subject, "scope": strings.Join(access.Scopes, ","),
		"token_type": "Bearer",
	}
}

// revokeAccess removes the app from the account: all of the account's tokens stop working.
func (s *Sim) revokeAccess(q *sim.Request) (any, error) {
	if err := s.checkClient(q); err != nil {
		return nil, err
	}
	t, why := s.oauth.FindToken(q.Params.Get("token"))
	if why != "" {
		return nil, &sim.ParamError{Name: "token"}
	}
	s.reportRemoval(t.Subject, removedByApp)
	return struct{}{}, s.oauth.EndPersonAccess(t.Subject)
}
