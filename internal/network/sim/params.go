package sim

import (
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// UnknownParam names the first parameter that a call does not have. The networks ignore such parameters; here they
// are a typing mistake found early.
func UnknownParam(params url.Values, known ...string) (name string, found bool) {
	var unknown []string
	for name := range params {
		if !slices.Contains(known, name) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 {
		return "", false
	}
	return slices.Min(unknown), true
}

// Limits of a page of a list.
const (
	defaultLimit = 25
	maxLimit     = 100
)

// ReadLimit reads how many entries a page of a list has; problem says what is wrong with the parameter.
func ReadLimit(params url.Values) (limit int, problem string) {
	text := params.Get("limit")
	if text == "" {
		return defaultLimit, ""
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxLimit {
		return 0, fmt.Sprintf("Param limit must be a number from 1 to %d", maxLimit)
	}
	return n, ""
}

// ReadSpan reads the parameters since and until; problem says what is wrong with one of them.
func ReadSpan(params url.Values) (since, until time.Time, problem string) {
	for name, into := range map[string]*time.Time{"since": &since, "until": &until} {
		text := params.Get(name)
		if text == "" {
			continue
		}
		t, err := readTime(text)
		if err != nil {
			return since, until, "Param " + name + " must be a Unix timestamp or a date"
		}
		*into = t
	}
	return since, until, ""
}

const timeFormat = "2006-01-02T15:04:05-0700"

// FormatTime writes a time as Graph APIs do.
func FormatTime(t time.Time) string { return t.UTC().Format(timeFormat) }

func readTime(text string) (time.Time, error) {
	if unix, err := strconv.ParseInt(text, 10, 64); err == nil {
		return time.Unix(unix, 0).UTC(), nil
	}
	for _, format := range []string{time.RFC3339, timeFormat, time.DateOnly} {
		if t, err := time.Parse(format, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("no time: %q", text)
}

// Cursor is the cursor of an entry of a list.
func Cursor(id string) string { return base64.RawURLEncoding.EncodeToString([]byte(id)) }

// ReadCursor returns the id of the entry that a cursor parameter names; "" without one.
func ReadCursor(params url.Values, name string) (id, problem string) {
	raw, err := base64.RawURLEncoding.DecodeString(params.Get(name))
	if err != nil {
		return "", "Invalid cursor in param " + name
	}
	return string(raw), ""
}

// PagedBody is a page of a list: nodes with these ids, at an address without its query. The token goes into the
// address of the next page only when the request carried it in its own.
func PagedBody(
	r *http.Request, params url.Values, bearer, address string, nodes []any, ids []string, more bool,
) map[string]any {
	body := map[string]any{"data": nodes}
	if len(ids) == 0 {
		return body
	}
	last := Cursor(ids[len(ids)-1])
	paging := map[string]any{"cursors": map[string]any{"before": Cursor(ids[0]), "after": last}}
	if more {
		next := url.Values{"after": {last}}
		for name, values := range params {
			if name != "before" && name != "after" {
				next[name] = values
			}
		}
		if r.Header.Get("Authorization") == "" {
			next.Set("access_token", bearer)
		}
		paging["next"] = address + "?" + next.Encode()
	}
	body["paging"] = paging
	return body
}

// StableID is always the same id for a name, so that a lost journal does not make another account of it; one that is
// taken by another name is passed over.
func StableID(prefix, name string, taken func(id string) bool) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	for n := h.Sum64() % 1e10; ; n = (n + 1) % 1e10 {
		if id := fmt.Sprintf("%s%010d", prefix, n); !taken(id) {
			return id
		}
	}
}
