package tiktoksim

import (
	"cmp"
	"errors"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"time"

	"belfry/internal/network/sim"
)

// apiError is an error in the API's envelope.
type apiError struct {
	status     int
	code, text string
}

func (e *apiError) Error() string { return e.text }

const guidelines = "Please review our integration guidelines at https://developers.tiktok.com/doc/content-sharing-guidelines/"

// statusOfCode is the HTTP status of each documented code that is not a bad request.
var statusOfCode = map[string]int{
	"access_token_invalid": http.StatusUnauthorized, "scope_not_authorized": http.StatusUnauthorized,
	"spam_risk_too_many_posts": http.StatusForbidden, "spam_risk_user_banned_from_posting": http.StatusForbidden,
	"spam_risk_too_many_pending_share": http.StatusForbidden, "reached_active_user_cap": http.StatusForbidden,
	"unaudited_client_can_only_post_to_private_accounts": http.StatusForbidden,
	"url_ownership_unverified":                           http.StatusForbidden, "privacy_level_option_mismatch": http.StatusForbidden,
	"rate_limit_exceeded": http.StatusTooManyRequests, "internal_error": http.StatusInternalServerError,
}

// newCodedError returns the error with a code and its documented status.
func newCodedError(code, text string) *apiError {
	return &apiError{cmp.Or(statusOfCode[code], http.StatusBadRequest), code, text}
}

func newInvalidParamError(text string) error { return newCodedError("invalid_params", text) }

func newLogID() string { return sim.RandomDigits("2026", 33) }

// successBody returns the body of a successful response.
func successBody(data any) any {
	return map[string]any{"data": data, "error": map[string]any{"code": "ok", "message": "", "log_id": newLogID()}}
}

// errorAnswer returns the response for an error.
func (s *Sim) errorAnswer(err error) sim.Answer {
	var param *sim.ParamError
	var scope *sim.ScopeError
	var e *apiError
	switch {
	case errors.As(err, &param):
		e = newCodedError("invalid_params", param.Error())
	case errors.As(err, &scope):
		e = newCodedError("scope_not_authorized", "The user did not authorize the scope required for completing this request.")
	case !errors.As(err, &e):
		return sim.InternalError(err)
	}
	return sim.Answer{Status: s.shownStatus(e.status), Body: map[string]any{
		"data": struct{}{}, "error": map[string]any{"code": e.code, "message": e.text, "log_id": newLogID()},
	}}
}

// shownStatus returns the HTTP status of a response: 200 for a refusal if the option says so.
func (s *Sim) shownStatus(status int) int {
	if s.kit.Option(OptOK) == On && status < http.StatusInternalServerError {
		return http.StatusOK
	}
	return status
}

// newScriptedError returns the error for a scripted fault. The fault's code, status and message take precedence.
func (s *Sim) newScriptedError(f sim.Fault) error {
	code := cmp.Or(f.Reason, map[string]string{
		sim.RateLimited: "rate_limit_exceeded", sim.ServerError: "internal_error", sim.TokenExpired: "access_token_invalid",
		sim.TokenRevoked: "access_token_invalid",
	}[f.Kind], "invalid_params")
	d, _ := sim.FindDocumented(s.errors, sim.Fault{Reason: code})
	e := newCodedError(code, cmp.Or(f.Message, d.Message, "The request failed: "+code))
	e.status = cmp.Or(f.Status, d.Status, e.status)
	return e
}

func (s *Sim) withRetryAfter(f sim.Fault, a sim.Answer) sim.Answer {
	if f.RetryAfter > 0 {
		a.Header = http.Header{"Retry-After": {strconv.Itoa(f.RetryAfter)}}
	}
	return a
}

func (s *Sim) serveAPI(w http.ResponseWriter, r *http.Request) {
	q, route, err := s.readAndAuthenticateCall(w, r)
	if err != nil {
		s.kit.SendAnswer(w, r, s.errorAnswer(err))
		return
	}
	s.api.ServeCall(r.Context(), q, route)
}

// readAndAuthenticateCall reads and authenticates a call, and returns its route.
func (s *Sim) readAndAuthenticateCall(w http.ResponseWriter, r *http.Request) (*sim.Request, sim.Route, error) {
	isJSON := r.Header.Get("Content-Type") == "application/json; charset=UTF-8"
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); r.Method == http.MethodPost && (!isJSON || kind == "") {
		return nil, sim.Route{}, newInvalidParamError("the content type must be application/json; charset=UTF-8")
	}
	inHeader := r.Header.Get("Authorization") != ""
	q, err := sim.ReadCall(w, r, true)
	if err != nil {
		return nil, sim.Route{}, newInvalidParamError(err.Error())
	}
	t, why := s.oauth.FindToken(q.Bearer)
	if why != "" || t.Kind != sim.AccessToken || !inHeader {
		return nil, sim.Route{}, newCodedError(
			"access_token_invalid", "The access token is invalid or not found in the request.",
		)
	}
	q.Token = t
	route, ok := s.listRoutes()[r.Method+" "+r.URL.Path]
	if !ok {
		return nil, sim.Route{}, &apiError{http.StatusNotFound, "invalid_params", "Unsupported path(" + r.URL.Path + ")"}
	}
	return q, route, nil
}

// listRoutes returns the calls of the API.
func (s *Sim) listRoutes() map[string]sim.Route {
	limited := func(name string, perMinute int, scope string, params []string,
		serve func(*sim.Request) (any, error),
	) sim.Route {
		return sim.Route{
			Names: []string{name}, Scopes: []string{scope}, Params: params, Text: s.callText,
			Serve: func(q *sim.Request) (any, error) {
				if !s.admitCall(q.Token.Text+name, perMinute) {
					return nil, newCodedError("rate_limit_exceeded", "The API rate limit was exceeded. Please try again later.")
				}
				return serve(q)
			},
		}
	}
	return map[string]sim.Route{
		"GET /v2/user/info/":                        limited("profile", 600, scopeBasic, []string{"fields"}, s.readProfile),
		"POST /v2/post/publish/creator_info/query/": limited("creator_info", 20, scopePublish, nil, s.readCreator),
		"POST /v2/post/publish/video/init/": limited(
			"create", 6, scopePublish, []string{"post_info", "source_info"}, s.initVideo,
		),
		"POST /v2/post/publish/content/init/": limited(
			"create", 6, scopePublish, []string{"media_type", "post_mode", "post_info", "source_info"}, s.initPhotos,
		),
		"POST /v2/post/publish/status/fetch/": limited(
			"status", 30, scopePublish, []string{"publish_id"}, s.publishIfReadyAndReadStatus,
		),
		"POST /v2/video/list/":  limited("list", 600, scopeList, []string{"fields", "cursor", "max_count"}, s.listVideos),
		"POST /v2/video/query/": limited("permalink", 600, scopeList, []string{"fields", "filters"}, s.queryVideos),
	}
}

// callText returns the text with which a fault's match is compared.
func (s *Sim) callText(q *sim.Request) string {
	if t := s.tasks.Get(q.Params.Get("publish_id")); t != nil {
		return t.Info.Title
	}
	return q.Params.Get("post_info")
}

// admitCall reports whether a call is within the limit of a moving minute, and counts it if it is.
func (s *Sim) admitCall(key string, perMinute int) (admitted bool) {
	now := s.kit.Now()
	s.recent[key] = slices.DeleteFunc(s.recent[key], func(at time.Time) bool { return now.Sub(at) >= time.Minute })
	if len(s.recent[key]) >= perMinute {
		return false
	}
	s.recent[key] = append(s.recent[key], now)
	return true
}
