package web

import (
	"net/http"

	"belfry/internal/app"
	"belfry/internal/httpd"
)

// deviceCookie is a cookie that outlives sessions. It says that a browser has been signed in with before and gives
// access to nothing.
func (s *sessions) deviceCookie(value string) *http.Cookie {
	session := s.manager.Cookie
	return &http.Cookie{ //nolint:gosec // Secure and SameSite are those of the session's cookie
		Name: session.Name + "-device", Value: value, Path: session.Path, MaxAge: int(app.DeviceLifetime.Seconds()),
		Secure: session.Secure, HttpOnly: true, SameSite: session.SameSite,
	}
}

// visitor is the browser that sends the request.
func (r *request) visitor() app.Visitor {
	from := app.Visitor{AddressKey: httpd.AddressKey(r.echo)}
	if cookie, err := r.echo.Request().Cookie(r.web.sessions.deviceCookie("").Name); err == nil {
		from.Device = cookie.Value
	}
	return from
}

// beginSession signs the person in on this browser.
func (r *request) beginSession(in app.SignedIn) error {
	if err := r.web.sessions.begin(r.context(), in); err != nil {
		return err
	}
	r.sessionChanged = true
	r.echo.SetCookie(r.web.sessions.deviceCookie(in.Device))
	return nil
}
