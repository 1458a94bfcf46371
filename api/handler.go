package api

import (
	"log/slog"
	"net/http"
	"reflect"
	"strings"

	"github.com/labstack/echo/v4"

	"belfry/internal/app"
	"belfry/internal/core"
	"belfry/internal/httpd"
)

const (
	failureKey = "api.failure"
	arrivalKey = "api.arrival"
	prefix     = "/v1" // the version segment of every path (Spec §9)
)

// countRequests counts each request of /v1 toward the limit of its client address, before anything else (Spec §8),
// and sets the rate limit headers.
func (a *API) countRequests(next echo.HandlerFunc) echo.HandlerFunc {
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

// serveRoute serves one request.
func (a *API) serveRoute(c echo.Context, r *route) {
	if err := a.answerRequest(c, r); err != nil {
		c.Set(failureKey, err)
	}
}

// answerRequest handles a request in the order of decisions.md, Order of checks: the caller, their access, a stored
// response, and then the content of the request.
func (a *API) answerRequest(c echo.Context, r *route) error {
	caller, err := a.findCaller(c)
	if err != nil {
		return err
	}
	httpd.AddLogAttrs(c, slog.String("workspace", caller.Workspace().String()),
		slog.String("credential", string(caller.Kind())))
	read := bodyReader(c)
	answer, err := a.cfg.App.RunOperation(c.Request().Context(), r.operation, app.Request{
		Caller: caller, Replay: r.readReplay(c, read), Decode: func(into any) error { return r.decodeInput(c, read, into) },
	})
	if left := answer.Creations; left != nil {
		limit := a.cfg.LimitCreate
		httpd.SetRateLimit(c, app.LimitNameCreate, limit.Max, limit.Window, left.Remaining, left.Reset)
	}
	if err != nil {
		return err
	}
	if answer.Replayed {
		c.Response().Header().Set("Idempotency-Replayed", "true")
		return writeJSON(c, answer.Status, answer.Body)
	}
	return writeJSON(c, r.status, answer.Body)
}

// readReplay returns the request's Idempotency-Key and body if the operation is repeatable, or nil without a key. It
// ignores errors of the body, which decodeInput reports after the caller has been admitted.
func (r *route) readReplay(c echo.Context, read func() ([]byte, error)) *app.Replay {
	keys := c.Request().Header.Values("Idempotency-Key")
	if !r.operation.Repeatable || len(keys) == 0 {
		return nil
	}
	body, err := read()
	if err != nil {
		return nil
	}
	// Two headers make one key that no client may send, as a list with a space in it.
	return &app.Replay{Route: r.method + " " + r.path, Key: strings.Join(keys, ", "), Body: body, Status: r.status}
}

// decodeInput decodes the path, the query and the body strictly into the operation's input.
func (r *route) decodeInput(c echo.Context, read func() ([]byte, error), into any) error {
	if r.idField != nil {
		reflect.ValueOf(into).Elem().FieldByIndex(r.idField).SetString(c.Param("id"))
	}
	if err := r.decodeQuery(c.Request().URL.RawQuery, into); err != nil || r.body == nil {
		return err
	}
	body, err := read()
	if err != nil {
		return err
	}
	return r.decodeBody(c.Request().Header.Get("Content-Type"), body, into)
}

func writeJSON(c echo.Context, status int, body []byte) error {
	if status == http.StatusNoContent {
		return c.NoContent(status)
	}
	return httpd.WriteCompressible(c, status, jsonType, body)
}

// countAddress counts the request toward the limit of its address, and sets the headers that every response of /v1
// has. If the database is unavailable, it counts nothing and sends only RateLimit-Policy.
func (a *API) countAddress(c echo.Context) error {
	address, create := a.cfg.LimitAddress, a.cfg.LimitCreate
	httpd.SetRateLimitPolicy(c, app.LimitNameAddress, address.Max, address.Window)
	httpd.SetRateLimitPolicy(c, app.LimitNameCreate, create.Max, create.Window)
	arrival, err := a.cfg.App.CountAndAuthenticate(c.Request().Context(), httpd.ClientAddressKey(c), bearerKey(c.Request()))
	if err == nil || core.CodeOf(err) == core.CodeRateLimited {
		httpd.SetRateLimit(c, app.LimitNameAddress, address.Max, address.Window,
			arrival.Counted.Remaining, arrival.Counted.Reset)
	}
	c.Set(arrivalKey, arrival)
	return err
}

// findCaller returns the caller of a request: the owner of the key in the Authorization header or, without this
// header, the person who is signed in to the dashboard. The cookie is accepted only for the dashboard's own requests.
func (a *API) findCaller(c echo.Context) (core.Caller, error) {
	r := c.Request()
	if len(r.Header.Values("Authorization")) > 0 {
		arrival, _ := c.Get(arrivalKey).(app.CountedRequest)
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
