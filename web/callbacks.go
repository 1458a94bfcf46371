package web

import (
	"io"
	"net/http"

	"github.com/labstack/echo/v4"

	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/internal/network"
	"belfry/views/auth"
	"belfry/views/link"
)

// callbackLimit is the maximum size in bytes of a network's callback.
const callbackLimit = 64 << 10

// mountEventCallbacks adds the routes that networks call. These routes require neither a session nor the same origin.
func (w *Web) mountEventCallbacks(e *echo.Echo) {
	e.POST(link.EventCallback(id, ":event"), w.receiveEventCallback, httpd.LimitBody(callbackLimit))
}

// receiveEventCallback passes a network's callback about an event, such as the end of a person's consent, to the app.
// It responds with 404 if the network has not signed the callback.
func (w *Web) receiveEventCallback(c echo.Context) error {
	ctx := c.Request().Context()
	if err := w.cfg.App.ThrottlePageRequest(ctx, httpd.ClientAddressKey(c)); err != nil {
		return err
	}
	body, err := io.ReadAll(c.Request().Body)
	if err != nil {
		return err
	}
	answer, err := w.cfg.App.VerifyCallbackAndUpdateAccounts(ctx, c.Param(id[1:]), network.Callback{
		Event: c.Param("event"), Header: c.Request().Header, Body: body,
	})
	if core.CodeOf(err) == core.CodeNotFound {
		w.cfg.Log.InfoContext(ctx, "refused a callback without a valid signature", "network", c.Param(id[1:]),
			"request_id", httpd.RequestID(ctx))
		return c.NoContent(http.StatusNotFound)
	}
	if err != nil {
		return err
	}
	if answer.Code == "" {
		return c.NoContent(http.StatusOK)
	}
	return c.JSON(http.StatusOK, map[string]string{"url": answer.StatusURL, "confirmation_code": answer.Code})
}

// showErasureStatus shows whether a person's data has been deleted. Anyone with the code may see it.
func (r *request) showErasureStatus() error {
	m := auth.ErasureModel{Frame: r.newSignedOutFrame("Deletion of data"), Code: r.echo.Param("token")}
	status, err := r.web.cfg.App.GetErasureStatus(r.context(), m.Code)
	if err != nil {
		return err
	}
	m.AskedAt, m.DoneAt = status.AskedAt, status.DoneAt
	return r.render(http.StatusOK, auth.Erasure(m), nil)
}
