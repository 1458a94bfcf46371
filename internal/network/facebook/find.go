package facebook

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/meta"
)

// clockSlack is how far the network's clock may be behind ours.
const clockSlack = time.Minute

type listed struct {
	ID          meta.ID   `json:"id"`
	Message     string    `json:"message"`
	At          meta.Time `json:"created_time"`
	Application struct {
		ID meta.ID `json:"id"`
	} `json:"application"`
	Attachments struct {
		Data []struct {
			URL       string `json:"url"`
			Unshimmed string `json:"unshimmed_url"`
		} `json:"data"`
	} `json:"attachments"`
}

// Find looks through the Page's published posts since the arm for the one that this app made with this
// message and link. A post that might be it but does not show enough makes the answer ambiguous.
func (n *Network) Find(ctx context.Context, it network.Item) (network.Status, error) {
	if it.ArmedAt.IsZero() {
		return network.Status{}, errors.New("search for a post of facebook that was never armed")
	}
	s, err := network.DecodeSettings[Settings](n.about, it.Settings)
	if err != nil {
		return network.Status{}, err
	}
	since := it.ArmedAt.Add(-clockSlack).Truncate(time.Second)
	posts, err := meta.List[listed](ctx, n.graph, "/"+url.PathEscape(it.Profile)+"/published_posts", it.Token.Access, url.Values{
		"fields": {"id,message,created_time,application{id},attachments{url,unshimmed_url}"},
		"since":  {strconv.FormatInt(since.Unix(), 10)}, "limit": {"100"},
	})
	if err != nil {
		return network.Status{}, n.judged(ctx, err, it.Token)
	}
	var ids []string
	unclear := false
	for _, p := range posts {
		if slices.Contains(it.Known, string(p.ID)) {
			continue
		}
		switch p.match(message(it), s.Link, n.id, since) {
		case matches:
			ids = append(ids, string(p.ID))
		case mightMatch:
			unclear = true
		}
	}
	if unclear {
		return network.Status{Verdict: core.Ambiguous, Message: "A post on the Page may be this one."}, nil
	}
	return meta.Unique(ids), nil
}

type likeness int

const (
	differs likeness = iota
	mightMatch
	matches
)

func (p listed) match(message, link, app string, since time.Time) likeness {
	switch {
	case (!p.At.IsZero() && p.At.Before(since)) || plain(p.Message) != plain(message):
		return differs
	case p.Application.ID == "":
		return mightMatch
	case string(p.Application.ID) != app:
		return differs
	case link == "":
		return matches
	case len(p.Attachments.Data) == 0:
		return mightMatch
	}
	for _, a := range p.Attachments.Data {
		if sameLink(a.Unshimmed, link) || sameLink(unshimmed(a.URL), link) {
			return matches
		}
	}
	return differs
}

// plain forgives what a network does to the white space around a text.
func plain(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }

func sameLink(a, b string) bool { return strings.TrimSuffix(a, "/") == strings.TrimSuffix(b, "/") }

// unshimmed is the address behind Facebook's own redirect.
func unshimmed(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() != "l.facebook.com" {
		return address
	}
	return u.Query().Get("u")
}
