package api

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"belfry/internal/app"
	"belfry/internal/core"
)

// findCaller returns the caller of a request: the owner of the key in the Authorization header or, without this
// header, the person who is signed in to the dashboard. The cookie is accepted only for the dashboard's own requests.
func (a *API) findCaller(c echo.Context) (core.Caller, error) {
	r := c.Request()
	if len(r.Header.Values("Authorization")) > 0 {
		arrival, _ := c.Get(arrivalKey).(app.Arrival)
		if bearerKey(r) == "" && core.CodeOf(arrival.Refused) == core.CodeUnauthenticated {
			return core.Caller{},
				missingKeyError("The Authorization header is not `Bearer`, a space and a key.")
		}
		return arrival.Caller, arrival.Refused
	}
	if a.cfg.Session == nil || a.cfg.SameOrigin(r) != nil {
		return core.Caller{}, missingKeyError("The request has no Authorization header.")
	}
	caller, err := a.cfg.Session(r)
	if err == nil && caller.IsZero() {
		err = missingKeyError("The request has no Authorization header.")
	}
	return caller, err
}

// missingKeyError returns the error for a request without a key; a request with an unknown key gets another one.
func missingKeyError(message string) error {
	e := *core.Unauthenticated()
	e.Message = message
	return &e
}

// bearerKey returns the key in the Authorization header, or "" if there is none or more than one.
func bearerKey(r *http.Request) string {
	given := r.Header.Values("Authorization")
	if len(given) != 1 {
		return ""
	}
	scheme, key, _ := strings.Cut(given[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.Trim(key, " ")
}
