package httpd

import (
	"bytes"
	"compress/gzip"
	"strings"

	"github.com/labstack/echo/v4"
)

// minCompressed is the smallest size in bytes of a body that is compressed. A smaller body fits into one packet anyway.
const minCompressed = 1400

// WriteCompressible writes a complete response. It compresses the body with gzip if the client accepts gzip and the
// request does not come from another site. Otherwise, a site that controls parts of a response could guess the
// response's secrets from its compressed length (BREACH). Use echo's Blob for a body with a new secret.
func WriteCompressible(c echo.Context, status int, contentType string, body []byte) error {
	h := c.Response().Header()
	h.Add("Vary", "Accept-Encoding")
	if len(body) < minCompressed || !acceptsGzip(c) || browserReportsOtherOrigin(c) {
		return c.Blob(status, contentType, body)
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err != nil {
		return err
	}
	if _, err := w.Write(body); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	h.Set("Content-Encoding", "gzip")
	return c.Blob(status, contentType, packed.Bytes())
}

func acceptsGzip(c echo.Context) bool {
	for entry := range strings.SplitSeq(strings.Join(c.Request().Header.Values("Accept-Encoding"), ","), ",") {
		name, parameter, _ := strings.Cut(strings.ReplaceAll(entry, " ", ""), ";")
		weight, weighted := strings.CutPrefix(parameter, "q=")
		if strings.EqualFold(name, "gzip") && (!weighted || strings.Trim(weight, "0.") != "") {
			return true
		}
	}
	return false
}

// browserReportsOtherOrigin reports whether Sec-Fetch-Site says that a page of another origin sent the request. It
// returns false for clients that do not send this header.
func browserReportsOtherOrigin(c echo.Context) bool {
	switch c.Request().Header.Get("Sec-Fetch-Site") {
	case "cross-site", "same-site":
		return true
	}
	return false
}
