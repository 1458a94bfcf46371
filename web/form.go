package web

import (
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"belfry/internal/core"
)

// withForm makes a handler of one that takes the form of the request.
func withForm(handle func(*request, url.Values) error) func(*request) error {
	return func(r *request) error {
		form, err := r.readForm()
		if err != nil {
			return err
		}
		return handle(r, form)
	}
}

// readForm reads the body of a form. Browsers send line ends as CRLF; ours are LF.
func (r *request) readForm() (url.Values, error) {
	httpReq := r.echo.Request()
	kind, _, err := mime.ParseMediaType(httpReq.Header.Get("Content-Type"))
	if err != nil || kind != "application/x-www-form-urlencoded" {
		return nil, core.Fail(core.CodeUnsupportedMediaType, "This address accepts only form data.").
			WithHint("Send application/x-www-form-urlencoded.")
	}
	if err := httpReq.ParseForm(); err != nil {
		if _, tooBig := errors.AsType[*http.MaxBytesError](err); tooBig {
			return nil, err
		}
		return nil, core.Invalid("", "The form could not be read.").Because(err)
	}
	for name, values := range httpReq.PostForm {
		for i, value := range values {
			if !utf8.ValidString(value) || strings.ContainsRune(value, 0) {
				return nil, core.Invalid(name, "%q contains invalid characters.", name)
			}
			values[i] = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(value)
		}
	}
	return httpReq.PostForm, nil
}
