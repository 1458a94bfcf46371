package metasim

import (
	"cmp"
	"crypto/rand"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strconv"
	"time"

	"belfry/internal/network/sim"
)

// Types of errors.
const (
	TypeOAuth  = "OAuthException"
	TypeMethod = "GraphMethodException"
)

// Subcodes of 190, a token that does not work.
const (
	subRemoved = 458
	subExpired = 463
)

// Error is an error in the format of Graph APIs. The default Type is that of the API, and the default Status is 400.
type Error struct {
	Status, Code, Subcode        int
	Message, Type, Title, Detail string
	Transient                    bool
	header                       http.Header
}

func (e *Error) Error() string { return e.Message }

// Bad returns the error for a parameter that the network refuses.
func Bad(format string, args ...any) *Error {
	return &Error{Code: 100, Message: fmt.Sprintf(format, args...)}
}

// NotFound returns the error for an object that does not exist or that the token cannot see.
func NotFound(method, id string) *Error {
	verb := map[string]string{http.MethodGet: "get", http.MethodPost: "post", http.MethodDelete: "delete"}[method]
	return &Error{
		Code: 100, Subcode: 33, Message: fmt.Sprintf("Unsupported %s request. Object with ID '%s' does not exist, "+
			"cannot be loaded due to missing permissions, or does not support this operation", verb, id),
	}
}

// NotReady returns the error for a container that is not finished.
func NotReady() *Error {
	return &Error{
		Code: 9007, Subcode: 2207027, Message: "Media ID is not available", Title: "Media is not ready",
		Detail: "The media is not ready for publishing, please wait for a moment.",
	}
}

// LimitReached returns the error for a publishing quota that is used up.
func LimitReached() *Error {
	return &Error{
		Status: http.StatusForbidden, Code: 9, Subcode: 2207042, Message: "Application request limit reached",
		Title: "Publishing limit reached", Detail: "You have reached the maximum number of posts for the last 24 hours.",
	}
}

func (e *Error) toAnswer() sim.Answer {
	body := map[string]any{"message": e.Message, "type": e.Type, "code": e.Code, "fbtrace_id": newTraceID()}
	if e.Subcode != 0 {
		body["error_subcode"] = e.Subcode
	}
	if e.Transient {
		body["is_transient"] = true
	}
	if e.Title != "" {
		body["error_user_title"], body["error_user_msg"] = e.Title, e.Detail
	}
	status := cmp.Or(e.Status, http.StatusBadRequest)
	return sim.Answer{Status: status, Header: e.header, Body: map[string]any{"error": body}}
}

func newTraceID() string {
	raw := make([]byte, 16)
	_, _ = rand.Read(raw)
	return "A" + base64.RawURLEncoding.EncodeToString(raw)
}

// Words are the properties of an API's errors.
type Words struct {
	// Type is the type of most errors, and TokenType that of errors about tokens.
	Type, TokenType string
	// ParamPrefix is the prefix of messages about parameters.
	ParamPrefix string
	// TokenStatus is the HTTP status for an invalid token. MissingToken is the error code for a missing one.
	TokenStatus, MissingToken int
	// Scope is the message about a missing permission, with %s for its name.
	Scope string
	// Throttled is the code of a rate limit. Usage is the type in the usage headers; "" for no such headers.
	Throttled int
	Usage     string
	// Race is the error for a container that is not found right after it was finished.
	Race Error
}

//go:embed errors.txt
var sharedErrors string

// ParseErrors reads a network's table of errors and adds those that all Graph APIs share.
func ParseErrors(table string) ([]sim.Documented, error) {
	own, err := sim.ParseDocumented(table)
	if err != nil {
		return nil, err
	}
	shared, err := sim.ParseDocumented(sharedErrors)
	return append(own, shared...), err
}

// newTokenErrorOrNil returns the error for a token that does not work, or nil if it does.
func (g *Graph) newTokenErrorOrNil(t sim.Token, why sim.Refusal) *Error {
	e := &Error{Status: g.Words.TokenStatus, Code: 190, Type: g.Words.TokenType}
	switch why {
	case "":
		return nil
	case sim.Missing:
		e.Code, e.Message = g.Words.MissingToken, "An access token is required to request this resource."
	case sim.Unknown:
		e.Message = "Invalid OAuth access token - Cannot parse access token"
	default:
		e.Subcode = endingSubcode(t, why)
		e.Message = "Error validating access token: " + g.endingMessage(t, e.Subcode)
	}
	return e
}

// endingSubcode returns the subcode for a token that no longer works.
func endingSubcode(t sim.Token, why sim.Refusal) int {
	if why == sim.Expired {
		return cmp.Or(t.Number, subExpired)
	}
	return cmp.Or(t.Number, subRemoved)
}

func (g *Graph) endingMessage(t sim.Token, subcode int) string {
	if subcode == subExpired {
		now := g.API.Kit.Now()
		return fmt.Sprintf("Session has expired on %s. The current time is %s.",
			expiryOrJustNow(t, now).Format(time.RFC1123), now.Format(time.RFC1123))
	}
	return cmp.Or(endings[subcode], "The session is invalid.")
}

// expiryOrJustNow returns when a token expired or will expire. For a token that ended before its expiry, that is a
// second before now.
func expiryOrJustNow(t sim.Token, now time.Time) time.Time {
	if t.Ended != "" && now.Before(t.ExpiresAt) {
		return now.Add(-time.Second)
	}
	return t.ExpiresAt
}

// errorAnswer returns the response for an error.
func (g *Graph) errorAnswer(err error) sim.Answer {
	var param *sim.ParamError
	var scope *sim.ScopeError
	var e *Error
	switch {
	case errors.As(err, &param):
		e = Bad("%s", param.Error())
	case errors.As(err, &scope):
		e = &Error{Status: http.StatusForbidden, Code: 10, Message: fmt.Sprintf(g.Words.Scope, scope.Scope)}
	case !errors.As(err, &e):
		return sim.InternalError(err)
	}
	said := *e
	if said.Code == 100 && said.Subcode == 0 && said.Type == "" {
		said.Message = g.Words.ParamPrefix + said.Message
	}
	said.Type = cmp.Or(said.Type, g.Words.Type)
	return said.toAnswer()
}

// faultAnswer returns the response for a scripted fault. The fault's code, status and message take precedence.
func (g *Graph) faultAnswer(f sim.Fault, q *sim.Request) sim.Answer {
	const later = "An unexpected error has occurred. Please retry your request later."
	e := map[string]Error{
		sim.Reject: {Code: 100, Message: "Invalid parameter"},
		sim.RateLimited: {
			Status: http.StatusTooManyRequests, Code: g.Words.Throttled, Message: "Request limit reached", Transient: true,
		},
		sim.ServerError:  {Status: http.StatusInternalServerError, Code: 2, Message: later, Transient: true},
		sim.TokenExpired: *g.newTokenErrorOrNil(sim.Token{Number: f.Subcode}, sim.Expired),
		sim.TokenRevoked: *g.newTokenErrorOrNil(sim.Token{Number: f.Subcode}, sim.Revoked),
		sim.NotReadyRace: g.Words.Race,
	}[f.Kind]
	if f.Kind == sim.NotReadyRace && e.Code == 0 {
		e = *NotFound(q.R.Method, path.Base(q.R.URL.Path))
	}
	if f.Code != 0 {
		e.Code, e.Subcode = f.Code, 0
	}
	if d, documented := sim.FindDocumented(g.Errors, f); documented && f.HasCode() {
		e.Status, e.Message = d.Status, d.Message
	}
	e.Subcode = cmp.Or(f.Subcode, e.Subcode)
	e.Status = cmp.Or(f.Status, e.Status)
	if e.Code == 190 && e.Message == "" && e.Subcode != 0 {
		e.Message = "Error validating access token: " + g.endingMessage(sim.Token{}, e.Subcode)
	}
	e.Message = cmp.Or(f.Message, e.Message, fmt.Sprintf("(#%d) Scripted error", e.Code))
	if e.Code == 190 || e.Code == 102 {
		e.Type = g.Words.TokenType
	}
	e.Type = cmp.Or(e.Type, g.Words.Type)
	answer := e.toAnswer()
	if f.RetryAfter > 0 {
		answer.Header = http.Header{"Retry-After": {strconv.Itoa(f.RetryAfter)}}
		g.setUsageHeadersIfAny(q, &answer, 100, (f.RetryAfter+59)/60)
	}
	return answer
}

// setUsageHeadersIfAny adds the API's headers, if it has any, that say how much of its rate limits the app has used, in
// percent, and how many minutes it must wait.
func (g *Graph) setUsageHeadersIfAny(q *sim.Request, a *sim.Answer, percent, waitMinutes int) {
	if g.Words.Usage == "" {
		return
	}
	if a.Header == nil {
		a.Header = http.Header{}
	}
	figures := fmt.Sprintf(`"call_count":%d,"total_cputime":1,"total_time":1`, percent)
	a.Header.Set("X-App-Usage", "{"+figures+"}")
	if q.Account != "" {
		a.Header.Set("X-Business-Use-Case-Usage", fmt.Sprintf(
			`{%q:[{"type":%q,%s,"estimated_time_to_regain_access":%d}]}`, q.Account, g.Words.Usage, figures, waitMinutes,
		))
	}
}
