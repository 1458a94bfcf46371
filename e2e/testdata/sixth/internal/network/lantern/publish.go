package lantern

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
)

const notesURL = site + "/api/notes"

// note is a post, as Lantern returns it.
type note struct {
	ID   string    `json:"id"`
	Text string    `json:"text"`
	URL  string    `json:"url"`
	At   time.Time `json:"createdAt"`
}

func newNoNoteError() error {
	return &network.Error{Kind: network.Unknown, Message: "Lantern did not return the note."}
}

// DeliveryFor returns a single call.
func (*Network) DeliveryFor(network.Draft) network.Delivery {
	return network.Delivery{Flow: core.FlowOneCall}
}

// CreateHandle returns an error: one call publishes a note, without a handle.
func (*Network) CreateHandle(context.Context, network.Item) (string, error) {
	return "", errors.New("cannot create a handle: Lantern does not use handles")
}

// AdvanceStatus checks whether the profile can be reached.
func (n *Network) AdvanceStatus(ctx context.Context, it network.Item, _ string) (network.Status, error) {
	return network.Status{Verdict: core.Ready}, n.VerifyToken(ctx, it.Token)
}

// Publish posts the note.
func (n *Network) Publish(ctx context.Context, it network.Item, _ string) (network.Status, error) {
	s, err := network.DecodeSettings[Settings](n.about, it.Settings)
	if err != nil {
		return network.Status{}, err
	}
	var out note
	err = n.call(ctx, network.Request{Method: http.MethodPost, URL: notesURL, Token: it.Token.Access, Form: url.Values{
		"text": {it.Text}, "visibility": {cmp.Or(s.Visibility, "public")},
	}}, &out)
	if err == nil && out.ID == "" {
		err = newNoNoteError()
	}
	return network.Status{Verdict: core.Done, ExternalID: out.ID, URL: out.URL}, err
}

// FindPost searches the notes since the arm.
func (n *Network) FindPost(ctx context.Context, it network.Item) (network.Status, error) {
	if it.ArmedAt.IsZero() {
		return network.Status{}, errors.New("cannot search Lantern for a note that Belfry has never tried to publish")
	}
	since := it.ArmedAt.Add(-slack)
	var out struct {
		Notes []note `json:"notes"`
	}
	err := n.call(ctx, network.Request{
		Method: http.MethodGet, URL: notesURL, Token: it.Token.Access,
		Query: url.Values{"since": {strconv.FormatInt(since.Unix(), 10)}},
	}, &out)
	if err != nil {
		return network.Status{}, err
	}
	found := slices.DeleteFunc(out.Notes, func(other note) bool {
		return other.Text != it.Text || other.At.Before(since) || slices.Contains(it.Known, other.ID)
	})
	switch len(found) {
	case 0:
		return network.Status{Verdict: core.Absent}, nil
	case 1:
		return network.Status{Verdict: core.Done, ExternalID: found[0].ID, URL: found[0].URL}, nil
	}
	return network.Status{Verdict: core.Ambiguous}, nil
}

// FetchLink returns the address of the note's page.
func (n *Network) FetchLink(ctx context.Context, it network.Item, externalID string) (string, error) {
	var out note
	err := n.call(ctx, network.Request{
		Method: http.MethodGet, URL: notesURL + "/" + url.PathEscape(externalID), Token: it.Token.Access,
	}, &out)
	if err == nil && out.URL == "" {
		err = newNoNoteError()
	}
	return out.URL, err
}

// call makes a call and decodes its answer.
func (n *Network) call(ctx context.Context, in network.Request, into any) error {
	resp, err := n.env.Client.CallOnce(ctx, in)
	switch {
	case err != nil:
		return err
	case resp.Status/100 != 2:
		return n.newAPIError(resp)
	case json.Unmarshal(resp.Body, into) != nil:
		return resp.AttachRedactedTo(network.Error{Kind: network.Unknown, Message: "Lantern responded in an unexpected way."})
	}
	return nil
}

// meanings are the error codes that Lantern documents.
var meanings = map[string]network.ErrorMeaning{
	"rate_limited": {
		Kind: network.RateLimited, Hint: "Belfry will try again.", Wait: time.Minute, Scope: network.ScopeAccount,
	},
	"unavailable":   {Kind: network.Transient, Hint: "Belfry will try again."},
	"token_expired": {Kind: network.Expired, Hint: "Reconnect the account."},
	"token_revoked": {Kind: network.Revoked, Hint: "Reconnect the account."},
	"invalid_grant": {Kind: network.Rejected, Hint: "Connect the account again.", Actor: network.ActorOwner},
	"text_too_long": {Kind: network.Rejected, Hint: "Correct the text in a copy of the post."},
	"duplicate":     {Kind: network.Rejected, Hint: "Correct the text in a copy of the post."},
}

// listDocumented lists the error codes in order.
func listDocumented() (list []network.DocumentedError) {
	for _, code := range slices.Sorted(maps.Keys(meanings)) {
		list = append(list, network.DocumentedError{Code: code, ErrorMeaning: meanings[code]})
	}
	return list
}

func (n *Network) newAPIError(resp *network.Response) error {
	var out struct {
		Error struct{ Code, Message, Trace string }
	}
	if json.Unmarshal(resp.Body, &out) != nil || out.Error.Code == "" {
		return resp.AttachRedactedTo(network.Error{Kind: network.Unknown, Message: "Lantern responded in an unexpected way."})
	}
	meaning, known := meanings[out.Error.Code]
	if !known {
		meaning = meanings["text_too_long"]
	}
	e := network.Error{
		Kind: meaning.Kind, Hint: meaning.Hint, Code: out.Error.Code, Message: out.Error.Message, Trace: out.Error.Trace,
		Scope: meaning.Scope,
	}
	if e.Kind == network.RateLimited {
		e.RetryAfter = cmp.Or(resp.RetryAfter(n.env.Now()), meaning.Wait)
	}
	return resp.AttachRedactedTo(e)
}
