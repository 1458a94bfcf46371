package httpd

import (
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"belfry/internal/core"
)

const (
	cspAPI  = "default-src 'none'; frame-ancestors 'none'"
	cspPage = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'%; media-src 'self'%; " +
		"connect-src 'self'; font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)

// setDefaultHeaders returns middleware that sets the default headers of every response (security.md 4.5). Handlers can
// replace them, for example to let browsers cache static files or to sandbox media files.
func (s *Server) setDefaultHeaders() echo.MiddlewareFunc {
	media := ""
	if u := s.cfg.MediaURL; u != nil && originOf(u) != originOf(s.cfg.PublicURL) {
		media = " " + originOf(u)
	}
	page := http.Header{}
	for name, value := range map[string]string{
		"Content-Security-Policy":      strings.ReplaceAll(cspPage, "%", media),
		"X-Content-Type-Options":       "nosniff",
		"X-Frame-Options":              "DENY",
		"Referrer-Policy":              "same-origin",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Cache-Control":                "no-store",
	} {
		page.Set(name, value)
	}
	if s.cfg.PublicURL.Scheme == "https" {
		page.Set("Strict-Transport-Security", "max-age=31536000; includeSubDomains")
	}
	api := page.Clone()
	api.Set("Content-Security-Policy", cspAPI)
	if s.cfg.Sandbox {
		api.Set("Belfry-Sandbox", "true")
	}
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			defaults := page
			if isAPIRequest(c.Request()) {
				defaults = api
			}
			maps.Copy(c.Response().Header(), defaults)
			return next(c)
		}
	}
}

// redirectToPublicLoopbackHost is middleware that redirects a browser to the public name if it opened a page under
// another loopback name, such as 127.0.0.1 for localhost. Cookies and callback addresses work only with one name. It
// does not redirect programs.
func (s *Server) redirectToPublicLoopbackHost(next echo.HandlerFunc) echo.HandlerFunc {
	public := s.cfg.PublicURL
	if !core.IsLoopback(public.Host) {
		return next
	}
	return func(c echo.Context) error {
		r := c.Request()
		if !isPageRead(r) {
			return next(c)
		}
		asked := url.URL{Scheme: public.Scheme, Host: strings.ToLower(r.Host)}
		// A local proxy listens on another port and may change the host name. Redirecting its requests would never end.
		if strings.EqualFold(asked.Hostname(), public.Hostname()) || !core.IsLoopback(asked.Host) ||
			portOf(&asked) != portOf(public) {
			return next(c)
		}
		to := url.URL{
			Scheme: public.Scheme, Host: public.Host, Path: r.URL.Path, RawPath: r.URL.RawPath,
			RawQuery: r.URL.RawQuery,
		}
		return c.Redirect(http.StatusTemporaryRedirect, to.String())
	}
}

// isPageRead reports whether a browser requests a page with GET or HEAD.
func isPageRead(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && !isAPIRequest(r) &&
		strings.Contains(r.Header.Get("Accept"), "text/html")
}

// portOf returns the port of a URL, or the default port of its scheme.
func portOf(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if u.Scheme == "https" {
		return "443"
	}
	return "80"
}

// originOf returns the origin of a URL as browsers write it: in lowercase and without the scheme's default port.
func originOf(u *url.URL) string {
	host := strings.ToLower(u.Hostname())
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if p := u.Port(); p != "" && portOf(&url.URL{Scheme: u.Scheme}) != p {
		host = net.JoinHostPort(strings.Trim(host, "[]"), p)
	}
	return u.Scheme + "://" + host
}
