package sim

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// UnknownParam returns the name of the first parameter that is not known. A known name that ends with * is a prefix.
// The real networks ignore unknown parameters. Here, they are errors, to find typos early.
func UnknownParam(params url.Values, known ...string) (name string, found bool) {
	var unknown []string
	for name := range params {
		if !slices.ContainsFunc(known, func(k string) bool {
			prefix, wild := strings.CutSuffix(k, "*")
			return k == name || wild && strings.HasPrefix(name, prefix)
		}) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 {
		return "", false
	}
	return slices.Min(unknown), true
}

const (
	maxBody  = 1 << 20
	maxFiles = 32 << 20 // of a form with files
)

var (
	errTwice    = errors.New("was given more than once")
	errBodyJSON = errors.New("the body is JSON, which this call does not accept")
)

// ReadParams merges the parameters of the query and the body. It returns an error for a parameter that is given twice
// and for a body that cannot be parsed. It accepts JSON bodies only with takeJSON.
func ReadParams(w http.ResponseWriter, r *http.Request, takeJSON bool) (url.Values, error) {
	merged, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, fmt.Errorf("read the query: %w", err)
	}
	body, err := readBodyParams(w, r, takeJSON)
	if err != nil {
		return nil, err
	}
	for name, values := range body {
		merged[name] = append(merged[name], values...)
	}
	for name, values := range merged {
		if len(values) > 1 {
			return nil, fmt.Errorf("param %s %w", name, errTwice)
		}
	}
	return merged, nil
}

func readBodyParams(w http.ResponseWriter, r *http.Request, takeJSON bool) (url.Values, error) {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	most := int64(maxBody)
	if kind == "multipart/form-data" {
		most = maxFiles
	}
	r.Body = http.MaxBytesReader(w, r.Body, most)
	switch kind {
	case "application/json":
		if !takeJSON {
			return nil, errBodyJSON
		}
		return readJSONParams(r)
	case "multipart/form-data":
		if err := r.ParseMultipartForm(maxBody); err != nil { //nolint:gosec // bounded by the reader above
			return nil, fmt.Errorf("read the multipart body: %w", err)
		}
		return r.MultipartForm.Value, nil
	}
	if err := r.ParseForm(); err != nil {
		return nil, fmt.Errorf("read the form: %w", err)
	}
	return r.PostForm, nil
}

// OpenFormFile opens the file of a form and returns its size, whatever its field is called. It returns nil if the
// request is not a form with files, and an error unless there is exactly one file.
func OpenFormFile(r *http.Request) (io.ReadCloser, int64, error) {
	if r.MultipartForm == nil {
		return nil, 0, nil
	}
	var all []*multipart.FileHeader
	for _, files := range r.MultipartForm.File {
		all = append(all, files...)
	}
	if len(all) != 1 {
		return nil, 0, fmt.Errorf("the form has %d files instead of one", len(all))
	}
	file, err := all[0].Open()
	return file, all[0].Size, err
}

// readJSONParams returns the members of a JSON object: strings as text, all other values as JSON.
func readJSONParams(r *http.Request) (url.Values, error) {
	var object map[string]json.RawMessage
	if err := json.NewDecoder(r.Body).Decode(&object); err != nil {
		return nil, fmt.Errorf("read the JSON body: %w", err)
	}
	values := url.Values{}
	for name, raw := range object {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
		values.Set(name, text)
	}
	return values, nil
}

// TakeToken returns the access token of a request and removes it from params. Two tokens are an error, which the
// real networks may tolerate.
func TakeToken(r *http.Request, params url.Values) (string, error) {
	inParams := params.Get("access_token")
	params.Del("access_token")
	header := r.Header.Get("Authorization")
	bearer, isBearer := strings.CutPrefix(header, "Bearer ")
	switch {
	case header != "" && !isBearer:
		return "", errors.New("the Authorization header must have the form Bearer <token>")
	case isBearer && inParams != "":
		return "", errors.New("the access token was sent both as a parameter and in the Authorization header")
	case isBearer:
		return bearer, nil
	}
	return inParams, nil
}
