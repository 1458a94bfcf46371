package facebook

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/meta"
)

// Flow is a single call.
func (*Network) Flow(network.Draft) core.Flow { return core.FlowOneCall }

// Create is never called: a text or a link goes out in one call.
func (n *Network) Create(context.Context, network.Item) (string, error) {
	return "", errors.New("make a handle at facebook: its posts go out in one call")
}

// Status reads the Page with its own token: whoever may not do that may not publish either.
func (n *Network) Status(ctx context.Context, it network.Item, _ string) (network.Status, error) {
	var p struct {
		ID meta.ID `json:"id"`
	}
	err := n.graph.Get(ctx, "/"+url.PathEscape(it.Profile), it.Token.Access, url.Values{"fields": {"id"}}, &p)
	if err != nil {
		return network.Status{}, n.judged(ctx, err, it.Token)
	}
	return network.Status{Verdict: core.Ready}, nil
}

// Publish makes the post, and everyone sees it.
func (n *Network) Publish(ctx context.Context, it network.Item, _ string) (string, error) {
	s, err := network.DecodeSettings[Settings](n.about, it.Settings)
	if err != nil {
		return "", err
	}
	form := url.Values{}
	for name, value := range map[string]string{"message": message(it), "link": s.Link} {
		if value != "" {
			form.Set(name, value)
		}
	}
	var out struct {
		ID meta.ID `json:"id"`
	}
	if err := n.graph.Post(ctx, "/"+url.PathEscape(it.Profile)+"/feed", it.Token.Access, form, &out); err != nil {
		return "", n.judged(ctx, err, it.Token)
	}
	if out.ID == "" {
		return "", &network.Error{Kind: network.Unknown, Message: "Facebook answered without the id of the post."}
	}
	return string(out.ID), nil
}

func message(it network.Item) string { return network.WithTags(it.Text, it.Tags) }

// Link is the address of the post's own page; Facebook leaves the site out of some.
func (n *Network) Link(ctx context.Context, it network.Item, externalID string) (string, error) {
	var out struct {
		Permalink string `json:"permalink_url"`
	}
	err := n.graph.Get(ctx, "/"+url.PathEscape(externalID), it.Token.Access, url.Values{"fields": {"permalink_url"}}, &out)
	if err != nil {
		return "", n.judged(ctx, err, it.Token)
	}
	switch {
	case out.Permalink == "":
		return "", &network.Error{Kind: network.Unknown, Message: "Facebook answered a post without its address."}
	case strings.HasPrefix(out.Permalink, "/"):
		return site + out.Permalink, nil
	}
	return out.Permalink, nil
}
