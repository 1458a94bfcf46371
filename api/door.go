package api

import (
	"log/slog"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/httpd"
)

const (
	failureKey = "api.failure"
	arrivalKey = "api.arrival"
	prefix     = "/v1" // the version segment of every path (Spec §9)

	limitAddress = "address"
	limitCreate  = "post-create"
)

// count takes every request of /v1 off the limit of its client's address before anything else is asked
// (Spec §8), tells the client how it stands, and hands on the error of what follows.
func (a *API) count(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if path := c.Request().URL.Path; path != prefix && !strings.HasPrefix(path, prefix+"/") {
			return next(c)
		}
		if err := a.countAddress(c); err != nil {
			return err
		}
		if err := next(c); err != nil {
			return err
		}
		// huma's adapter returns nothing, so a handler leaves its error here.
		err, _ := c.Get(failureKey).(error)
		return err
	}
}

// serve answers one request.
func (a *API) serve(c echo.Context, r *route) {
	if err := a.answer(c, r); err != nil {
		c.Set(failureKey, err)
	}
}

// answer keeps the order of decisions.md, Order of checks: who calls, what they may, whether the answer
// is there already, and only then what they say.
func (a *API) answer(c echo.Context, r *route) error {
	caller, err := a.caller(c)
	if err != nil {
		return err
	}
	httpd.AddLogAttrs(c, slog.String("workspace", caller.Workspace().String()), slog.String("credential", string(caller.Kind())))
	claim, malformed := r.claim(c)
	admitted, err := a.cfg.App.Admit(c.Request().Context(), caller, r.need(claim))
	if admitted.Create != nil {
		a.tellCreate(c, *admitted.Create)
	}
	switch {
	case err != nil:
		return err
	case admitted.Replayed:
		c.Response().Header().Set("Idempotency-Replayed", "true")
		return write(c, admitted.Status, admitted.Body)
	case malformed != nil:
		return malformed
	case claim != nil:
		return a.once(c, r, caller, claim)
	}
	answer, err := a.perform(c, r, caller, nil)
	if err != nil {
		return err
	}
	return write(c, r.status, answer)
}

// perform decodes the request, calls the verb and encodes its answer.
func (a *API) perform(c echo.Context, r *route, caller core.Caller, claim *contract.Replay) ([]byte, error) {
	req := request{caller: caller, claim: claim, decode: func(in any) error { return r.decode(c, in) }}
	if r.action.byID {
		req.id = c.Param("id")
	}
	if r.needs.session {
		req.session = a.cfg.SessionID(c.Request())
	}
	out, err := r.action.run(c.Request().Context(), a.cfg.App, req)
	if err != nil || out == nil {
		return nil, err
	}
	return contract.Encode(out)
}

// decode reads what the route takes into in.
func (r *route) decode(c echo.Context, in any) error {
	if err := decodeQuery(c.Request().URL.RawQuery, r.parameters, in); err != nil || r.shape == nil {
		return err
	}
	return r.decodeBody(c, in)
}

func write(c echo.Context, status int, body []byte) error {
	if status == http.StatusNoContent {
		return c.NoContent(status)
	}
	return c.Blob(status, jsonType, body)
}

// countAddress takes the request off its address's limit and writes the headers that every answer of /v1
// carries. While the database is away nothing can be counted and only the policies are told.
func (a *API) countAddress(c echo.Context) error {
	address, create := a.cfg.LimitAddress, a.cfg.LimitCreate
	httpd.SetPolicy(c, limitAddress, address.Max, address.Window)
	httpd.SetPolicy(c, limitCreate, create.Max, create.Window)
	arrival, err := a.cfg.App.Arrive(c.Request().Context(), httpd.AddressKey(c), bearer(c.Request()))
	if err == nil || core.CodeOf(err) == core.CodeRateLimited {
		httpd.SetLimit(c, limitAddress, address.Max, address.Window, arrival.Counted.Remaining, arrival.Counted.Reset)
	}
	c.Set(arrivalKey, arrival)
	return err
}

func (a *API) tellCreate(c echo.Context, counted app.Counted) {
	httpd.SetLimit(c, limitCreate, a.cfg.LimitCreate.Max, a.cfg.LimitCreate.Window, counted.Remaining, counted.Reset)
}
