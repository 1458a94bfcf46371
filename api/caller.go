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
		return arrival.Caller, arrival.Refused
	}
	if a.cfg.Session == nil || a.cfg.SameOrigin(r) != nil {
		return core.Caller{}, core.Unauthenticated()
	}
	caller, ok, err := a.cfg.Session(r)
	if err != nil {
		return core.Caller{}, err
	}
	if !ok {
		return core.Caller{}, core.Unauthenticated()
	}
	return caller, nil
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
