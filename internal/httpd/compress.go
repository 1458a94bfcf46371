package httpd

import (
	"bytes"
	"compress/gzip"
	"strings"

	"github.com/labstack/echo/v4"
)

// compressFrom is the smallest body that is worth compressing: a smaller one fits into one packet anyway.
const compressFrom = 1400

// WriteCompressible answers with a whole text, as gzip where the client takes that and nobody else chose what it asks
// for: the length of a compressed answer tells whoever can choose a part of it about the rest (BREACH), so what another
// site makes a browser ask for is sent as it is. A body with a new secret is for echo's Blob.
func WriteCompressible(c echo.Context, status int, contentType string, body []byte) error {
	h := c.Response().Header()
	h.Add("Vary", "Accept-Encoding")
	if len(body) < compressFrom || !acceptsGzip(c) || isCrossSiteRequest(c) {
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

func isCrossSiteRequest(c echo.Context) bool {
	switch c.Request().Header.Get("Sec-Fetch-Site") {
	case "cross-site", "same-site":
		return true
	}
	return false
}
