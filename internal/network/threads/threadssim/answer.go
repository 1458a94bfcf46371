package threadssim

import (
	"fmt"
	"net/http"

	"belfry/internal/network/sim"
)

const (
	apiError   = "THApiException"
	oauthError = "OAuthException"
)

// badParameter is the answer to a parameter that the call does not have.
func badParameter(message string) sim.Answer {
	return sim.GraphError{Code: 100, Type: apiError, Message: message}.Answer()
}

func unknownPath(path string) sim.Answer {
	return sim.GraphError{Code: 2500, Type: oauthError, Message: "Unknown path components: " + path}.Answer()
}

func notFoundError(method, id string) sim.Answer {
	verb := map[string]string{http.MethodGet: "get", http.MethodPost: "post", http.MethodDelete: "delete"}[method]
	return sim.GraphError{
		Code: 100, Subcode: 33, Type: apiError,
		Message: fmt.Sprintf("Unsupported %s request. Object with ID '%s' does not exist, cannot be loaded due to "+
			"missing permissions, or does not support this operation", verb, id),
	}.Answer()
}

func noField(name string) sim.Answer {
	return badParameter(fmt.Sprintf("Tried accessing nonexisting field (%s)", name))
}

func notFound() sim.Answer {
	return sim.GraphError{
		Code: 24, Subcode: 4279009, Type: apiError, Message: "The requested resource does not exist",
		Title:  "Media Not Found",
		Detail: "The media with the given id could not be found.",
	}.Answer()
}

func notReady() sim.Answer {
	return sim.GraphError{
		Code: 9007, Subcode: 2207027, Type: apiError, Message: "Media ID is not available", Title: "Media is not ready",
		Detail: "The media is not ready for publishing, please wait for a moment.",
	}.Answer()
}

func noPermission(scope string) sim.Answer {
	return sim.GraphError{
		Status: http.StatusForbidden, Code: 10, Type: apiError,
		Message: "Application does not have permission for this action: " + scope + " was not granted",
	}.Answer()
}

func badToken(subcode int, message string) sim.Answer {
	return sim.GraphError{
		Status: http.StatusUnauthorized, Code: 190, Subcode: subcode, Type: oauthError,
		Message: "Error validating access token: " + message,
	}.Answer()
}

// faultAnswer is the network's answer for a scripted fault. Code, status and message of the script take precedence.
func faultAnswer(f sim.Fault) sim.Answer {
	e := map[string]sim.GraphError{
		sim.Reject: {Code: 100, Message: "Invalid parameter"},
		sim.RateLimited: {
			Status: http.StatusTooManyRequests, Code: 4, Message: "Application request limit reached", Transient: true,
		},
		sim.ServerError: {
			Status: http.StatusInternalServerError, Code: 2,
			Message: "An unexpected error has occurred. Please retry your request later.", Transient: true,
		},
		sim.TokenExpired: {
			Status: http.StatusUnauthorized, Code: 190, Subcode: subExpired,
			Message: "Error validating access token: Session has expired.",
		},
		sim.TokenRevoked: {
			Status: http.StatusUnauthorized, Code: 190, Subcode: subRemoved,
			Message: "Error validating access token: The user has not authorized application.",
		},
		sim.NotReadyRace: {
			Code: 24, Subcode: 4279009, Message: "The requested resource does not exist", Title: "Media Not Found",
		},
	}[f.Kind]
	e.Type = apiError
	if e.Code == 190 {
		e.Type = oauthError
	}
	return e.Scripted(f).Answer()
}
