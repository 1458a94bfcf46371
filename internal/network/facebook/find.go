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

type listed struct {
	ID          meta.ID   `json:"id"`
	Message     string    `json:"message"`
	At          meta.Time `json:"created_time"`
	Application struct {
		ID meta.ID `json:"id"`
	} `json:"application"`
	Attachments struct {
		Data []struct {
			Type      string `json:"media_type"`
			URL       string `json:"url"`
			Unshimmed string `json:"unshimmed_url"`
			Parts     struct {
				Data []struct{} `json:"data"`
			} `json:"subattachments"`
		} `json:"data"`
	} `json:"attachments"`
}

// Find looks through the Page's published posts since the arm for the one that this app made with this
// message, link and number of photos. A post that might be it but does not show enough makes the answer ambiguous.
func (n *Network) Find(ctx context.Context, it network.Item) (network.Status, error) {
	if it.ArmedAt.IsZero() {
		return network.Status{}, errors.New("search for a post of facebook that was never armed")
	}
	s, err := network.DecodeSettings[Settings](n.about, it.Settings)
	if err != nil {
		return network.Status{}, err
	}
	since := meta.Since(it.ArmedAt)
	posts, err := meta.List[listed](ctx, n.graph, "/"+url.PathEscape(it.Profile)+"/published_posts", it.Token.Access, url.Values{
		"fields": {"id,message,created_time,application{id},attachments{media_type,url,unshimmed_url,subattachments}"},
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
		switch p.match(wanted{message(it), s.Link, len(it.Files), n.id, since}) {
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

// wanted is what a search looks for.
type wanted struct {
	message, link string
	photos        int
	app           string
	since         time.Time
}

func (p listed) match(w wanted) likeness {
	photos := p.photos()
	switch {
	case p.At.Before(w.since) || !meta.SameText(p.Message, w.message):
		return differs
	case p.Application.ID == "":
		return mightMatch
	case string(p.Application.ID) != w.app:
		return differs
	case w.link == "" && photos == w.photos:
		return matches
	case len(p.Attachments.Data) == 0, w.photos > 0 && photos > 0:
		return mightMatch
	}
	for _, a := range p.Attachments.Data {
		if w.link != "" && (sameLink(a.Unshimmed, w.link) || sameLink(unshimmed(a.URL), w.link)) {
			return matches
		}
	}
	return differs
}

// photos is how many the post shows.
func (p listed) photos() int {
	n := 0
	for _, a := range p.Attachments.Data {
		switch a.Type {
		case "photo":
			n++
		case "album":
			n += max(1, len(a.Parts.Data))
		}
	}
	return n
}

func sameLink(a, b string) bool { return strings.TrimSuffix(a, "/") == strings.TrimSuffix(b, "/") }

// unshimmed is the address behind Facebook's own redirect.
func unshimmed(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() != "l.facebook.com" {
		return address
	}
	return u.Query().Get("u")
}
