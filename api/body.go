package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"belfry/internal/core"
	"belfry/internal/httpd"
)

const jsonType = "application/json"

// readBody reads a whole body of at most httpd.JSONLimit bytes and puts it back, so that it can be read again.
func readBody(c echo.Context) ([]byte, error) {
	r := c.Request()
	var body []byte
	err := httpd.LimitBody(httpd.JSONLimit)(func(echo.Context) error {
		var err error
		body, err = io.ReadAll(r.Body)
		return err
	})(c)
	var known *core.Error
	var large *http.MaxBytesError
	switch {
	case err == nil:
		r.Body = io.NopCloser(bytes.NewReader(body))
		return body, nil
	case errors.As(err, &known), errors.As(err, &large):
		return nil, err
	}
	return nil, core.Invalid("", "The body broke off.").WithHint("Send the request again.").Because(fmt.Errorf("read body: %w", err))
}

// decodeBody reads the body strictly into in.
func (r *route) decodeBody(c echo.Context, in any) error {
	body, err := readBody(c)
	if err != nil {
		return err
	}
	if len(body) == 0 {
		if r.action.bare {
			return nil
		}
		return core.Invalid("", "This route needs a body.").WithHint("Send a JSON object with the header Content-Type: application/json.")
	}
	if err := checkType(c.Request().Header.Get("Content-Type")); err != nil {
		return err
	}
	return decode(body, r.shape, in)
}

// checkType takes JSON in UTF-8. A body that says nothing of its type is taken for what this API speaks.
func checkType(header string) error {
	if header == "" {
		return nil
	}
	kind, parameters, err := mime.ParseMediaType(header)
	if err == nil && kind == jsonType {
		if charset, ok := parameters["charset"]; !ok || strings.EqualFold(charset, "utf-8") {
			return nil
		}
	}
	return core.Fail(core.CodeUnsupportedMediaType, "By its Content-Type, %s, the body is not JSON in UTF-8.", shown(header)).
		WithHint("Send JSON in UTF-8 with the header Content-Type: application/json.")
}
