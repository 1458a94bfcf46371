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
			Type      string           `json:"media_type"`
			URL       string           `json:"url"`
			Unshimmed string           `json:"unshimmed_url"`
			Target    attachmentTarget `json:"target"`
			Parts     struct {
				Data []struct {
					Target attachmentTarget `json:"target"`
				} `json:"data"`
			} `json:"subattachments"`
		} `json:"data"`
	} `json:"attachments"`
}

// attachmentTarget is what an attachment shows: for a photo, the photo that was uploaded.
type attachmentTarget struct {
	ID meta.ID `json:"id"`
}

// FindPost searches the Page's posts since the arm. The post with the uploaded photos, whose ids are in the handle, is
// the right one. Without ids, FindPost searches for a post that this app published with the same message, link and
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
				"attachments{media_type,url,unshimmed_url,target{id},subattachments{target{id}}}",
		},
		"since": {strconv.FormatInt(since.Unix(), 10)}, "limit": {"100"},
	})
	if err != nil {
		return network.Status{}, n.distinguishExpiredFromRevoked(ctx, err, it.Token)
	}
	wanted := postCriteria{
		message: textWithMissingTags(it), link: s.Link, photos: len(it.Files), app: n.id, since: since,
		reconnected: it.Token.IssuedAt.After(it.ArmedAt),
	}
	if it.Handle != "" {
		wanted.photoIDs = strings.Split(it.Handle, ",")
	}
	found := map[similarity][]network.Status{}
	for _, p := range posts {
		if slices.Contains(it.Known, string(p.ID)) {
			continue
		}
		how := p.comparePost(wanted)
		st := network.Status{ExternalID: string(p.ID), URL: absoluteURLIfOnFacebook(p.Permalink)}
		found[how] = append(found[how], st)
	}
	switch {
	case len(found[hasOurPhotos]) > 0:
		return meta.StatusOfMatches(found[hasOurPhotos], n.id), nil
	case len(found[mightMatch]) > 0:
		return network.Status{Verdict: core.Ambiguous, Message: "The Page has a post that could be this one."}, nil
	}
	return meta.StatusOfMatches(found[matches], n.id), nil
}

// statusAddedVideo is the status_type of a video or a Reel, but not of a link to a video on another site.
const statusAddedVideo = "added_video"

type similarity int

const (
	differs similarity = iota
	mightMatch
	matches
	hasOurPhotos
)

// postCriteria holds the criteria of a search.
type postCriteria struct {
	message, link string
	photos        int
	photoIDs      []string // empty if they are unknown
	app           string
	since         time.Time
	// reconnected is true if the account was reconnected after the arm. Another app may have published the post, because
	// the operator must reconnect all accounts after a change of the app.
	reconnected bool
}

func (p listedPost) comparePost(wanted postCriteria) similarity {
	if p.At.Before(wanted.since) || p.StatusType == statusAddedVideo {
		return differs
	}
	photos := p.listPhotoIDs()
	if how, ok := comparePhotos(photos, wanted.photoIDs); ok {
		return how
	}
	switch {
	case !meta.IsSameText(p.Message, wanted.message):
		return differs
	case p.Application.ID == "", wanted.reconnected && string(p.Application.ID) != wanted.app:
		return mightMatch
	case string(p.Application.ID) != wanted.app:
		return differs
	case wanted.link == "" && len(photos) == wanted.photos:
		return matches
	case len(p.Attachments.Data) == 0, wanted.photos > 0 && len(photos) > 0:
		return mightMatch
	case wanted.link == "":
		return differs
	}
	for _, a := range p.Attachments.Data {
		target := unwrapFacebookRedirect(a.URL)
		if isSameExceptTrailingSlash(a.Unshimmed, wanted.link) || isSameExceptTrailingSlash(target, wanted.link) {
			return matches
		}
	}
	return mightMatch // Facebook may show the address to which the link redirects, or the page's canonical address
}

// listPhotoIDs returns the id of each photo that the post shows; "" for a photo whose id Facebook does not show.
func (p listedPost) listPhotoIDs() []string {
	var ids []string
	for _, a := range p.Attachments.Data {
		switch {
		case a.Type == "photo":
			ids = append(ids, string(a.Target.ID))
		case a.Type == "album" && len(a.Parts.Data) == 0:
			ids = append(ids, "")
		case a.Type == "album":
			for _, part := range a.Parts.Data {
				ids = append(ids, string(part.Target.ID))
			}
		}
	}
	return ids
}

// comparePhotos compares the photos that a post shows with those that were uploaded. A photo can be published only
// once, so it identifies its post. ok is false if the ids of either are unknown.
func comparePhotos(shown, uploaded []string) (how similarity, ok bool) {
	isOurs := func(id string) bool { return slices.Contains(uploaded, id) }
	switch {
	case len(uploaded) == 0 || !slices.ContainsFunc(shown, func(id string) bool { return id != "" }):
		return differs, false
	case !slices.ContainsFunc(shown, isOurs):
		return differs, true
	case len(shown) != len(uploaded) || slices.ContainsFunc(shown, func(id string) bool { return !isOurs(id) }):
		return mightMatch, true
	}
	return hasOurPhotos, true
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
