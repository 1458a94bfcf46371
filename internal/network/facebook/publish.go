package facebook

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/meta"
)

// way is how a kind of post goes out by a handle.
type way struct {
	create  func(*Network, context.Context, network.Item) (string, error)
	status  func(*Network, context.Context, network.Item, string) (network.Status, error)
	publish func(*Network, context.Context, network.Item, string) (string, error)
	link    func(*Network, context.Context, network.Item, string) (string, error)
}

// ways are those of posts of which the network has an object before they are visible. All else goes to the feed
// in one call.
var ways = map[string]way{
	typeVideo:   {(*Network).createVideo, (*Network).statusOfVideo, (*Network).publishVideo, (*Network).permalink},
	typeReels:   {(*Network).createReel, (*Network).statusOfReel, (*Network).publishReel, (*Network).permalink},
	typeStories: {(*Network).createStory, (*Network).statusOfStory, (*Network).publishStory, (*Network).linkOfStory},
}

func (n *Network) way(d network.Draft) (way, bool) {
	s, err := network.DecodeSettings[Settings](n.about, d.Settings)
	if err != nil {
		return way{}, false
	}
	w, ok := ways[contentType(s, d.Media)]
	return w, ok
}

// Flow is a single call for texts, links and photos; of videos and Stories the network has an object first.
func (n *Network) Flow(d network.Draft) core.Flow {
	if _, ok := n.way(d); ok {
		return core.FlowHandle
	}
	return core.FlowOneCall
}

// Create uploads a video or a Story, of which nothing is visible.
func (n *Network) Create(ctx context.Context, it network.Item) (string, error) {
	w, ok := n.way(it.Draft())
	if !ok {
		return "", errors.New("make a handle at facebook of a post that goes out in one call")
	}
	if len(it.Files) == 0 {
		return "", noFile()
	}
	return w.create(n, ctx, it)
}

// noFile fails a post that has lost what it is about: nothing else may go out in its place.
func noFile() error {
	return &network.Error{Kind: network.Rejected, Message: "The post has no file.", Hint: "Add the file and send the post again."}
}

// Status asks about the upload. Without one it reads the Page with its own token: whoever may not do that may
// not publish either.
func (n *Network) Status(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	if w, ok := n.way(it.Draft()); ok {
		return w.status(n, ctx, it, handle)
	}
	if err := n.node(ctx, it, it.Profile); err != nil {
		return network.Status{}, err
	}
	return network.Status{Verdict: core.Ready}, nil
}

// Publish makes the post, and everyone sees it.
func (n *Network) Publish(ctx context.Context, it network.Item, handle string) (string, error) {
	if w, ok := n.way(it.Draft()); ok {
		return w.publish(n, ctx, it, handle)
	}
	return n.feed(ctx, it)
}

// Link is the address of the post's own page.
func (n *Network) Link(ctx context.Context, it network.Item, externalID string) (string, error) {
	if w, ok := n.way(it.Draft()); ok {
		return w.link(n, ctx, it, externalID)
	}
	return n.permalink(ctx, it, externalID)
}

// permalink completes the address of a post or a video: Facebook leaves the site out of some.
func (n *Network) permalink(ctx context.Context, it network.Item, externalID string) (string, error) {
	var out struct {
		Permalink string `json:"permalink_url"`
	}
	err := n.get(ctx, it, "/"+url.PathEscape(externalID), url.Values{"fields": {"permalink_url"}}, &out)
	switch {
	case err != nil:
		return "", err
	case out.Permalink == "":
		return "", &network.Error{Kind: network.Unknown, Message: "Facebook answered a post without its address."}
	case strings.HasPrefix(out.Permalink, "/"):
		return site + out.Permalink, nil
	}
	return out.Permalink, nil
}

func (n *Network) get(ctx context.Context, it network.Item, path string, params url.Values, into any) error {
	return n.judged(ctx, n.graph.Get(ctx, path, it.Token.Access, params, into), it.Token)
}

// post sends a form to an edge of the Page.
func (n *Network) post(ctx context.Context, it network.Item, edge string, form url.Values, into any) error {
	return n.judged(ctx, n.graph.Post(ctx, "/"+url.PathEscape(it.Profile)+edge, it.Token.Access, form, into), it.Token)
}

// node asks whether there is such a thing, and for nothing else.
func (n *Network) node(ctx context.Context, it network.Item, id string) error {
	return n.get(ctx, it, "/"+url.PathEscape(id), url.Values{"fields": {"id"}}, &struct{}{})
}

// made posts a form to an edge of the Page and returns the id of what was made.
func (n *Network) made(ctx context.Context, it network.Item, edge string, form url.Values) (string, error) {
	var out struct {
		ID meta.ID `json:"id"`
	}
	if err := n.post(ctx, it, edge, form, &out); err != nil {
		return "", err
	}
	if out.ID == "" {
		return "", &network.Error{Kind: network.Unknown, Message: "Facebook answered without an id."}
	}
	return string(out.ID), nil
}

// missingFor is how long a fresh upload that the network says it does not have is asked about all the same.
const missingFor = 5 * time.Minute

// missing decides about an upload that the network does not know. Once armed, that tells nothing.
func (n *Network) missing(it network.Item, err error) (network.Status, error) {
	var e *network.Error
	switch {
	case !errors.As(err, &e) || e.Code != "100/33" || !it.ArmedAt.IsZero():
		return network.Status{}, err
	case n.now().Sub(it.HandleAt) < missingFor:
		return network.Status{Verdict: core.Pending, Message: e.Message}, nil
	}
	return network.Status{Verdict: core.Dead, Message: e.Message}, nil
}

func message(it network.Item) string { return network.WithTags(it.Text, it.Tags) }

// words is a form of those of its texts that are there.
func words(texts map[string]string) url.Values {
	form := url.Values{}
	for name, text := range texts {
		if text != "" {
			form.Set(name, text)
		}
	}
	return form
}
