package threads

import (
	"context"
	"net/url"

	"belfry/internal/network"
	"belfry/internal/network/meta"
)

// createCarouselItems creates a container for each file and returns the handle that lists them. The setting altText
// describes the first file.
func (n *Network) createCarouselItems(ctx context.Context, it network.Item, s Settings) (handle string, err error) {
	alt := s.AltText
	var forms []url.Values
	for _, file := range it.Files {
		form := newFileForm(file, alt)
		form.Set("is_carousel_item", "true")
		forms, alt = append(forms, form), ""
	}
	ids, err := network.CallEachConcurrently(ctx, forms, func(ctx context.Context, form url.Values) (string, error) {
		return n.createAtEdge(ctx, it, "threads", form)
	})
	return meta.NewCarouselItemsHandle(ids), err
}

// createCarouselContainer creates the carousel from its items, which must all be ready, and returns its handle.
func (n *Network) createCarouselContainer(
	ctx context.Context, it network.Item, joinedItemIDs string,
) (handle string, err error) {
	s, err := network.DecodeSettings[Settings](n.about, it.Settings)
	if err != nil {
		return "", err
	}
	form := newContainerFormWithoutChildren(it, s)
	form.Set("children", joinedItemIDs)
	return n.createAtEdge(ctx, it, "threads", form)
}
