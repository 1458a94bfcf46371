package youtubesim

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"belfry/internal/network/sim"
)

// apiError is an error of the Data API.
type apiError struct {
	Status                  int
	Domain, Reason, Message string
}

func (e *apiError) Error() string { return e.Message }

// documented are the errors that the simulator returns without a scripted fault, by reason.
var documented = map[string]apiError{
	"authError":               {http.StatusUnauthorized, domainGlobal, "", "Request had invalid authentication credentials."},
	"authorizationRequired":   {http.StatusUnauthorized, domainGlobal, "", "Authorization required"},
	"youtubeSignupRequired":   {http.StatusUnauthorized, "youtube.header", "", "Unauthorized"},
	"insufficientPermissions": {http.StatusForbidden, domainGlobal, "", "Request had insufficient authentication scopes."},
	"accessNotConfigured":     {http.StatusForbidden, domainUsage, "", "The API has not been used in this project."},
	"keyInvalid":              {http.StatusBadRequest, domainUsage, "", "Bad Request"},

	"invalidTitle":            {http.StatusBadRequest, domainVideo, "", invalid + "an invalid or empty video title."},
	"invalidDescription":      {http.StatusBadRequest, domainVideo, "", invalid + "an invalid video description."},
	"invalidTags":             {http.StatusBadRequest, domainVideo, "", invalid + "invalid video keywords."},
	"invalidCategoryId":       {http.StatusBadRequest, domainVideo, "", invalid + "an invalid video category."},
	"invalidRecordingDetails": {http.StatusBadRequest, domainVideo, "", invalid + "invalid recording details."},
	"invalidVideoMetadata":    {http.StatusBadRequest, domainVideo, "", "The request metadata is invalid."},
	"invalidFilename":         {http.StatusBadRequest, domainVideo, "", "The filename in the Slug header is invalid."},
	"mediaBodyRequired":       {http.StatusBadRequest, domainVideo, "", "The request does not include the video content."},
	"forbidden":               {http.StatusForbidden, domainVideo, "", "Forbidden"},
	"forbiddenLicenseSetting": {http.StatusForbidden, domainVideo, "", "The license setting is not allowed."},
	"forbiddenPrivacySetting": {http.StatusForbidden, domainVideo, "", "The privacy setting is not allowed."},
	"uploadLimitExceeded": {
		http.StatusBadRequest, domainVideo, "", "The user has exceeded the number of videos they may upload.",
	},
	"quotaExceeded": {
		http.StatusForbidden, "youtube.quota", "", "The request cannot be completed because you have exceeded your " +
			"<a href=\"/youtube/v3/getting-started#quota\">quota</a>.",
	},
	"rateLimitExceeded":     {http.StatusTooManyRequests, domainUsage, "", "Rate Limit Exceeded"},
	"userRateLimitExceeded": {http.StatusForbidden, domainUsage, "", "User Rate Limit Exceeded"},
	"internalError":         {http.StatusInternalServerError, domainGlobal, "", "Internal error encountered."},
	"backendError":          {http.StatusServiceUnavailable, domainGlobal, "", "Backend Error"},

	"notFound":                   {http.StatusNotFound, domainGlobal, "", "Not Found"},
	"videoNotFound":              {http.StatusNotFound, domainItem, "", "Video not found."},
	"playlistNotFound":           {http.StatusNotFound, domainItem, "", "The playlist cannot be found."},
	"playlistItemsNotAccessible": {http.StatusForbidden, domainItem, "", "The playlist belongs to another channel."},
	"invalidImage":               {http.StatusBadRequest, "youtube.thumbnail", "", "The provided image content is invalid."},
}

const invalid = "The request metadata specifies "

// Domains of errors.
const (
	domainGlobal = "global"
	domainUsage  = "usageLimits"
	domainVideo  = "youtube.video"
	domainItem   = "youtube.playlistItem"
)

// errUploadsExceeded is the error when the project's limit on uploads is reached: a 429 that lasts until the day ends
// in Los Angeles.
var errUploadsExceeded = &apiError{
	http.StatusTooManyRequests, "global", "rateLimitExceeded", "Quota exceeded for quota metric 'Video Uploads' and " +
		"limit 'Video Uploads per day' of service 'youtube.googleapis.com' for consumer 'project_number:123'.",
}

// newDocumentedError returns the documented error with a reason.
func newDocumentedError(reason string) *apiError {
	e, known := documented[reason]
	if !known {
		e = apiError{Status: http.StatusBadRequest, Domain: "global", Message: reason}
	}
	e.Reason = reason
	return &e
}

func badRequest(format string, args ...any) *apiError {
	return &apiError{http.StatusBadRequest, "global", "badRequest", fmt.Sprintf(format, args...)}
}

func errorAnswer(err error) sim.Answer {
	if param, ok := errors.AsType[*sim.ParamError](err); ok {
		err = &apiError{
			http.StatusBadRequest, "youtube.parameter", "unexpectedParameter", "Unexpected parameter " + param.Name,
		}
	}
	e, ok := errors.AsType[*apiError](err)
	if !ok {
		return sim.InternalError(err)
	}
	body := map[string]any{
		"code": e.Status, "message": e.Message,
		"errors": []any{map[string]any{"message": e.Message, "domain": e.Domain, "reason": e.Reason}},
	}
	if status := rpcStatus[e.Reason]; status != "" {
		body["status"] = status
	}
	return sim.Answer{Status: e.Status, Body: map[string]any{"error": body}}
}

var rpcStatus = map[string]string{
	"authError": "UNAUTHENTICATED", "insufficientPermissions": "PERMISSION_DENIED",
	"rateLimitExceeded": "RESOURCE_EXHAUSTED",
}

// faultAnswer returns the response for a scripted fault, in the format of the API or the token endpoint.
func (s *Sim) faultAnswer(f sim.Fault, q *sim.Request) sim.Answer {
	e := map[string]*apiError{
		sim.Reject: newDocumentedError("forbidden"), sim.RateLimited: newDocumentedError("rateLimitExceeded"),
		sim.ServerError: newDocumentedError("backendError"), sim.TokenExpired: newDocumentedError("authError"),
		sim.TokenRevoked: newDocumentedError("authError"),
	}[f.Kind]
	if f.HasCode() {
		e = newDocumentedError(cmp.Or(f.Reason, strconv.Itoa(f.Code)))
	}
	if d, ok := sim.FindDocumented(s.errors, f); ok && f.HasCode() {
		e.Status, e.Message = d.Status, d.Message
	}
	e.Status, e.Message = cmp.Or(f.Status, e.Status), cmp.Or(f.Message, e.Message)
	answer := errorAnswer(e)
	if sim.RequestHost(q.R) == tokenHost {
		answer = tokenFaultAnswer(f, e)
	}
	if f.RetryAfter > 0 {
		answer.Header = http.Header{"Retry-After": {strconv.Itoa(f.RetryAfter)}}
	}
	return answer
}

// tokenFaultAnswer returns the response of the token endpoint for a scripted fault.
func tokenFaultAnswer(f sim.Fault, e *apiError) sim.Answer {
	switch f.Kind {
	case sim.TokenExpired, sim.TokenRevoked, sim.Reject:
		if f.Reason != "" {
			break
		}
		return tokenErrorAnswer(http.StatusBadRequest, "invalid_grant", "Token has been expired or revoked.")
	case sim.ServerError:
		return tokenErrorAnswer(http.StatusInternalServerError, "internal_failure", e.Message)
	}
	return tokenErrorAnswer(e.Status, cmp.Or(f.Reason, e.Reason), e.Message)
}

func tokenErrorAnswer(status int, code, description string) sim.Answer {
	return sim.Answer{Status: status, Body: map[string]any{"error": code, "error_description": description}}
}
