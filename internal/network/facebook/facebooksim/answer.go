package facebooksim

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"

	"belfry/internal/network/sim"
)

const (
	oauthError  = "OAuthException"
	methodError = "GraphMethodException"
)

// Versions the network serves: v20.0 ended on 2026-09-24, v26.0 is the newest.
const (
	oldestVersion = 21
	newestVersion = 26
)

var versions = regexp.MustCompile(`^v([0-9]{1,3})\.0$`)

// versionProblem says why a version in a path is not served; empty means it is.
func versionProblem(version string) string {
	m := versions.FindStringSubmatch(version)
	if m == nil {
		return "(#2635) You are calling without a version of the Graph API. Please use vNN.0."
	}
	n, err := strconv.Atoi(m[1])
	switch {
	case err != nil || n > newestVersion:
		return "(#2635) Unknown version " + version + " of the Graph API."
	case n < oldestVersion:
		return fmt.Sprintf(
			"(#2635) You are calling a deprecated version of the Graph API. Please update to the latest version: v%d.0.",
			newestVersion,
		)
	}
	return ""
}

func graphError(code, subcode int, message string) sim.Answer {
	return sim.GraphError{Code: code, Subcode: subcode, Type: oauthError, Message: message}.Answer()
}

// badParameter is the answer to a parameter that the call does not have.
func badParameter(message string) sim.Answer { return graphError(100, 0, "(#100) "+message) }

func notFoundError(method, id string) sim.Answer {
	verb := map[string]string{http.MethodGet: "get", http.MethodPost: "post", http.MethodDelete: "delete"}[method]
	return sim.GraphError{
		Code: 100, Subcode: 33, Type: methodError,
		Message: fmt.Sprintf("Unsupported %s request. Object with ID '%s' does not exist, cannot be loaded due to "+
			"missing permissions, or does not support this operation", verb, id),
	}.Answer()
}

func noPermission(code int, message string) sim.Answer {
	return sim.GraphError{Status: http.StatusForbidden, Code: code, Type: oauthError, Message: message}.Answer()
}

func missingScope(scope string) sim.Answer {
	return noPermission(10, "(#10) This endpoint requires the '"+scope+"' permission")
}

// faultAnswer is the network's answer for a scripted fault. Code, status and message of the script take precedence.
func faultAnswer(f sim.Fault, owner string) sim.Answer {
	e := map[string]sim.GraphError{
		sim.Reject: {Code: 100, Message: "(#100) Invalid parameter"},
		sim.RateLimited: {
			Status: http.StatusTooManyRequests, Code: 32, Message: "(#32) Page request limit reached", Transient: true,
		},
		sim.ServerError: {
			Status: http.StatusInternalServerError, Code: 2,
			Message: "An unexpected error has occurred. Please retry your request later.", Transient: true,
		},
		sim.TokenExpired: {Code: 190, Subcode: 463, Message: endings[463]},
		sim.TokenRevoked: {Code: 190, Subcode: 458, Message: endings[458]},
	}[f.Kind]
	e.Type = oauthError
	e = e.Scripted(f)
	if text, ok := endings[e.Subcode]; ok && e.Code == 190 && f.Message == "" {
		e.Message = text
	}
	if f.RetryAfter > 0 {
		minutes := (f.RetryAfter + 59) / 60
		e.Header.Set("X-App-Usage", appUsage(100))
		if owner != "" {
			e.Header.Set("X-Business-Use-Case-Usage", businessUsage(owner, 100, minutes))
		}
	}
	return e.Answer()
}

func appUsage(percent int) string {
	return fmt.Sprintf(`{"call_count":%d,"total_cputime":1,"total_time":1}`, percent)
}

func businessUsage(owner string, percent, minutes int) string {
	return fmt.Sprintf(`{"%s":[{"type":"pages","call_count":%d,"total_cputime":1,"total_time":1,"estimated_time_to_regain_access":%d}]}`,
		owner, percent, minutes)
}

// endings are the words for a token that no longer works, by subcode.
var endings = map[int]string{
	458: "Error validating access token: The user has not authorized application.",
	459: "Error validating access token: You cannot access the app till you log in to www.facebook.com and follow the instructions given.",
	460: "Error validating access token: The session has been invalidated because the user changed their password or Facebook has changed the session for security reasons.",
	463: "Error validating access token: Session has expired.",
	464: "Error validating access token: Sessions for the user are not allowed because the user is not a confirmed user.",
	467: "Error validating access token: The session is invalid because the user logged out.",
	492: "Error validating access token: The user does not have sufficient role on the Page of this token.",
}
