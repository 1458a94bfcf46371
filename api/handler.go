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
	countedKey = "api.counted"
	prefix     = "/v1" // the version segment of every path (Spec §9)
)

// rateLimitAPIAndReturnErrors is middleware that, before anything else, counts each request to /v1 toward the limit
// of its client address. It refuses requests over the limit (Spec §8), and sets the rate limit headers.
func (a *API) rateLimitAPIAndReturnErrors(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if path := c.Request().URL.Path; path != prefix && !strings.HasPrefix(path, prefix+"/") {
			return next(c)
		}
		if err := a.countRequestAndStoreCaller(c); err != nil {
			return err
		}
		if err := next(c); err != nil {
			return err
		}
		// huma's adapter does not return errors, so handleRequestAndStoreError stores them in c.
		err, _ := c.Get(failureKey).(error)
		return err
	}
}

// handleRequestAndStoreError handles one request and stores its error for rateLimitAPIAndReturnErrors.
func (a *API) handleRequestAndStoreError(c echo.Context, r *route) {
	if err := a.handleRequest(c, r); err != nil {
		c.Set(failureKey, err)
	}
}

// handleRequest handles one request and writes the response. It checks, in the order of decisions.md: the caller, the
// caller's access, whether there is a stored response, and the content of the request.
func (a *API) handleRequest(c echo.Context, r *route) error {
	caller, err := a.getStoredCallerOrFindByCookie(c)
	if err != nil {
		return err
	}
	httpd.AddLogAttrs(c, slog.String("workspace", caller.Workspace().String()),
		slog.String("credential", string(caller.Kind())))
	readBody := newCachedBodyReader(c)
	answer, err := a.cfg.App.RunOperation(c.Request().Context(), r.operation, app.Request{
		Caller: caller, ReplayKey: r.readReplayKeyOrNil(c, readBody),
		Decode: func(into any) error { return r.decodeInput(c, readBody, into) },
	})
	if left := answer.Creations; left != nil {
		limit := a.cfg.LimitCreate
		httpd.AddRateLimitHeaders(c, app.LimitNameCreate, limit.Max, limit.Window, left.Remaining, left.Reset)
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

// readReplayKeyOrNil returns the request's Idempotency-Key and body, or nil if there is no key or the operation is not
// repeatable. It also returns nil if the body cannot be read; decodeInput reports that error after the caller has been
// admitted.
func (r *route) readReplayKeyOrNil(c echo.Context, readBody func() ([]byte, error)) *app.ReplayKey {
	keys := c.Request().Header.Values("Idempotency-Key")
	if !r.operation.Replayable || len(keys) == 0 {
		return nil
	}
	body, err := readBody()
	if err != nil {
		return nil
	}
	// Two headers become a key with a space, which is not valid.
	return &app.ReplayKey{
		Route: r.method + " " + r.path, Key: strings.Join(keys, ", "), ID: c.Param("id"), Body: body, Status: r.status,
	}
}

// decodeInput decodes the path, the query and the body strictly into the operation's input.
func (r *route) decodeInput(c echo.Context, readBody func() ([]byte, error), into any) error {
	if r.idField != nil {
		reflect.ValueOf(into).Elem().FieldByIndex(r.idField).SetString(c.Param("id"))
	}
	if err := r.decodeQuery(c.Request().URL.RawQuery, into); err != nil || r.body == nil {
		return err
	}
	body, err := readBody()
	if err != nil {
		return err
	}
	return r.decodeBody(c.Request().Header.Get("Content-Type"), body, into)
}

// writeJSON writes a response with an encoded body, or without a body for the status 204.
func writeJSON(c echo.Context, status int, body []byte) error {
	if status == http.StatusNoContent {
		return c.NoContent(status)
	}
	return httpd.WriteCompressible(c, status, jsonType, body)
}

// countRequestAndStoreCaller counts the request toward the limit of its client address, looks up its API key, and
// sets the rate limit headers. It stores the key's owner, or why the key is refused, in c for
// getStoredCallerOrFindByCookie. It returns rate_limited, or an error if the database is unavailable; the request is
// then not counted.
func (a *API) countRequestAndStoreCaller(c echo.Context) error {
	address, create := a.cfg.LimitAddress, a.cfg.LimitCreate
	httpd.AddRateLimitPolicyHeader(c, app.LimitNameAddress, address.Max, address.Window)
	httpd.AddRateLimitPolicyHeader(c, app.LimitNameCreate, create.Max, create.Window)
	r := c.Request()
	counted, err := a.cfg.App.CountRequestAndFindCaller(r.Context(), httpd.ClientAddressKey(c), bearerKey(r))
	if err == nil || core.CodeOf(err) == core.CodeRateLimited {
		httpd.AddRateLimitHeaders(c, app.LimitNameAddress, address.Max, address.Window,
			counted.Counted.Remaining, counted.Counted.Reset)
	}
	c.Set(countedKey, counted)
	return err
}

// getStoredCallerOrFindByCookie returns the caller of a request, or unauthenticated. The caller is the owner of the
// key in the Authorization header, whom countRequestAndStoreCaller must have stored, or, without this header, the
// person who is signed in to the dashboard. The dashboard's cookie is accepted only for same-origin requests.
func (a *API) getStoredCallerOrFindByCookie(c echo.Context) (core.Caller, error) {
	r := c.Request()
	if len(r.Header.Values("Authorization")) > 0 {
		counted, _ := c.Get(countedKey).(app.CountedRequest)
		if bearerKey(r) == "" && core.CodeOf(counted.KeyRefused) == core.CodeUnauthenticated {
			return core.Caller{},
				missingKeyError("The Authorization header must be `Bearer`, a space and an API key.")
		}
		return counted.Caller, counted.KeyRefused
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

// missingKeyError returns the error for a request without a key, with the given message.
func missingKeyError(message string) error {
	e := *core.Unauthenticated()
	e.Message = message
	return &e
}

// bearerKey returns the key in the Authorization header, or "" if there is none or more than one.
func bearerKey(r *http.Request) (keyOrEmpty string) {
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
