package api

import (
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/httpd"
)

// maxRanges is the maximum number of byte ranges of a file in one request (security.md 4.9).
const maxRanges = 5

// serveFile serves a file or its thumbnail at a signed address. It never redirects.
func (a *API) serveFile(c echo.Context) error {
	r := c.Request()
	f, err := a.cfg.App.Intake().AwaitGateAndOpenFile(r.Context(), c.Param("token"))
	if err != nil {
		return err
	}
	defer f.Content.Close()
	h := c.Response().Header()
	h.Set("Content-Type", f.Mime)
	h.Set("Content-Disposition", contentDisposition(f.Mime, f.Name))
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("Cross-Origin-Resource-Policy", "same-site")
	h.Set("Cache-Control", "private, max-age=86400, immutable") // the address expires before its bytes change
	h.Set("Etag", `"`+f.Tag+`"`)
	asked := r.Clone(r.Context())
	asked.Method = httpd.OriginalMethod(r)
	if strings.Count(asked.Header.Get("Range"), ",") >= maxRanges {
		asked.Header.Del("Range") // serves the whole file, as RFC 9110 §14.2 allows
	}
	http.ServeContent(c.Response(), asked, "", f.Modified, httpd.MinRateContent(c, f.Content))
	return nil
}

// serveAvatar serves Belfry's copy of an account's profile picture. Its address changes with the picture.
func (a *API) serveAvatar(c echo.Context) error {
	r := c.Request()
	f, err := a.cfg.App.Intake().OpenAvatar(r.Context(), contract.TrimAvatarExtension(c.Param("file")))
	if err != nil {
		return err
	}
	defer f.Content.Close()
	h := c.Response().Header()
	h.Set("Content-Type", f.Mime)
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("Cross-Origin-Resource-Policy", "same-site")
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Etag", `"`+f.Tag+`"`)
	http.ServeContent(c.Response(), r, "", f.Modified, f.Content)
	return nil
}

// serveVerificationFile serves text that proves to a network who owns the address of the media files.
func (a *API) serveVerificationFile(c echo.Context) error {
	text, ok := a.cfg.VerificationFiles[c.Param("name")]
	if !ok {
		return core.NotFound()
	}
	return c.String(http.StatusOK, text)
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

// answerTime is the time limit for sending a response. Uploads have no time limit as long as bytes keep arriving.
const answerTime = 60 * time.Second

// receiveUpload stores the bytes of a file. The signed address is the only credential (Spec §4, Media).
func (a *API) receiveUpload(c echo.Context) error {
	r := c.Request()
	length := r.ContentLength
	if r.Header.Get("Content-Length") == "" {
		length = -1
	}
	done, err := a.cfg.App.Intake().ReceiveUpload(r.Context(), c.Param("token"), length, httpd.MinRateBody(c))
	return httpd.LiftTimeLimits(answerTime)(func(c echo.Context) error {
		if err != nil {
			return err
		}
		body, err := contract.EncodeJSON(done)
		if err != nil {
			return err
		}
		return c.Blob(http.StatusOK, jsonType, body)
	})(c)
}
