package httpd

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"belfry/internal/core"
)

func nowhere() *core.Error {
	return core.Fail(core.CodeNotFound, "There is nothing at this address.").WithHint("Check the path.")
}

// unrouted says of a request that no route takes what would take it.
func (s *Server) unrouted(c echo.Context, err error) error {
	r := c.Request()
	switch {
	case errors.Is(err, echo.ErrMethodNotAllowed):
		return core.Fail(core.CodeMethodNotAllowed, "This address does not take %s.", r.Method).WithHint("It takes %s.", acting(c.Response().Header().Get("Allow")))
	case !errors.Is(err, echo.ErrNotFound) || !isAPI(r):
		return err
	case strings.HasSuffix(r.URL.Path, "/") && s.takesAny(r, strings.TrimRight(r.URL.Path, "/")):
		return nowhere().WithHint("Leave out the slash at its end.")
	}
	return nowhere().WithHint("Check the path; /docs/api lists those that there are.")
}

// acting are the methods of an Allow header without those that every address has.
func acting(allow string) string {
	methods := slices.DeleteFunc(strings.Split(allow, ", "), func(m string) bool { return m == http.MethodHead || m == http.MethodOptions })
	slices.Sort(methods)
	return strings.Join(methods, ", ")
}

func (s *Server) takesAny(r *http.Request, path string) bool {
	at := *r.URL
	at.Path, at.RawPath = path, ""
	other := *r
	other.URL = &at
	return len(s.methods(&other)) > 0
}

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
