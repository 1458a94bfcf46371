package httpd

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"belfry/internal/core"
)

// SameOriginWrites refuses writes that another site makes a browser send, and those whose origin is unknown
// (security.md 4.6). It is for all routes that use a cookie, including sign-in.
func (s *Server) SameOriginWrites(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if err := s.sameOriginWrite(c.Request()); err != nil {
			return err
		}
		return next(c)
	}
}

// SameOrigin returns an error unless the request certainly comes from our own pages. It is for routes that other
// sites must not even read through a browser: those of /v1 when they are called with a cookie.
func (s *Server) SameOrigin(r *http.Request) error {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "cross-site", "same-site":
		return crossSiteError()
	}
	// A browser without Sec-Fetch-Site sends an Origin with the reads of another site's scripts, which
	// Check lets through as harmless.
	if isSafe(r.Method) && r.Header.Get("Origin") != "" {
		r = r.WithContext(r.Context())
		r.Method = http.MethodPost
	}
	return s.sameOriginWrite(r)
}

func (s *Server) sameOriginWrite(r *http.Request) error {
	if err := s.origin.Check(r); err != nil {
		return crossSiteError().Because(err)
	}
	// Check lets these through for the sake of programs; ours come with a key instead of a cookie.
	if !isSafe(r.Method) && r.Header.Get("Sec-Fetch-Site") == "" && r.Header.Get("Origin") == "" {
		return crossSiteError()
	}
	return nil
}

func isSafe(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

func crossSiteError() *core.Error {
	return core.Fail(core.CodeInsufficientScope, "This request came from another site.").
		WithHint("Reload the page and try again. Programs must send an API key instead of a cookie.")
}
