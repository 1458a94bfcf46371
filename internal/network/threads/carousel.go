package threads

import (
	"context"
	"net/url"

	"belfry/internal/network"
	"belfry/internal/network/meta"
)

// createItems makes a container for each file and returns the handle that names them. The description goes with the
// first.
func (n *Network) createItems(ctx context.Context, it network.Item, s Settings) (string, error) {
	alt := s.AltText
	var forms []url.Values
	for _, file := range it.Files {
		form := fileForm(file, alt)
		form.Set("is_carousel_item", "true")
		forms, alt = append(forms, form), ""
	}
	ids, err := network.CallEach(ctx, forms, func(ctx context.Context, form url.Values) (string, error) {
		return n.create(ctx, it, "/threads", form)
	})
	return meta.JoinItems(ids), err
}

// createCarousel makes the carousel of its items, which Threads wants ready first, and returns its handle.
func (n *Network) createCarousel(ctx context.Context, it network.Item, children string) (string, error) {
	s, err := network.DecodeSettings[Settings](n.about, it.Settings)
	if err != nil {
		return "", err
	}
	form := postForm(it, s)
	form.Set("children", children)
	return n.create(ctx, it, "/threads", form)
}
