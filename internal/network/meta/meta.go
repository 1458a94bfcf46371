// Package meta calls Graph-style APIs, which several networks share. It handles their errors, throttle headers, paged
// lists and proof of the app's secret.
package meta

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"time"

	"belfry/internal/network"
)

// API is one Graph host.
type API struct {
	Client *network.Client
	Base   string // https://HOST, with the version if every call has it
	Table  ErrorTable
	// Proof is the app's secret if calls must prove that they know it, or "".
	Proof network.Secret
	Now   func() time.Time
}

// Get reads path and decodes the response into the value.
func (a API) Get(ctx context.Context, path string, token network.Secret, params url.Values, into any) error {
	return a.callAndDecode(ctx, network.Request{
		Method: http.MethodGet, URL: a.Base + path, Query: a.withProofIfNeeded(token, params), Token: token,
	}, into)
}

// Post sends a form to path and decodes the response into the value.
func (a API) Post(ctx context.Context, path string, token network.Secret, form url.Values, into any) error {
	return a.callAndDecode(ctx, network.Request{
		Method: http.MethodPost, URL: a.Base + path, Form: a.withProofIfNeeded(token, form), Token: token,
	}, into)
}

// Delete deletes the object at path.
func (a API) Delete(ctx context.Context, path string, token network.Secret) error {
	var out json.RawMessage
	return a.callAndDecode(ctx, network.Request{
		Method: http.MethodDelete, URL: a.Base + path, Query: a.withProofIfNeeded(token, nil), Token: token,
	}, &out)
}

// CreateObject sends a form to path and returns the id of the new object.
func (a API) CreateObject(
	ctx context.Context, path string, token network.Secret, form url.Values,
) (id string, err error) {
	var out struct {
		ID ID `json:"id"`
	}
	if err := a.Post(ctx, path, token, form, &out); err != nil {
		return "", err
	}
	if out.ID == "" {
		return "", &network.Error{Kind: network.Unknown, Message: "The network did not return an ID."}
	}
	return string(out.ID), nil
}

// callAndDecode makes a call and decodes the response into the value. An error in the response is an *Error.
func (a API) callAndDecode(ctx context.Context, r network.Request, into any) error {
	r.Secrets = append(r.Secrets, a.Proof)
	resp, err := a.Client.CallOnce(ctx, r)
	if err != nil {
		return err
	}
	if e := a.Table.ParseErrorOrNil(resp, a.Now()); e != nil {
		return e
	}
	if err := json.Unmarshal(resp.Body, into); err != nil {
		return resp.AttachRedactedTo(
			network.Error{Kind: network.Unknown, Message: "The network's response is not in the documented format."},
		)
	}
	return nil
}

// withProofIfNeeded returns the parameters, with a proof that the sender has the app's secret if calls must prove that
// and there is a token.
func (a API) withProofIfNeeded(token network.Secret, params url.Values) url.Values {
	if a.Proof == "" || token == "" {
		return params
	}
	mac := hmac.New(sha256.New, []byte(a.Proof.Reveal()))
	mac.Write([]byte(token.Reveal()))
	with := url.Values{}
	maps.Copy(with, params)
	with.Set("appsecret_proof", hex.EncodeToString(mac.Sum(nil)))
	return with
}

// maxListPages is the maximum number of pages that are read of a list.
const maxListPages = 20

type page[T any] struct {
	Data   []T `json:"data"`
	Paging struct {
		Cursors struct {
			After string `json:"after"`
		} `json:"cursors"`
		Next string `json:"next"`
	} `json:"paging"`
}

// ListAll reads all pages of an edge. Of the address that the network returns for the next page, it uses only the
// cursor, because the address has the token in its query.
func ListAll[T any](ctx context.Context, a API, path string, token network.Secret, params url.Values) ([]T, error) {
	var all []T
	query := url.Values{}
	maps.Copy(query, params)
	for range maxListPages {
		var p page[T]
		if err := a.Get(ctx, path, token, query, &p); err != nil {
			return nil, err
		}
		all = append(all, p.Data...)
		if p.Paging.Next == "" {
			return all, nil
		}
		after := p.nextCursor()
		if after == "" {
			break
		}
		query.Set("after", after)
	}
	return nil, &network.Error{Kind: network.Unknown, Message: "The network returned a list that is incomplete or too long."}
}

// nextCursor returns the cursor of the next page; "" if the network returns none.
func (p page[T]) nextCursor() (cursorOrEmpty string) {
	if p.Paging.Cursors.After != "" {
		return p.Paging.Cursors.After
	}
	next, err := url.Parse(p.Paging.Next)
	if err != nil {
		return ""
	}
	return next.Query().Get("after")
}

// ID is an id that a network writes as a JSON number in some responses and as a string in others. Such an id is too
// large for a float64.
type ID string

// UnmarshalJSON accepts both forms. An id with a character that could change the path or query of a call is an error.
func (id *ID) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		var n json.Number
		if err := json.Unmarshal(data, &n); err != nil {
			return err
		}
		text = n.String()
	}
	if !safeID.MatchString(text) {
		return fmt.Errorf("%q is not the ID of an object", text)
	}
	*id = ID(text)
	return nil
}

var safeID = regexp.MustCompile(`^[0-9A-Za-z_-]*$`)

// ExpiryAfter returns when a token that lives for the given seconds expires, or fallback if seconds is not positive.
func ExpiryAfter(now time.Time, seconds int64, fallback time.Time) time.Time {
	if seconds <= 0 {
		return fallback
	}
	return now.Add(time.Duration(seconds) * time.Second)
}
