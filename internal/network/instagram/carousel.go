package instagram

import (
	"context"
	"net/url"
	"strings"

	"belfry/internal/core"
	"belfry/internal/network"
)

// A handle of items is this word and their containers' ids in the post's order.
const (
	itemsHandle = "items:"
	itemsComma  = ","
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
	return itemsHandle + strings.Join(ids, itemsComma), err
}

// itemsStatus asks about each item. Once all are ready it makes the carousel, whose handle replaces theirs. A carousel
// whose answer is lost is invisible, and another is made.
func (n *Network) itemsStatus(ctx context.Context, it network.Item, ids []string) (network.Status, error) {
	all, err := network.CallEach(ctx, ids, func(ctx context.Context, id string) (network.Status, error) {
		return n.containerStatus(ctx, it, id)
	})
	if err != nil {
		return network.Status{}, err
	}
	waiting := network.Status{Verdict: core.Ready}
	for _, st := range all {
		switch {
		case st.Verdict == core.Dead, st.Verdict == core.Broken:
			return st, nil
		case st.Verdict != core.Ready:
			waiting = network.Status{Verdict: core.Pending, Message: st.Message, Code: st.Code}
		}
	}
	if waiting.Verdict != core.Ready {
		return waiting, nil
	}
	return n.createCarousel(ctx, it, ids)
}

// createCarousel makes the carousel of its items and returns its status and handle.
func (n *Network) createCarousel(ctx context.Context, it network.Item, ids []string) (network.Status, error) {
	s, err := network.DecodeSettings[Settings](n.about, it.Settings)
	if err != nil {
		return network.Status{}, err
	}
	form, err := postForm(it, s)
	if err != nil {
		return network.Status{}, err
	}
	form.Set("children", strings.Join(ids, itemsComma))
	handle, err := n.createNode(ctx, it, "/media", form)
	if err != nil {
		return network.Status{}, err
	}
	st, err := n.containerStatus(ctx, it, handle)
	if err != nil {
		st = network.Status{Verdict: core.Pending} // it is there; how far it is can be asked again
	}
	st.Handle = handle
	return st, nil
}
