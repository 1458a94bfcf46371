package sim

import (
	"cmp"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// GraphError is an error in the shape several networks share.
type GraphError struct {
	Status    int
	Message   string
	Type      string
	Code      int
	Subcode   int
	Transient bool
	Title     string
	Detail    string
	Header    http.Header
}

// Answer writes the error as the networks do.
func (e GraphError) Answer() Answer {
	body := map[string]any{"message": e.Message, "type": e.Type, "code": e.Code, "fbtrace_id": Trace()}
	if e.Subcode != 0 {
		body["error_subcode"] = e.Subcode
	}
	if e.Transient {
		body["is_transient"] = true
	}
	if e.Title != "" {
		body["error_user_title"], body["error_user_msg"] = e.Title, e.Detail
	}
	if e.Status == 0 {
		e.Status = http.StatusBadRequest
	}
	return Answer{Status: e.Status, Header: e.Header, Body: map[string]any{"error": body}}
}

// Scripted is the error with what the script of a fault says of it: code, status, message and wait.
func (e GraphError) Scripted(f Fault) GraphError {
	if f.Code != 0 {
		e.Code, e.Subcode = f.Code, 0
	}
	e.Subcode = cmp.Or(f.Subcode, e.Subcode)
	e.Status = cmp.Or(f.Status, e.Status)
	e.Message = cmp.Or(f.Message, e.Message, fmt.Sprintf("(#%d) Scripted error", e.Code))
	if f.RetryAfter > 0 {
		e.Header = http.Header{"Retry-After": {strconv.Itoa(f.RetryAfter)}}
	}
	return e
}

// Trace is a fresh trace id.
func Trace() string {
	raw := make([]byte, 16)
	_, _ = rand.Read(raw)
	return "A" + base64.RawURLEncoding.EncodeToString(raw)
}

// Digits is a random number of n digits that begins with start.
func Digits(start string, n int) string {
	width := n - len(start)
	limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(width)), nil)
	number, err := rand.Int(rand.Reader, limit)
	if err != nil {
		number = new(big.Int) // crypto/rand never fails on the systems Go supports
	}
	return start + fmt.Sprintf("%0*d", width, number)
}

const maxBody = 1 << 20

var (
	errTwice    = errors.New("was given more than once")
	errBodyJSON = errors.New("the body is JSON, which this network does not take here")
)

// Params merges query and body, refusing what a careless client might send: a parameter given twice, in
// two places, or a body that does not parse. JSON bodies are taken only when asked for.
func Params(w http.ResponseWriter, r *http.Request, takeJSON bool) (url.Values, error) {
	merged, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, fmt.Errorf("read query: %w", err)
	}
	body, err := bodyParams(w, r, takeJSON)
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

func bodyParams(w http.ResponseWriter, r *http.Request, takeJSON bool) (url.Values, error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch kind {
	case "application/json":
		if !takeJSON {
			return nil, errBodyJSON
		}
		return jsonParams(r)
	case "multipart/form-data":
		if err := r.ParseMultipartForm(maxBody); err != nil { //nolint:gosec // bounded by the reader above
			return nil, fmt.Errorf("read multipart body: %w", err)
		}
		return r.MultipartForm.Value, nil
	}
	if err := r.ParseForm(); err != nil {
		return nil, fmt.Errorf("read form body: %w", err)
	}
	return r.PostForm, nil
}

// jsonParams flattens one object: text as it is, everything else as its JSON.
func jsonParams(r *http.Request) (url.Values, error) {
	var object map[string]json.RawMessage
	if err := json.NewDecoder(r.Body).Decode(&object); err != nil {
		return nil, fmt.Errorf("read JSON body: %w", err)
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
		return "", errors.New("the Authorization header must read Bearer <token>")
	case isBearer && inParams != "":
		return "", errors.New("the access token was sent both as a parameter and in the Authorization header")
	case isBearer:
		return bearer, nil
	}
	return inParams, nil
}

// Field is one entry of a fields parameter: name.modifier(x){sub,fields}.
type Field struct {
	Name string
	Sub  []Field
}

// ParseFields reads a fields parameter.
func ParseFields(text string) ([]Field, error) {
	fields, rest, err := parseFields(text)
	if err == nil && rest != "" {
		err = fmt.Errorf("unexpected %q in fields", rest)
	}
	return fields, err
}

func parseFields(text string) (fields []Field, rest string, err error) {
	for text != "" && text[0] != '}' {
		end := strings.IndexAny(text, ",{}.(")
		if end < 0 {
			end = len(text)
		}
		f := Field{Name: strings.TrimSpace(text[:end])}
		if f.Name == "" {
			return nil, text, fmt.Errorf("empty name in fields before %q", text)
		}
		text = text[end:]
		if text, err = skipModifiers(text); err != nil {
			return nil, text, err
		}
		if strings.HasPrefix(text, "{") {
			if f.Sub, text, err = parseFields(text[1:]); err != nil {
				return nil, text, err
			}
			if !strings.HasPrefix(text, "}") {
				return nil, text, errors.New("missing } in fields")
			}
			text = text[1:]
		}
		fields = append(fields, f)
		if next, ok := strings.CutPrefix(text, ","); ok {
			text = next
		} else if text != "" && text[0] != '}' {
			return nil, text, fmt.Errorf("unexpected %q in fields", text)
		}
	}
	return fields, text, nil
}

func skipModifiers(text string) (string, error) {
	for strings.HasPrefix(text, ".") {
		end := strings.IndexByte(text, ')')
		if end < 0 {
			return text, errors.New("missing ) in fields")
		}
		text = text[end+1:]
	}
	return text, nil
}

// Pick keeps the asked fields of a node. A field the node type does not have is named as an error; a
// known field without a value is left out, as the networks do. The id always comes along.
func Pick(node map[string]any, known map[string]bool, fields []Field) (map[string]any, string) {
	picked := map[string]any{}
	if id, ok := node["id"]; ok {
		picked["id"] = id
	}
	for _, f := range fields {
		if !known[f.Name] {
			return nil, f.Name
		}
		if value, ok := node[f.Name]; ok {
			picked[f.Name] = pruneFields(value, f.Sub)
		}
	}
	return picked, ""
}

func pruneFields(value any, fields []Field) any {
	if len(fields) == 0 {
		return value
	}
	switch v := value.(type) {
	case map[string]any:
		if data, ok := v["data"]; ok && len(v) == 1 {
			return map[string]any{"data": pruneFields(data, fields)}
		}
		kept := map[string]any{}
		for _, f := range fields {
			if inner, ok := v[f.Name]; ok {
				kept[f.Name] = pruneFields(inner, f.Sub)
			}
		}
		return kept
	case []any:
		kept := make([]any, 0, len(v))
		for _, inner := range v {
			kept = append(kept, pruneFields(inner, fields))
		}
		return kept
	}
	return value
}

// Known is a set of field names.
func Known(names ...string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, n := range names {
		set[n] = true
	}
	return set
}
