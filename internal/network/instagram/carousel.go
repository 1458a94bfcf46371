package instagram

import (
	"context"
	"net/url"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/meta"
)

// createItemContainers creates a container for each file and returns the handle that lists them.
func (n *Network) createItemContainers(ctx context.Context, it network.Item) (string, error) {
	ids, err := network.CallEach(ctx, it.Files, func(ctx context.Context, f network.File) (string, error) {
		form := url.Values{"is_carousel_item": {"true"}, fileURLParam(f): {f.URL}}
		if f.Kind == core.FileVideo {
			form.Set("media_type", "VIDEO")
		}
		return n.createAtEdge(ctx, it, "/media", form)
	})
	return meta.NewItemsHandle(ids), err
}

// createCarouselContainer creates the carousel from its items and returns its handle.
func (n *Network) createCarouselContainer(ctx context.Context, it network.Item, children string) (string, error) {
	s, err := network.DecodeSettings[Settings](n.about, it.Settings)
	if err != nil {
		return "", err
	}
	form, err := newContainerForm(it, s)
	if err != nil {
		return "", err
	}
	form.Set("children", children)
	return n.createAtEdge(ctx, it, "/media", form)
}
