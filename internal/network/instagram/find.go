package instagram

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
	ID        meta.ID   `json:"id"`
	Caption   *string   `json:"caption"`
	Type      string    `json:"media_type"`
	Product   string    `json:"media_product_type"`
	At        meta.Time `json:"timestamp"`
	Permalink string    `json:"permalink"`
}

// FindPost searches the account's posts since the arm for one with the same caption and type. The result is Ambiguous
// if a post of this type has no caption in the response: Instagram's documents disagree on which logins see captions.
// The result is also Ambiguous if the post itself has no caption, as a Story never has, and one of its type is listed;
// and if none is listed, but the Stories since the arm are no longer all listed.
func (n *Network) FindPost(ctx context.Context, it network.Item) (network.Status, error) {
	if it.ArmedAt.IsZero() {
		return network.Status{}, errors.New("cannot search Instagram for a post that was never armed")
	}
	s, err := network.DecodeSettings[Settings](n.about, it.Settings)
	if err != nil {
		return network.Status{}, err
	}
	draft := it.DraftWithoutAccount()
	kind, edge, caption := postContentType(s, draft.Media), "media", network.AppendMissingTags(it.Text, it.Tags)
	if kind == typeStories {
		edge, caption = "stories", ""
	}
	since := meta.SearchStart(it.ArmedAt)
	posts, err := n.listAllPostsSince(ctx, it, edge, "id,caption,timestamp,media_type,media_product_type,permalink", since)
	if err != nil {
		return network.Status{}, n.distinguishExpiredFromRevoked(ctx, err, it.Token)
	}
	var found []network.Status
	for _, p := range posts {
		switch {
		case !p.canBeOfType(kind, draft.Media) || p.At.Before(since) || slices.Contains(it.Known, string(p.ID)):
		case p.Caption == nil && caption != "":
			return network.Status{Verdict: core.Ambiguous, Message: "The account has a post that could be this one."}, nil
		case kind == typeStories || isSameOrMissingCaption(p.Caption, caption):
			found = append(found, network.Status{ExternalID: string(p.ID), URL: urlIfOnInstagram(p.Permalink)})
		}
	}
	if len(found) == 0 && kind == typeStories && !meta.AreStoriesListed(it.ArmedAt, n.now()) {
		return network.Status{
			Verdict: core.Ambiguous, Message: "Instagram no longer lists Stories from the time of the publishing call.",
		}, nil
	}
	return meta.StatusOfMatches(found, caption), nil
}

// canBeOfType reports whether a listed post can have a content type. Not every login sees the product type.
func (p listedPost) canBeOfType(kind string, media []core.Media) bool {
	want, product := "IMAGE", "FEED"
	switch {
	case kind == typeCarousel:
		want = "CAROUSEL_ALBUM"
	case len(media) == 1 && media[0].Kind == core.FileVideo:
		want = "VIDEO"
	}
	switch kind {
	case typeReels:
		product = "REELS"
	case typeStories:
		product = "STORY"
	}
	return p.Type == want && (p.Product == "" || p.Product == product)
}

// isSameOrMissingCaption reports whether a listed caption is ours or is missing. It ignores every @, because Instagram
// has returned captions without those of mentions.
func isSameOrMissingCaption(listed *string, ours string) bool {
	withoutAt := func(s string) string { return strings.ReplaceAll(s, "@", "") }
	return listed == nil || meta.IsSameText(withoutAt(*listed), withoutAt(ours))
}

// listAllPostsSince returns the account's posts, or its Stories, since the given time, newest first.
func (n *Network) listAllPostsSince(
	ctx context.Context, it network.Item, edge, fields string, since time.Time,
) (posts []listedPost, err error) {
	path := "/" + url.PathEscape(it.Profile) + "/" + edge
	params := url.Values{"fields": {fields}, "since": {strconv.FormatInt(since.Unix(), 10)}, "limit": {"100"}}
	err = n.readWithPersonTokenFallback(it.Token, func(graph meta.API, token network.Secret) (err error) {
		posts, err = meta.ListAll[listedPost](ctx, graph, path, token, params)
		return err
	})
	return posts, err
}

// FetchLink returns the address of the post's page.
func (n *Network) FetchLink(ctx context.Context, it network.Item, externalID string) (postURL string, err error) {
	var out struct {
		Permalink string `json:"permalink"`
	}
	err = n.readNodeWithFallback(ctx, it.Token, "/"+url.PathEscape(externalID), url.Values{"fields": {"permalink"}}, &out)
	if err != nil {
		return "", n.distinguishExpiredFromRevoked(ctx, err, it.Token)
	}
	link := urlIfOnInstagram(out.Permalink)
	if link == "" {
		return "", &network.Error{
			Kind: network.Unknown, Message: "Instagram did not return a link to the post on instagram.com.",
		}
	}
	return link, nil
}

func urlIfOnInstagram(link string) (linkOrEmpty string) {
	return network.URLIfOnDomains(link, "instagram.com")
}
