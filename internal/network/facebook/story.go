package facebook

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/meta"
)

func isVideo(it network.Item) bool { return len(it.Files) > 0 && it.Files[0].Kind == core.FileVideo }

// createStory uploads the file. The network refuses to show it in two Stories, so that its id makes the
// publishing call safe to repeat.
func (n *Network) createStory(ctx context.Context, it network.Item) (string, error) {
	if isVideo(it) {
		return n.begin(ctx, it, "/video_stories")
	}
	return n.photo(ctx, it, it.Files[0])
}

// statusOfStory looks for the file among the Page's Stories, once it may be there, and else asks about the
// upload.
func (n *Network) statusOfStory(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	if !it.ArmedAt.IsZero() {
		stories, err := n.stories(ctx, it, it.ArmedAt)
		if err != nil {
			return network.Status{}, err
		}
		for _, s := range stories {
			if string(s.Media) == handle {
				return network.Status{Verdict: core.Done, ExternalID: string(s.Post)}, nil
			}
		}
	}
	if !isVideo(it) {
		if err := n.node(ctx, it, handle); err != nil {
			return n.missing(it, err)
		}
		return network.Status{Verdict: core.Ready}, nil
	}
	v, err := n.video(ctx, it, handle)
	if err != nil {
		return n.missing(it, err)
	}
	return v.uploaded(it)
}

// publishStory answers "" where the network has not shown the video yet.
func (n *Network) publishStory(ctx context.Context, it network.Item, handle string) (string, error) {
	edge, form := "/photo_stories", url.Values{"photo_id": {handle}}
	if isVideo(it) {
		edge, form = "/video_stories", url.Values{"upload_phase": {"finish"}, "video_id": {handle}}
	}
	var out struct {
		Success bool    `json:"success"`
		Post    meta.ID `json:"post_id"`
	}
	if err := n.post(ctx, it, edge, form, &out); err != nil {
		return "", err
	}
	if !out.Success {
		return "", &network.Error{Kind: network.Unknown, Message: "Facebook answered without success."}
	}
	return string(out.Post), nil
}

type listedStory struct {
	Post  meta.ID `json:"post_id"`
	Media meta.ID `json:"media_id"`
	URL   string  `json:"url"`
}

func (n *Network) stories(ctx context.Context, it network.Item, since time.Time) ([]listedStory, error) {
	params := url.Values{}
	if !since.IsZero() {
		params.Set("since", strconv.FormatInt(meta.Since(since).Unix(), 10))
	}
	list, err := meta.List[listedStory](ctx, n.graph, "/"+url.PathEscape(it.Profile)+"/stories", it.Token.Access, params)
	return list, n.judged(ctx, err, it.Token)
}

// linkOfStory is the address that the Page's Stories give it.
func (n *Network) linkOfStory(ctx context.Context, it network.Item, externalID string) (string, error) {
	stories, err := n.stories(ctx, it, it.ArmedAt)
	if err != nil {
		return "", err
	}
	for _, s := range stories {
		if string(s.Post) == externalID && s.URL != "" {
			return s.URL, nil
		}
	}
	return "", &network.Error{Kind: network.Rejected, Message: "Facebook does not list the Story."}
}
