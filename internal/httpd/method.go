package httpd

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"belfry/internal/core"
)

func unknownAddressError() *core.Error {
	return core.Fail(core.CodeNotFound, "There is no page or route at this address.").WithHint("Check the path.")
}

// addHintToRoutingError replaces the router's error for a request without a route with one that has a hint, such as the
// allowed methods. It returns other errors unchanged.
func (s *Server) addHintToRoutingError(c echo.Context, err error) error {
	r := c.Request()
	switch {
	case errors.Is(err, echo.ErrMethodNotAllowed):
		return core.Fail(core.CodeMethodNotAllowed, "This address does not support %s.", r.Method).WithHint("Use %s.",
			formatAllowedMethods(c.Response().Header().Get("Allow")))
	case !errors.Is(err, echo.ErrNotFound) || !isAPIRequest(r):
		return err
	case strings.HasSuffix(r.URL.Path, "/") && s.hasRouteForAnyMethod(r, strings.TrimRight(r.URL.Path, "/")):
		return unknownAddressError().WithHint("Remove the slash at the end of the path.")
	}
	return unknownAddressError().WithHint("Check the path. /docs/api lists all routes.")
}

// formatAllowedMethods returns the methods of an Allow header without HEAD and OPTIONS, sorted.
func formatAllowedMethods(allowHeader string) string {
	methods := slices.DeleteFunc(strings.Split(allowHeader, ", "),
		func(m string) bool { return m == http.MethodHead || m == http.MethodOptions })
	slices.Sort(methods)
	return strings.Join(methods, ", ")
}

// hasRouteForAnyMethod reports whether any method has a route at the path.
func (s *Server) hasRouteForAnyMethod(r *http.Request, path string) bool {
	at := *r.URL
	at.Path, at.RawPath = path, ""
	other := *r
	other.URL = &at
	return len(s.allowedMethods(&other)) > 0
}

// replaceNotFoundByMethodNotAllowed returns a method-not-allowed error and sets the Allow header if the path supports
// other methods: below a group with middleware, echo returns 404 instead (decisions.md, Shape of the API). It returns
// other errors unchanged.
func (s *Server) replaceNotFoundByMethodNotAllowed(c echo.Context, err error) error {
	if !errors.Is(err, echo.ErrNotFound) {
		return err
	}
	methods := s.allowedMethods(c.Request())
	if len(methods) == 0 || slices.Contains(methods, c.Request().Method) { // or the handler itself returned the error
		return err
	}
	c.Response().Header().Set("Allow", strings.Join(append(methods, http.MethodOptions), ", "))
	return echo.ErrMethodNotAllowed
}

// allowedMethods returns the methods with a route at the request's path.
func (s *Server) allowedMethods(r *http.Request) []string {
	routes := map[string]bool{}
	for _, route := range s.Echo.Routes() {
		routes[route.Method+" "+route.Path] = true
	}
	var found []string
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		c := s.Echo.NewContext(r, nil)
		s.Echo.Router().Find(method, echo.GetPath(r), c)
		if routes[method+" "+c.Path()] {
			found = append(found, method)
		}
	}
	return found
}
