package api

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"

	"github.com/labstack/echo/v4"

	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/internal/schema"
)

const jsonType = "application/json"

// bodyReader returns a function that reads the whole body, at most httpd.JSONLimit bytes, and only once.
func bodyReader(c echo.Context) func() ([]byte, error) {
	return sync.OnceValues(func() (body []byte, err error) {
		err = httpd.LimitBody(httpd.JSONLimit)(func(echo.Context) error {
			body, err = io.ReadAll(c.Request().Body)
			return err
		})(c)
		var known *core.Error
		var large *http.MaxBytesError
		if err == nil || errors.As(err, &known) || errors.As(err, &large) {
			return body, err
		}
		return nil, core.Invalid("", "The body is incomplete.").WithHint("Send the request again.").Because(fmt.Errorf("read body: %w", err))
	})
}

// decodeBody decodes the body strictly into in.
func (r *route) decodeBody(contentType string, body []byte, in any) error {
	if len(body) == 0 {
		if r.optionalBody {
			return nil
		}
		return core.Invalid("",
			"This route requires a body.").WithHint("Send a JSON object with the header Content-Type: application/json.")
	}
	if err := checkType(contentType); err != nil {
		return err
	}
	return r.body.Decode(body, in)
}

// checkType returns unsupported_media_type unless the Content-Type is JSON in UTF-8. A body without a Content-Type is
// accepted as JSON.
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
	return core.Fail(core.CodeUnsupportedMediaType, "The Content-Type %s is not JSON in UTF-8.",
		schema.Shown(header)).
		WithHint("Send JSON in UTF-8 with the header Content-Type: application/json.")
}
