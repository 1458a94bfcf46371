package api

import (
	"strings"

	"github.com/labstack/echo/v4"

	"belfry/internal/core"
)

// caller tells who asks: the key of the Authorization header, or without such a header the person who is
// signed in to the dashboard, whose cookie counts for the dashboard's own requests only.
func (a *API) caller(c echo.Context) (core.Caller, error) {
	r := c.Request()
	if given := r.Header.Values("Authorization"); len(given) > 0 {
		scheme, key, _ := strings.Cut(given[0], " ")
		if key = strings.Trim(key, " "); len(given) > 1 || !strings.EqualFold(scheme, "Bearer") || key == "" {
			return core.Caller{}, core.Unauthenticated()
		}
		return a.cfg.App.Authenticate(r.Context(), key)
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
