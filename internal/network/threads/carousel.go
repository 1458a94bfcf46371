package threads

import (
	"context"
	"strings"

	"belfry/internal/core"
	"belfry/internal/network"
)

// A handle of items is this word and their containers' ids in the post's order.
const (
	itemsHandle = "items:"
	itemsComma  = ","
)

// items makes a container for each file. The description goes with the first.
func (n *Network) items(ctx context.Context, it network.Item, s Settings) (string, error) {
	ids := make([]string, len(it.Files))
	err := network.Each(len(ids), func(i int) (err error) {
		alt := ""
		if i == 0 {
			alt = s.AltText
		}
		v := file(it.Files[i], alt)
		v.Set("is_carousel_item", "true")
		ids[i], err = n.made(ctx, it, "/threads", v)
		return err
	})
	if err != nil {
		return "", err
	}
	return itemsHandle + strings.Join(ids, itemsComma), nil
}

// statusOfItems asks about each item. Once all are ready it makes the carousel, which takes their place: the
// network wants them ready first. What is lost of it on the way back is invisible, and made anew.
func (n *Network) statusOfItems(ctx context.Context, it network.Item, ids []string) (network.Status, error) {
	all := make([]network.Status, len(ids))
	err := network.Each(len(ids), func(i int) (err error) {
		all[i], err = n.statusOf(ctx, it, ids[i])
		return err
	})
	if err != nil {
		return network.Status{}, err
	}
	waiting := network.Status{Verdict: core.Ready}
	for _, st := range all {
		switch {
		case st.Verdict == core.Dead:
			return st, nil
		case st.Verdict != core.Ready:
			waiting = network.Status{Verdict: core.Pending, Message: st.Message, Code: st.Code}
		}
	}
	if waiting.Verdict != core.Ready {
		return waiting, nil
	}
	return n.whole(ctx, it, ids)
}

// whole makes the carousel and says how far it is.
func (n *Network) whole(ctx context.Context, it network.Item, ids []string) (network.Status, error) {
	s, err := network.DecodeSettings[Settings](n.about, it.Settings)
	if err != nil {
		return network.Status{}, err
	}
	v := form(it, s)
	v.Set("children", strings.Join(ids, ","))
	handle, err := n.made(ctx, it, "/threads", v)
	if err != nil {
		return network.Status{}, err
	}
	st, err := n.statusOf(ctx, it, handle)
	if err != nil {
		st = network.Status{Verdict: core.Pending} // it is there; how far it is can be asked again
	}
	st.Handle = handle
	return st, nil
}
