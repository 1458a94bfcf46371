package facebook

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"belfry/internal/network"
)

// feed makes a post of a text, a link or photos. The photos are uploaded first, each to be seen by nobody.
func (n *Network) feed(ctx context.Context, it network.Item) (string, error) {
	s, err := network.DecodeSettings[Settings](n.about, it.Settings)
	if err != nil {
		return "", err
	}
	if s.ContentType == typePhoto && len(it.Files) == 0 {
		return "", noFile()
	}
	ids, err := n.photos(ctx, it)
	if err != nil {
		return "", beforehand(err)
	}
	form := words(map[string]string{"message": message(it), "link": s.Link})
	for i, id := range ids {
		form.Set(fmt.Sprintf("attached_media[%d]", i), fmt.Sprintf(`{"media_fbid":%q}`, id))
	}
	return n.made(ctx, it, "/feed", form)
}

// photos uploads all files of the post and returns their ids in its order.
func (n *Network) photos(ctx context.Context, it network.Item) ([]string, error) {
	ids := make([]string, len(it.Files))
	return ids, network.Each(len(ids), func(i int) (err error) {
		ids[i], err = n.photo(ctx, it, it.Files[i])
		return err
	})
}

func (n *Network) photo(ctx context.Context, it network.Item, f network.File) (string, error) {
	return n.made(ctx, it, "/photos", url.Values{"url": {f.URL}, "published": {"false"}})
}

// beforehand is an error of what precedes the irreversible call: whatever became of it, that call was not made.
func beforehand(err error) error {
	var e *network.Error
	if !errors.As(err, &e) || e.Kind != network.Unknown && e.Kind != network.Transient {
		return err
	}
	before := *e
	before.Kind = network.NotSent
	return &before
}
