package httpd

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"belfry/internal/core"
)

// RequireSameOriginWrites is middleware that refuses writes that come from another site or from an unknown origin
// (security.md 4.6). All routes that use a cookie need it, including sign-in.
func (s *Server) RequireSameOriginWrites(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if err := s.checkSameOriginIfWrite(c.Request()); err != nil {
			return err
		}
		return next(c)
	}
}

// CheckSameOrigin returns an error unless the request comes from our own pages. Unlike RequireSameOriginWrites, it also
// checks reads, but accepts a read with neither Sec-Fetch-Site nor Origin. The API needs it for requests with a cookie.
func (s *Server) CheckSameOrigin(r *http.Request) error {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "cross-site", "same-site":
		return crossSiteError()
	}
	// A browser without Sec-Fetch-Site sends an Origin when a script of another site reads. CrossOriginProtection
	// accepts all reads, so the request is checked as if it were a write.
	if isSafeMethod(r.Method) && r.Header.Get("Origin") != "" {
		r = r.WithContext(r.Context())
		r.Method = http.MethodPost
	}
	return s.checkSameOriginIfWrite(r)
}

// checkSameOriginIfWrite returns an error if a write does not come from our own pages. It accepts all reads.
func (s *Server) checkSameOriginIfWrite(r *http.Request) error {
	if err := s.origin.Check(r); err != nil {
		return crossSiteError().WithCause(err)
	}
	// CrossOriginProtection accepts requests with neither header, because programs send them. Programs that call Belfry
	// send an API key instead of a cookie.
	if !isSafeMethod(r.Method) && r.Header.Get("Sec-Fetch-Site") == "" && r.Header.Get("Origin") == "" {
		return crossSiteError()
	}
	return nil
}

func isSafeMethod(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

func crossSiteError() *core.Error {
	return core.Fail(core.CodeInsufficientScope, "This request did not come from this site.").
		WithHint("Reload the page and try again. Programs must send an API key instead of a cookie.")
}
