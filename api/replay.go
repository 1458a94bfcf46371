package api

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
)

// keepTimeout bounds how long an answer is kept after its client may have gone.
const keepTimeout = 10 * time.Second

// claim reads the Idempotency-Key of a route that takes one, and the body that it stands for; nil when
// there is no key. What is wrong with the body is told after the caller has been admitted.
func (r *route) claim(c echo.Context) (*contract.Replay, error) {
	keys := c.Request().Header.Values("Idempotency-Key")
	if !r.needs.repeats || len(keys) == 0 {
		return nil, nil //nolint:nilnil // no key is no claim
	}
	body, err := readBody(c)
	if err != nil {
		return nil, err
	}
	// Two headers make one key that no client may send, as a list with a space in it.
	return &contract.Replay{Route: r.method + " " + r.path, Key: strings.Join(keys, ", "), Body: body, Status: r.status}, nil
}

// need is what Admit is asked for the route.
func (r *route) need(claim *contract.Replay) app.Need {
	return app.Need{Scope: r.needs.scope, Session: r.needs.session, Manages: r.needs.manages, Create: r.needs.creates, Replay: claim}
}

// once answers the first request with its key. The verb keeps a success for the next one, a refusal frees
// the key for a mended body. After an end of which nobody can say what it left behind, such as a connection
// lost at the commit, the next request with the key finds what was committed.
func (a *API) once(c echo.Context, r *route, caller core.Caller, claim *contract.Replay) error {
	// The client may hang up at any moment; the next request with its key must still find the truth.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Request().Context()), keepTimeout)
	defer cancel()
	answer, err := a.perform(c, r, caller, claim)
	if refused(err) {
		if err := a.cfg.App.Forget(ctx, caller, *claim); err != nil {
			a.cfg.Log.ErrorContext(ctx, "idempotency key not freed", slog.Any("error", err))
		}
	}
	if err != nil {
		return err
	}
	return write(c, r.status, answer)
}

// refused tells whether an error is an answer to the caller: the verb said no and changed nothing.
func refused(err error) bool {
	var known *core.Error
	return errors.As(err, &known) && known.Code != core.CodeInternal && known.Code != core.CodeUnavailable
}
