package meta

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	"belfry/internal/network"
)

// Code is an error's code and subcode. A row with subcode 0 applies to every subcode. A row with code 0 applies to
// errors that have its number as their code or subcode, because some documents give only one number.
type Code struct{ Code, Subcode int }

// String returns the code as in network.Error. For a row with code 0, it returns only the subcode.
func (c Code) String() string {
	switch {
	case c.Subcode == 0:
		return strconv.Itoa(c.Code)
	case c.Code == 0:
		return strconv.Itoa(c.Subcode)
	}
	return strconv.Itoa(c.Code) + "/" + strconv.Itoa(c.Subcode)
}

// ErrorTable holds the meaning of each error. By default, a throttle holds the account for five minutes.
type ErrorTable map[Code]network.ErrorMeaning

// envelope covers every known format of an error.
type envelope struct {
	Error *graphError `json:"error"`
	// The token endpoints return the error at the top level.
	FlatCode    int    `json:"code"`
	FlatMessage string `json:"error_message"`
	// The upload host has its own format.
	Upload *struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"debug_info"`
}

type graphError struct {
	Message   string `json:"message"`
	Type      string `json:"type"`
	Code      int    `json:"code"`
	Subcode   int    `json:"error_subcode"`
	Transient bool   `json:"is_transient"`
	UserMsg   string `json:"error_user_msg"`
	Trace     string `json:"fbtrace_id"`
}

// methodError is the type of errors about how a call was made.
const methodError = "GraphMethodException"

// defaultWait is how long a throttle lasts if the network does not say.
const defaultWait = 5 * time.Minute

// ParseErrorOrNil returns the error in a response, or nil if there is none.
func (t ErrorTable) ParseErrorOrNil(resp *network.Response, now time.Time) *network.Error {
	var body envelope
	err := json.Unmarshal(resp.Body, &body)
	ok := resp.Status/100 == 2
	switch {
	case err == nil && body.Error != nil:
		return t.convertGraphError(resp, *body.Error, now)
	case err == nil && body.Upload != nil && !ok:
		return resp.AttachRedactedTo(
			network.Error{
				Kind: network.Transient, Code: body.Upload.Type, Message: body.Upload.Message,
				Hint: hintUpload, Trace: headerTraceID(resp),
			},
		)
	case err == nil && body.FlatMessage != "" && !ok:
		return resp.AttachRedactedTo(network.Error{
			Kind: network.Rejected, Code: strconv.Itoa(body.FlatCode), Message: body.FlatMessage, Hint: hintConnect,
		})
	case ok:
		return nil
	}
	return resp.AttachRedactedTo(network.Error{
		Kind: network.Unknown, Message: fmt.Sprintf("The network responded with status %d, but gave no reason.", resp.Status),
		Trace: headerTraceID(resp),
	})
}

func (t ErrorTable) convertGraphError(resp *network.Response, e graphError, now time.Time) *network.Error {
	row := t.determineMeaning(Code{e.Code, e.Subcode}, e.Transient, resp.Status)
	if e.Type == methodError && strings.Contains(e.Message, "appsecret_proof") { // has the code of a wrong parameter
		row = common[Code{Code: 104}]
	}
	if (row.Kind == network.Rejected || row.Kind == network.Transient) && resp.Status == http.StatusTooManyRequests {
		row = network.ErrorMeaning{Kind: network.RateLimited, Hint: hintThrottled, Wait: defaultWait}
	}
	out := row.NewError(Code{e.Code, e.Subcode}.String(), cmp.Or(e.UserMsg, e.Message))
	out.Trace = cmp.Or(e.Trace, headerTraceID(resp))
	switch {
	case row.Kind == network.RateLimited:
		out.RetryAfter = cmp.Or(longestHeaderWait(resp, now), row.Wait, defaultWait)
		out.Scope = cmp.Or(row.Scope, network.ScopeAccount)
	case row.Wait > 0:
		out.RetryAfter, out.Scope = row.Wait, cmp.Or(row.Scope, network.ScopeAccount)
	}
	return resp.AttachRedactedTo(out)
}

func headerTraceID(resp *network.Response) (idOrEmpty string) {
	return cmp.Or(resp.Header.Get("X-Fb-Trace-Id"), resp.Header.Get("X-Fb-Request-Id"))
}

// MeaningOf returns the meaning of a code without a response. An unknown code is a refusal.
func (t ErrorTable) MeaningOf(c Code) network.ErrorMeaning { return t.determineMeaning(c, false, 0) }

// determineMeaning returns the meaning of an error. It prefers the network's own rows to the common ones, and exact
// rows to general ones.
func (t ErrorTable) determineMeaning(c Code, transient bool, status int) network.ErrorMeaning {
	for _, rows := range []ErrorTable{t, common} {
		for _, key := range []Code{c, {0, c.Subcode}, {c.Code, 0}, {0, c.Code}} {
			if row, ok := rows[key]; ok && key != (Code{}) {
				return row
			}
		}
	}
	switch {
	case c.Code >= permissionFirst && c.Code <= permissionLast:
		return network.ErrorMeaning{Kind: network.Revoked, Hint: hintPermission}
	case transient || status >= http.StatusInternalServerError:
		return network.ErrorMeaning{Kind: network.Transient, Hint: hintLater}
	}
	return network.ErrorMeaning{Kind: network.Rejected, Hint: hintUnknown}
}

// ListDocumentedErrors returns the codes of a network and those that all Graph APIs share, sorted.
func (t ErrorTable) ListDocumentedErrors() []network.DocumentedError {
	merged := maps.Clone(common)
	maps.Copy(merged, t)
	var all []network.DocumentedError
	for code, row := range merged {
		if row.Kind == network.RateLimited || row.Wait > 0 {
			row.Scope = cmp.Or(row.Scope, network.ScopeAccount)
		}
		if row.Kind == network.RateLimited {
			row.Wait = cmp.Or(row.Wait, defaultWait)
		}
		all = append(all, network.DocumentedError{Code: code.String(), ErrorMeaning: row})
	}
	permissions := fmt.Sprintf("%d–%d", permissionFirst, permissionLast)
	all = append(all, network.DocumentedError{Code: permissions, ErrorMeaning: t.MeaningOf(Code{Code: permissionFirst})})
	network.SortDocumentedErrors(all)
	return all
}

// longestHeaderWait returns the longest wait that the headers request.
func longestHeaderWait(resp *network.Response, now time.Time) (waitOrZero time.Duration) {
	longest := resp.RetryAfter(now)
	var usage map[string][]struct {
		Minutes float64 `json:"estimated_time_to_regain_access"`
	}
	if json.Unmarshal([]byte(resp.Header.Get("X-Business-Use-Case-Usage")), &usage) != nil {
		return longest
	}
	for _, list := range usage {
		for _, u := range list {
			longest = max(longest, network.CappedWait(u.Minutes*time.Minute.Seconds()))
		}
	}
	return longest
}

// Reclassify returns a copy of the error with another meaning, for a caller that has more information than the code.
func Reclassify(err error, meaning network.ErrorMeaning) error {
	var e *network.Error
	if !errors.As(err, &e) {
		return err
	}
	meant := *e
	meant.Kind, meant.Hint, meant.Actor, meant.Duplicate = meaning.Kind, meaning.Hint, meaning.Actor, meaning.Duplicate
	if meaning.Kind == network.RateLimited {
		meant.RetryAfter = cmp.Or(meaning.Wait, e.RetryAfter, defaultWait)
		meant.Scope = cmp.Or(meaning.Scope, network.ScopeAccount)
	}
	return &meant
}
