package instagram

import (
	"context"
	"net/url"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/meta"
)

// createCarouselItems creates a container for each file and returns the handle that lists them. Each image has its own
// description; the description in the settings is not sent, because it could describe any of them.
func (n *Network) createCarouselItems(ctx context.Context, it network.Item) (handle string, err error) {
	var forms []url.Values
	for _, f := range it.Files {
		form := url.Values{"is_carousel_item": {"true"}, fileURLParamName(f): {f.URL}}
		if f.Kind == core.FileVideo {
			form.Set("media_type", "VIDEO")
		} else {
			setAltText(form, f.AltText(maxAlt))
		}
		forms = append(forms, form)
	}
	ids, err := network.CallEachConcurrently(ctx, forms, func(ctx context.Context, form url.Values) (string, error) {
		return n.createAtEdge(ctx, it, "media", form)
	})
	return meta.NewCarouselItemsHandle(ids), err
}

// setAltText adds the description of an image to a form, if there is one.
func setAltText(form url.Values, alt string) {
	if alt != "" {
		form.Set("alt_text", alt)
	}
}

// createCarouselContainer creates the carousel from its items and returns its handle.
func (n *Network) createCarouselContainer(
	ctx context.Context, it network.Item, joinedItemIDs string,
) (handle string, err error) {
	s, err := network.DecodeSettings[Settings](n.about, it.Settings)
	if err != nil {
		return "", err
	}
	form, err := newContainerFormWithoutChildren(it, s)
	if err != nil {
		return "", err
	}
	form.Set("children", joinedItemIDs)
	return n.createAtEdge(ctx, it, "media", form)
}
