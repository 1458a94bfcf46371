package api

import (
	"mime"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"belfry/internal/httpd"
)

// maxRanges is how many ranges of a file one request may ask for (security.md 4.9).
const maxRanges = 5

// serveFile serves a file or its thumbnail at a signed address. It never redirects, and tells the browser not to
// guess the type.
func (a *API) serveFile(c echo.Context) error {
	r := c.Request()
	f, err := a.cfg.App.Intake().OpenFile(r.Context(), c.Param("token"))
	if err != nil {
		return err
	}
	defer f.Content.Close()
	h := c.Response().Header()
	h.Set("Content-Type", f.Mime)
	h.Set("Content-Disposition", contentDisposition(f.Mime, f.Name))
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("Cross-Origin-Resource-Policy", "same-site")
	h.Set("Cache-Control", "private, max-age=86400, immutable") // the address ends before its bytes change
	h.Set("Etag", `"`+f.Tag+`"`)
	asked := r.Clone(r.Context())
	asked.Method = httpd.MethodOf(r)
	if strings.Count(asked.Header.Get("Range"), ",") >= maxRanges {
		asked.Header.Del("Range") // as RFC 9110 §14.2 allows: all of it is answered
	}
	http.ServeContent(c.Response(), asked, "", f.Modified, httpd.PacedSource(c, f.Content))
	return nil
}

// contentDisposition returns a Content-Disposition header (RFC 6266): inline for images and videos, attachment for
// other files.
func contentDisposition(mimeType, name string) string {
	kind := "attachment"
	if strings.HasPrefix(mimeType, "image/") || strings.HasPrefix(mimeType, "video/") {
		kind = "inline"
	}
	return mime.FormatMediaType(kind, map[string]string{"filename": name})
}
