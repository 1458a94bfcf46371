package youtube

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"belfry/internal/core"
	"belfry/internal/network"
)

// Names of the final steps, once a video is on the channel. Jobs store them.
const (
	stepVisibility = "visibility"
	stepThumbnail  = "thumbnail"
	stepPlaylist   = "playlist"
)

var stepsInWords = map[string]string{
	stepVisibility: "set the visibility", stepThumbnail: "set the thumbnail", stepPlaylist: "add the video to the playlist",
}

// FinalStepInWords returns a verb phrase for a step.
func (n *Network) FinalStepInWords(step string) string {
	return cmp.Or(stepsInWords[step], "complete the step "+step)
}

// ListFinalSteps returns the final steps for a video. The check of its visibility is always one of them.
func (n *Network) ListFinalSteps(d network.Draft) []string {
	s, err := network.DecodeSettings[Settings](n.about, d.Settings)
	if err != nil {
		return nil
	}
	steps := []string{stepVisibility}
	if s.UseCoverAsThumbnail {
		steps = append(steps, stepThumbnail)
	}
	if s.PlaylistID != "" {
		steps = append(steps, stepPlaylist)
	}
	return steps
}

// RunFinalStep does one of the steps.
func (n *Network) RunFinalStep(ctx context.Context, it network.Item, externalID, step string) error {
	s, err := network.DecodeSettings[Settings](n.about, it.Settings)
	if err != nil {
		return err
	}
	v, err := n.fetchVideo(ctx, it, externalID)
	if e, ok := errors.AsType[*network.Error](err); ok && e.Code == codeVideoNotFound {
		e.Kind = network.Transient // right after an upload, YouTube may not find the video
	}
	if err != nil {
		return err
	}
	switch step {
	case stepVisibility:
		return v.checkVisibility(newVideoResource(it, s).Status.Visibility)
	case stepThumbnail:
		return n.setThumbnailOrRefuseIfProcessing(ctx, it, v)
	case stepPlaylist:
		return n.addToPlaylistIfMissing(ctx, it, s.PlaylistID, externalID)
	}
	return &network.Error{Kind: network.Transient, Message: "This version of Belfry does not support this step."}
}

// checkVisibility returns an error if the video does not have the requested visibility.
func (v videoNode) checkVisibility(requested string) error {
	if v.Status.Visibility == requested {
		return nil
	}
	return &network.Error{Kind: network.Rejected, Message: "The video is " + v.Status.Visibility + "."}
}

// setThumbnailOrRefuseIfProcessing sends the post's image if the video has been processed. Until then, it returns a
// Transient error, because YouTube would discard the thumbnail of a Short.
func (n *Network) setThumbnailOrRefuseIfProcessing(ctx context.Context, it network.Item, v videoNode) error {
	if v.Status.Upload == uploadUploaded {
		return &network.Error{Kind: network.Transient, Message: "YouTube is still processing the video."}
	}
	i := slices.IndexFunc(it.Files, func(f network.File) bool { return f.Kind == core.FileImage })
	if i < 0 {
		return &network.Error{Kind: network.Rejected, Message: "The post has no image."}
	}
	cover := it.Files[i]
	if issue := cover.Issue(); issue != nil {
		return &network.Error{Kind: network.Rejected, Message: issue.Message}
	}
	return n.callJSON(ctx, network.Request{
		Method: http.MethodPost, URL: uploadBase + "/thumbnails/set", Token: it.Token.Access,
		Query: url.Values{"videoId": {v.ID}, "uploadType": {"media"}}, Body: cover.PartBody(0, cover.Bytes),
	}, nil)
}

// addToPlaylistIfMissing adds the video unless the playlist has it already, because most playlists accept a video
// twice.
func (n *Network) addToPlaylistIfMissing(ctx context.Context, it network.Item, playlistID, videoID string) error {
	var listed struct {
		Items []struct{} `json:"items"`
	}
	query := url.Values{"part": {"id"}, "playlistId": {playlistID}, "videoId": {videoID}}
	if err := n.getJSON(ctx, "/playlistItems", it.Token.Access, query, &listed); err != nil || len(listed.Items) > 0 {
		return err
	}
	err := n.callJSON(ctx, network.Request{
		Method: http.MethodPost, URL: apiBase + "/playlistItems", Query: url.Values{"part": {"snippet"}},
		Token: it.Token.Access, JSON: map[string]any{"snippet": map[string]any{
			"playlistId": playlistID, "resourceId": map[string]any{"kind": "youtube#video", "videoId": videoID},
		}},
	}, nil)
	if e, ok := errors.AsType[*network.Error](err); ok && e.Status == http.StatusConflict {
		return nil // the playlist has it already
	}
	return err
}
