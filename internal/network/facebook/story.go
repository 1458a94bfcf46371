package facebook

import (
	"context"
	"net/url"
	"strconv"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/meta"
)

func isVideoPost(it network.Item) bool {
	return len(it.Files) > 0 && it.Files[0].Kind == core.FileVideo
}

// createStoryHandle uploads a photo, or starts the upload of a video, and returns the handle. Facebook refuses to use a
// file in two Stories, so the publishing call is safe to repeat.
func (n *Network) createStoryHandle(ctx context.Context, it network.Item) (handle string, err error) {
	if isVideoPost(it) {
		return n.startPhasedUpload(ctx, it, "video_stories")
	}
	return n.uploadPhoto(ctx, it, it.Files[0])
}

// fetchStoryOrUploadStatus returns the status of the Story if the post is armed and Facebook lists the Story, or else
// that of the upload.
func (n *Network) fetchStoryOrUploadStatus(ctx context.Context, it network.Item, handle string,
) (network.Status, error) {
	if !it.ArmedAt.IsZero() {
		stories, err := n.listStoriesSinceArmOrAll(ctx, it)
		if err != nil {
			return network.Status{}, err
		}
		for _, s := range stories {
			if string(s.Media) == handle {
				return network.Status{Verdict: core.Done, ExternalID: string(s.Post), URL: absoluteURLIfOnFacebook(s.URL)}, nil
			}
		}
	}
	return n.fetchUploadStatus(ctx, it, handle)
}

// fetchUploadStatus returns the status of the uploaded photo or video, whether a Story has it or not. A published video
// is Done without an id once Facebook no longer lists its Story, because only the list has the id.
func (n *Network) fetchUploadStatus(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	if !isVideoPost(it) {
		st, err := n.readyIfReadable(ctx, it, handle)
		if err != nil {
			return n.pendingOrDeadIfMissing(it, err)
		}
		return st, nil
	}
	v, err := n.fetchVideo(ctx, it, handle)
	switch {
	case err != nil:
		return n.pendingOrDeadIfMissing(it, err)
	case !it.ArmedAt.IsZero() && v.isReelOrStoryPublished() && !meta.AreStoriesListed(it.LastArmedAt(), n.now()):
		return network.Status{Verdict: core.Done}, nil
	}
	return v.readyIfUploaded(it)
}

// publishStory publishes the file as a Story. It returns Pending if Facebook has accepted a video but does not show
// it yet.
func (n *Network) publishStory(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	edge, form := "photo_stories", url.Values{"photo_id": {handle}}
	if isVideoPost(it) {
		edge, form = "video_stories", url.Values{"upload_phase": {"finish"}, "video_id": {handle}}
	}
	var out struct {
		Success bool    `json:"success"`
		Post    meta.ID `json:"post_id"`
	}
	if err := n.postToEdge(ctx, it, edge, form, &out); err != nil {
		return network.Status{}, err
	}
	switch {
	case !out.Success:
		return network.Status{}, &network.Error{
			Kind: network.Unknown, Message: "Facebook did not confirm that the Story was published.",
		}
	case out.Post == "":
		return network.Status{Verdict: core.Pending}, nil
	}
	return network.Status{Verdict: core.Done, ExternalID: string(out.Post)}, nil
}

type listedStory struct {
	Post  meta.ID `json:"post_id"`
	Media meta.ID `json:"media_id"`
	URL   string  `json:"url"`
}

// listStoriesSinceArmOrAll returns the Page's Stories since the arm, or all if the post was never armed.
func (n *Network) listStoriesSinceArmOrAll(ctx context.Context, it network.Item) ([]listedStory, error) {
	params := url.Values{}
	if !it.ArmedAt.IsZero() {
		params.Set("since", strconv.FormatInt(meta.SearchStart(it.ArmedAt).Unix(), 10))
	}
	list, err := meta.ListAll[listedStory](
		ctx, n.graph, "/"+url.PathEscape(it.Profile)+"/stories", it.Token.Access, params,
	)
	return list, n.distinguishExpiredFromRevoked(ctx, err, it.Token)
}

// fetchStoryLink returns the address of the Story from the list of the Page's Stories.
func (n *Network) fetchStoryLink(ctx context.Context, it network.Item, externalID string) (string, error) {
	stories, err := n.listStoriesSinceArmOrAll(ctx, it)
	if err != nil {
		return "", err
	}
	for _, s := range stories {
		if link := absoluteURLIfOnFacebook(s.URL); string(s.Post) == externalID && link != "" {
			return link, nil
		}
	}
	return "", &network.Error{Kind: network.Rejected, Message: "Facebook does not list the Story."}
}
