package threads

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"time"

	"belfry/internal/network"
	"belfry/internal/network/meta"
)

type listedPost struct {
	ID        meta.ID   `json:"id"`
	Text      string    `json:"text"`
	Type      string    `json:"media_type"`
	At        meta.Time `json:"timestamp"`
	Permalink string    `json:"permalink"`
}

// listedType is the media type with which Threads lists each content type.
var listedType = map[string]string{
	typeText: "TEXT_POST", typeImage: "IMAGE", typeVideo: "VIDEO", typeCarousel: "CAROUSEL_ALBUM",
}

// FindPost searches the profile's posts since the arm for one with the same text and type. The result is
// Ambiguous if there is one, but the post has no text.
func (n *Network) FindPost(ctx context.Context, it network.Item) (network.Status, error) {
	if it.ArmedAt.IsZero() {
		return network.Status{}, errors.New("cannot search Threads for a post that was never armed")
	}
	since := meta.SearchStart(it.ArmedAt)
	posts, err := n.listAllPostsSince(ctx, it, "id,text,timestamp,media_type,permalink", since)
	if err != nil {
		return network.Status{}, n.distinguishExpiredFromRevoked(ctx, err, it.Token)
	}
	kind := listedType[postContentType(it.DraftWithoutAccount().Media)]
	var found []network.Status
	for _, p := range posts {
		if p.Type == kind && !p.At.Before(since) && meta.IsSameText(p.Text, it.Text) &&
			!slices.Contains(it.Known, string(p.ID)) {
			found = append(found, network.Status{ExternalID: string(p.ID), URL: urlIfOnThreads(p.Permalink)})
		}
	}
	return meta.StatusOfMatches(found, it.Text), nil
}

// listAllPostsSince returns the profile's posts since the given time, newest first.
func (n *Network) listAllPostsSince(
	ctx context.Context, it network.Item, fields string, since time.Time,
) ([]listedPost, error) {
	return meta.ListAll[listedPost](ctx, n.graph, "/"+url.PathEscape(it.Profile)+"/threads", it.Token.Access, url.Values{
		"fields": {fields}, "since": {strconv.FormatInt(since.Unix(), 10)}, "limit": {"100"},
	})
}

// FetchLink returns the address of the post's page.
func (n *Network) FetchLink(ctx context.Context, it network.Item, externalID string) (postURL string, err error) {
	var out struct {
		Permalink string `json:"permalink"`
	}
	err = n.graph.Get(ctx, "/"+url.PathEscape(externalID), it.Token.Access, url.Values{"fields": {"permalink"}}, &out)
	if err != nil {
		return "", n.distinguishExpiredFromRevoked(ctx, err, it.Token)
	}
	link := urlIfOnThreads(out.Permalink)
	if link == "" {
		return "", &network.Error{
			Kind: network.Unknown, Message: "Threads did not return a link to the post on threads.com or threads.net.",
		}
	}
	return link, nil
}

func urlIfOnThreads(link string) (linkOrEmpty string) {
	return network.URLIfOnDomains(link, "threads.net", "threads.com")
}
