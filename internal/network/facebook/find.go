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

type listedPost struct {
	ID          meta.ID   `json:"id"`
	StatusType  string    `json:"status_type"`
	Message     string    `json:"message"`
	At          meta.Time `json:"created_time"`
	Permalink   string    `json:"permalink_url"`
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

// FindPost searches the Page's posts since the arm for one that this app published with the same message, link and
// number of photos. The result is Ambiguous if a post might match but lacks details. Facebook lists videos and Reels
// among the Page's posts, with other ids than AdvanceStatus returns; FindPost skips them.
func (n *Network) FindPost(ctx context.Context, it network.Item) (network.Status, error) {
	if it.ArmedAt.IsZero() {
		return network.Status{}, errors.New("cannot search Facebook for a post that was never armed")
	}
	s, err := network.DecodeSettings[Settings](n.about, it.Settings)
	if err != nil {
		return network.Status{}, err
	}
	since := meta.SearchStart(it.ArmedAt)
	path := "/" + url.PathEscape(it.Profile) + "/published_posts"
	posts, err := meta.ListAll[listedPost](ctx, n.graph, path, it.Token.Access, url.Values{
		"fields": {
			"id,message,created_time,permalink_url,status_type,application{id}," +
				"attachments{media_type,url,unshimmed_url,subattachments}",
		},
		"since": {strconv.FormatInt(since.Unix(), 10)}, "limit": {"100"},
	})
	if err != nil {
		return network.Status{}, n.distinguishExpiredFromRevoked(ctx, err, it.Token)
	}
	var found []network.Status
	unclear := false
	for _, p := range posts {
		if slices.Contains(it.Known, string(p.ID)) {
			continue
		}
		switch p.comparePost(postCriteria{textWithMissingTags(it), s.Link, len(it.Files), n.id, since}) {
		case matches:
			found = append(found, network.Status{ExternalID: string(p.ID), URL: absoluteURLIfOnFacebook(p.Permalink)})
		case mightMatch:
			unclear = true
		}
	}
	if unclear {
		return network.Status{Verdict: core.Ambiguous, Message: "The Page has a post that could be this one."}, nil
	}
	return meta.StatusOfMatches(found, n.id), nil
}

// statusAddedVideo is the status_type of a video or a Reel, but not of a link to a video on another site.
const statusAddedVideo = "added_video"

type similarity int

const (
	differs similarity = iota
	mightMatch
	matches
)

// postCriteria holds the criteria of a search.
type postCriteria struct {
	message, link string
	photos        int
	app           string
	since         time.Time
}

func (p listedPost) comparePost(wanted postCriteria) similarity {
	photos := p.countPhotos()
	switch {
	case p.At.Before(wanted.since) || p.StatusType == statusAddedVideo || !meta.IsSameText(p.Message, wanted.message):
		return differs
	case p.Application.ID == "":
		return mightMatch
	case string(p.Application.ID) != wanted.app:
		return differs
	case wanted.link == "" && photos == wanted.photos:
		return matches
	case len(p.Attachments.Data) == 0, wanted.photos > 0 && photos > 0:
		return mightMatch
	}
	for _, a := range p.Attachments.Data {
		target := unwrapFacebookRedirect(a.URL)
		if wanted.link != "" &&
			(isSameExceptTrailingSlash(a.Unshimmed, wanted.link) || isSameExceptTrailingSlash(target, wanted.link)) {
			return matches
		}
	}
	return differs
}

// countPhotos counts the photos that the post shows.
func (p listedPost) countPhotos() int {
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

func isSameExceptTrailingSlash(a, b string) bool {
	return strings.TrimSuffix(a, "/") == strings.TrimSuffix(b, "/")
}

// unwrapFacebookRedirect returns the target of a redirect at l.facebook.com, and any other address unchanged.
func unwrapFacebookRedirect(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() != "l.facebook.com" {
		return address
	}
	return u.Query().Get("u")
}
