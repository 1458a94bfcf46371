package instagram

import (
	"context"
	"net/url"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/meta"
)

// createItems makes a container for each file and returns the handle that names them.
func (n *Network) createItems(ctx context.Context, it network.Item) (string, error) {
	ids, err := network.CallEach(ctx, it.Files, func(ctx context.Context, f network.File) (string, error) {
		form := url.Values{"is_carousel_item": {"true"}, addressParam(f): {f.URL}}
		if f.Kind == core.FileVideo {
			form.Set("media_type", "VIDEO")
		}
		return n.createNode(ctx, it, "/media", form)
	})
	return meta.JoinItems(ids), err
}

// createCarousel makes the carousel of its items and returns its handle.
func (n *Network) createCarousel(ctx context.Context, it network.Item, children string) (string, error) {
	s, err := network.DecodeSettings[Settings](n.about, it.Settings)
	if err != nil {
		return "", err
	}
	form, err := postForm(it, s)
	if err != nil {
		return "", err
	}
	form.Set("children", children)
	return n.createNode(ctx, it, "/media", form)
}
