package api

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"belfry/internal/app"
	"belfry/internal/core"
)

// caller tells who asks: the key of the Authorization header, or without such a header the person who is
// signed in to the dashboard, whose cookie counts for the dashboard's own requests only.
func (a *API) caller(c echo.Context) (core.Caller, error) {
	r := c.Request()
	if len(r.Header.Values("Authorization")) > 0 {
		arrival, _ := c.Get(arrivalKey).(app.Arrival)
		if bearer(r) == "" && core.CodeOf(arrival.Refused) == core.CodeUnauthenticated {
			return core.Caller{}, noKey("The Authorization header does not consist of the word Bearer, a space and a key.")
		}
		return arrival.Caller, arrival.Refused
	}
	if a.cfg.Session == nil || a.cfg.SameOrigin(r) != nil {
		return core.Caller{}, noKey("The request has no Authorization header.")
	}
	caller, ok, err := a.cfg.Session(r)
	if err != nil {
		return core.Caller{}, err
	}
	if !ok {
		return core.Caller{}, noKey("The request has no Authorization header.")
	}
	return caller, nil
}

// noKey tells a request that brings no key from one whose key is not known, which is all that may be told.
func noKey(message string) error {
	e := *core.Unauthenticated()
	e.Message = message
	return &e
}

// bearer is the key of the Authorization header; "" when there is none, or more than one.
func bearer(r *http.Request) string {
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
