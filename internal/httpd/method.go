package httpd

import (
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
)

// wrongMethod mends the router's answer for a path that takes other methods: below a group with
// middleware, echo says 404 where it should say 405 with Allow (decisions.md, Shape of the API).
func (s *Server) wrongMethod(c echo.Context, err error) error {
	if !errors.Is(err, echo.ErrNotFound) {
		return err
	}
	methods := s.methods(c.Request())
	for _, method := range methods {
		if method == c.Request().Method {
			return err // the handler itself said so
		}
	}
	if len(methods) == 0 {
		return err
	}
	c.Response().Header().Set("Allow", strings.Join(append(methods, http.MethodOptions), ", "))
	return echo.ErrMethodNotAllowed
}

// methods lists those for which a route stands at a request's path.
func (s *Server) methods(r *http.Request) []string {
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
