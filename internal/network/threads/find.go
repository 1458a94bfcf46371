package threads

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"

	"belfry/internal/network"
	"belfry/internal/network/meta"
)

type listed struct {
	ID   meta.ID   `json:"id"`
	Text string    `json:"text"`
	Type string    `json:"media_type"`
	At   meta.Time `json:"timestamp"`
}

// readBack are the words under which the network lists what was made.
var readBack = map[string]string{typeText: "TEXT_POST", typeImage: "IMAGE", typeVideo: "VIDEO", typeCarousel: "CAROUSEL_ALBUM"}

// Find looks through the profile's posts since the arm for the one with this text and type.
func (n *Network) Find(ctx context.Context, it network.Item) (network.Status, error) {
	if it.ArmedAt.IsZero() {
		return network.Status{}, errors.New("search for a post of threads that was never armed")
	}
	since := meta.Since(it.ArmedAt)
	posts, err := meta.List[listed](ctx, n.graph, "/"+url.PathEscape(it.Profile)+"/threads", it.Token.Access, url.Values{
		"fields": {"id,text,timestamp,media_type"}, "since": {strconv.FormatInt(since.Unix(), 10)}, "limit": {"100"},
	})
	if err != nil {
		return network.Status{}, n.judged(ctx, err, it.Token)
	}
	kind := readBack[contentType(it.Draft().Media)]
	var ids []string
	for _, p := range posts {
		if p.Type == kind && !p.At.Before(since) && meta.SameText(p.Text, it.Text) && !slices.Contains(it.Known, string(p.ID)) {
			ids = append(ids, string(p.ID))
		}
	}
	return meta.Unique(ids), nil
}

// Link is the address of the post's own page.
func (n *Network) Link(ctx context.Context, it network.Item, externalID string) (string, error) {
	var out struct {
		Permalink string `json:"permalink"`
	}
	err := n.graph.Get(ctx, "/"+url.PathEscape(externalID), it.Token.Access, url.Values{"fields": {"permalink"}}, &out)
	if err != nil {
		return "", n.judged(ctx, err, it.Token)
	}
	if out.Permalink == "" {
		return "", &network.Error{Kind: network.Unknown, Message: "Threads answered a post without its address."}
	}
	return out.Permalink, nil
}
