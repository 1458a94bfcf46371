package facebook

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strconv"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/meta"
)

// createVideoHandle lets Facebook fetch a Page video, or starts an upload session, and returns the handle.
func (n *Network) createVideoHandle(ctx context.Context, it network.Item) (handle string, err error) {
	if it.Files[0].URL == "" {
		return n.startUploadSession(ctx, it)
	}
	form := newUnpublishedVideoForm(it)
	form.Set("file_url", it.Files[0].URL)
	return n.createAtEdge(ctx, it, "videos", form)
}

// newUnpublishedVideoForm returns the form for an unpublished Page video.
func newUnpublishedVideoForm(it network.Item) url.Values {
	form := formOfNonEmpty(map[string]string{"title": it.Title, "description": textWithMissingTags(it)})
	form.Set("published", "false")
	return form
}

func (n *Network) fetchVideoStatus(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	v, err := n.fetchVideo(ctx, it, handle)
	switch {
	case err != nil:
		return n.pendingOrDeadIfMissing(it, err)
	case v.Published:
		return v.doneStatus(handle), nil
	case v.Status.Video == videoReady:
		return network.Status{Verdict: core.Ready}, nil
	}
	return v.pendingOrFailed(it)
}

// publishVideo makes a call that Meta's own SDK makes, but that Meta's documents do not mention (docs/networks.md).
func (n *Network) publishVideo(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	err := n.graph.Post(
		ctx, "/"+url.PathEscape(handle), it.Token.Access, url.Values{"published": {"true"}}, &successResponse{},
	)
	return pendingUnlessError(n.distinguishExpiredFromRevoked(ctx, err, it.Token))
}

// pendingUnlessError returns Pending if a call succeeded: Facebook has accepted the post but does not show it yet.
func pendingUnlessError(err error) (network.Status, error) {
	if err != nil {
		return network.Status{}, err
	}
	return network.Status{Verdict: core.Pending}, nil
}

// startReelUpload starts the upload of a Reel and returns the handle.
func (n *Network) startReelUpload(ctx context.Context, it network.Item) (handle string, err error) {
	return n.startPhasedUpload(ctx, it, "video_reels")
}

func (n *Network) fetchReelStatus(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	v, err := n.fetchVideo(ctx, it, handle)
	switch {
	case err != nil:
		return n.pendingOrDeadIfMissing(it, err)
	case v.isReelOrStoryPublished():
		return v.doneStatus(handle), nil
	}
	return v.readyIfUploaded(it)
}

func (n *Network) publishReel(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	form := formOfNonEmpty(map[string]string{"title": it.Title, "description": textWithMissingTags(it)})
	form.Set("upload_phase", "finish")
	form.Set("video_id", handle)
	form.Set("video_state", "PUBLISHED")
	return pendingUnlessError(n.postToEdge(ctx, it, "video_reels", form, &successResponse{}))
}

// successResponse is the response {"success":true}. Any other fails to decode.
type successResponse struct{}

// UnmarshalJSON fails unless success is true.
func (*successResponse) UnmarshalJSON(data []byte) error {
	var out struct {
		Success bool `json:"success"`
	}
	if err := json.Unmarshal(data, &out); err != nil {
		return err
	}
	if !out.Success {
		return errors.New("Facebook's response does not confirm success")
	}
	return nil
}

// startPhasedUpload creates a video at an edge with upload phases and returns the handle. If the file has an address,
// Facebook fetches it from there.
func (n *Network) startPhasedUpload(ctx context.Context, it network.Item, edge string) (handle string, err error) {
	var out struct {
		ID     meta.ID `json:"video_id"`
		Upload string  `json:"upload_url"`
	}
	if err := n.postToEdge(ctx, it, edge, url.Values{"upload_phase": {"start"}}, &out); err != nil {
		return "", err
	}
	handle, err = meta.NewUploadHandle(out.ID, out.Upload, uploadHost)
	if err != nil || it.Files[0].URL == "" {
		return handle, err
	}
	err = n.graph.SendFileURL(ctx, it.Token.Access, out.Upload, it.Files[0])
	return string(out.ID), n.distinguishExpiredFromRevoked(ctx, err, it.Token)
}

// sendRemainingVideo sends the bytes of an upload that have not arrived yet.
func (n *Network) sendRemainingVideo(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	if len(it.Files) == 0 {
		return network.Status{}, newNoFileError()
	}
	ask := func(ctx context.Context, id string) (meta.UploadProgress, error) {
		v, err := n.fetchVideo(ctx, it, id)
		uploading := v.Status.Uploading
		return meta.UploadProgress{Bytes: uploading.Bytes, All: uploading.isComplete() || v.hasFailed()}, err
	}
	st, err := n.graph.SendRemaining(ctx, it.Token.Access, handle, it.Files[0], ask)
	if err = n.distinguishExpiredFromRevoked(ctx, err, it.Token); err != nil {
		return n.pendingOrDeadIfMissing(it, err)
	}
	return st, nil
}

// Values of a video's status.
const (
	videoReady       = "ready"
	videoExpired     = "expired"
	publishPublished = "published"
)

// videoNode is a video, as the Graph API returns it.
type videoNode struct {
	Published bool   `json:"published"`
	Permalink string `json:"permalink_url"`
	Status    struct {
		Video      string     `json:"video_status"`
		Uploading  videoPhase `json:"uploading_phase"`
		Processing videoPhase `json:"processing_phase"`
		Publishing videoPhase `json:"publishing_phase"`
	} `json:"status"`
}

type videoPhase struct {
	Status  string         `json:"status"`
	Bytes   int64          `json:"bytes_transfered"` //nolint:misspell // as Facebook spells it
	Publish string         `json:"publish_status"`
	Error   *phaseProblem  `json:"error"`
	Errors  []phaseProblem `json:"errors"`
}

type phaseProblem struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// isComplete reports whether the phase is complete. It accepts two spellings, because Facebook's documents disagree.
func (p videoPhase) isComplete() bool { return p.Status == "complete" || p.Status == "completed" }

// hasPublishingBegun reports whether Facebook has accepted the video for publishing, which either of two fields can
// show.
func (v videoNode) hasPublishingBegun() bool {
	p := v.Status.Publishing
	return p.Status == "in_progress" || p.isComplete() || p.Publish == publishPublished
}

// isReelOrStoryPublished reports whether a Reel, or the video of a Story, is published. For a Page video, the field
// Published says so.
func (v videoNode) isReelOrStoryPublished() bool {
	p := v.Status.Publishing
	return p.isComplete() && p.Publish == publishPublished
}

func (n *Network) fetchVideo(ctx context.Context, it network.Item, id string) (v videoNode, err error) {
	return v, n.getNode(ctx, it, "/"+url.PathEscape(id), url.Values{"fields": {"status,published,permalink_url"}}, &v)
}

func (v videoNode) doneStatus(id string) network.Status {
	return network.Status{Verdict: core.Done, ExternalID: id, URL: absoluteURLIfOnFacebook(v.Permalink)}
}

func (v videoNode) allPhases() []videoPhase {
	return []videoPhase{v.Status.Uploading, v.Status.Processing, v.Status.Publishing}
}

// hasFailed reports whether Facebook has given up on the video.
func (v videoNode) hasFailed() bool {
	return slices.Contains([]string{"error", "upload_failed", videoExpired}, v.Status.Video) ||
		slices.ContainsFunc(v.allPhases(), func(p videoPhase) bool { return p.Status == "error" || p.Publish == "error" })
}

// readyIfUploaded returns Ready for a video whose file has arrived. A video that Facebook has already accepted for
// publishing is Pending until it has been processed.
func (v videoNode) readyIfUploaded(it network.Item) (_ network.Status, fileAtFault error) {
	taken := !it.ArmedAt.IsZero() && v.hasPublishingBegun()
	if !v.hasFailed() && !taken && v.Status.Uploading.isComplete() {
		return network.Status{Verdict: core.Ready}, nil
	}
	return v.pendingOrFailed(it)
}

// pendingOrFailed returns the status of a video that cannot be published, or not yet. If the file itself is at fault,
// it returns an error, because another upload would fail the same way.
func (v videoNode) pendingOrFailed(it network.Item) (_ network.Status, fileAtFault error) {
	if !v.hasFailed() {
		return network.Status{Verdict: core.Pending, Code: v.Status.Video}, nil
	}
	dead := network.Status{
		Verdict: core.Broken, Code: v.Status.Video, Message: "Facebook could not use the video: " + v.Status.Video,
	}
	if v.Status.Video == videoExpired {
		dead.Verdict = core.Dead
	}
	for _, p := range v.allPhases() {
		problems := p.Errors
		if p.Error != nil {
			problems = append(problems, *p.Error)
		}
		for _, x := range problems {
			dead.Message = x.Message
			row := errorTable.MeaningOf(meta.Code{Code: x.Code})
			if it.ArmedAt.IsZero() && row.Kind == network.Rejected && x.Code != 0 {
				return network.Status{}, new(row.NewError(strconv.Itoa(x.Code), x.Message))
			}
		}
	}
	return dead, nil
}
