package httpd_test

import (
	"net/http"
	"testing"

	"github.com/labstack/echo/v4"

	"belfry/internal/httpd"
)

func TestWritesFromOtherSitesAreRefused(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t, func(c *httpd.Config) { c.PublicURL = public(t, "https://belfry.example.org:443") })
	s.Echo.Any("/page", ok, s.RequireSameOriginWrites)
	s.Echo.Any("/v1/x", func(c echo.Context) error {
		if err := s.CheckSameOrigin(c.Request()); err != nil {
			return err
		}
		return ok(c)
	})
	const own, other = "https://belfry.example.org", "https://evil.example"
	for _, c := range []struct {
		name, method, site, origin string
		page, api                  int
	}{
		{"a form of ours", "POST", "same-origin", own, 200, 200},
		{"a form of ours in an older browser", "POST", "", own, 200, 200},
		{"typed or from a bookmark", "POST", "none", "", 200, 200},
		{"another site's form", "POST", "cross-site", other, 403, 403},
		{"a sister's form", "POST", "same-site", "https://sister.example.org", 403, 403},
		{"another site in an older browser", "POST", "", other, 403, 403},
		{"a frame without an origin", "POST", "cross-site", "null", 403, 403},
		{"without an origin in an older browser", "POST", "", "null", 403, 403},
		{"neither header", "POST", "", "", 403, 403},
		{"neither header, DELETE", "DELETE", "", "", 403, 403},
		{"neither header, PATCH", "PATCH", "", "", 403, 403},
		{"our name over http", "POST", "", "http://belfry.example.org", 403, 403},
		{"our name at another port", "POST", "", "https://belfry.example.org:8443", 403, 403},
		{"our name as a prefix", "POST", "", "https://belfry.example.org.evil.example", 403, 403},
		{"an unknown word", "POST", "sideways", own, 200, 200},
		{"a link from another site", "GET", "cross-site", "", 200, 403},
		{"a link from a sister", "GET", "same-site", "", 200, 403},
		{"a link of ours", "GET", "same-origin", "", 200, 200},
		{"a bookmark", "GET", "none", "", 200, 200},
		{"another site's read in an older browser", "GET", "", other, 200, 403},
		{"a read without an origin in an older browser", "GET", "", "null", 200, 403},
		{"a read of ours in an older browser", "GET", "", own, 200, 200},
		{"a read with neither header", "GET", "", "", 200, 200},
	} {
		for path, want := range map[string]int{"/page": c.page, "/v1/x": c.api} {
			answer := ask(s, c.method, path, func(r *http.Request) {
				// As behind a proxy that changes the name.
				r.Host = "10.0.0.5:8080"
				if c.site != "" {
					r.Header.Set("Sec-Fetch-Site", c.site)
				}
				if c.origin != "" {
					r.Header.Set("Origin", c.origin)
				}
			})
			if answer.StatusCode != want {
				t.Errorf("%s, %s: %s, want %d", c.name, path, answer.Status, want)
			}
		}
	}
}
