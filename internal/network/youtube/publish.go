package youtube

import (
	"context"
	"errors"
	"net/url"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
)

const (
	// uploadRate is the lowest upload rate, in bytes a second, at which a video is ready at its time.
	uploadRate = 1 << 20

	// goneUploadGrace is how long to search for the video of an upload that disappeared after the arm.
	goneUploadGrace = 5 * time.Minute
	// maxProcessing is how long YouTube may process a video before it counts as live.
	maxProcessing = 30 * time.Minute
)

// DeliveryFor returns the same flow for every video: all bytes except the last are sent ahead of its time.
func (n *Network) DeliveryFor(d network.Draft) network.Delivery {
	return network.Delivery{
		Flow: core.FlowHandle, Ahead: network.AheadForUpload(d.Media, uploadRate), Files: network.Pushed,
		Budgets: []network.Budget{n.uploads},
	}
}

// CreateHandle starts an upload. Nothing appears on the channel until the last byte arrives.
func (n *Network) CreateHandle(ctx context.Context, it network.Item) (handle string, err error) {
	s, err := network.DecodeSettings[Settings](n.about, it.Settings)
	if err != nil {
		return "", err
	}
	u, err := n.startUpload(ctx, it, s)
	if err != nil {
		return "", err
	}
	return u.encode(), nil
}

// AdvanceStatus queries the progress of the upload and sends the next part, but never the last one. Once YouTube has
// returned the video's id, AdvanceStatus queries the video instead.
func (n *Network) AdvanceStatus(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	if it.ExternalID != "" {
		return n.fetchVideoStatus(ctx, it, it.ExternalID)
	}
	u, err := decodeHandle(handle)
	if err != nil {
		return network.Status{}, err
	}
	p, err := n.fetchProgress(ctx, it, u)
	switch {
	case isUploadGone(err):
		return n.statusOfGoneUpload(ctx, it, err)
	case err != nil:
		return n.findPostAfterRefusedUpload(ctx, it, err)
	case p.Video != nil:
		return n.fetchVideoStatus(ctx, it, p.Video.ID)
	case p.Offset == u.Size: // nothing is left to send, and the video may exist
		return network.Status{Verdict: core.Pending}, nil
	}
	size := u.nextPartSizeBeforeTail(p.Offset)
	if size <= 0 {
		u.Tail = p.Offset
		return network.Status{Verdict: core.Ready, Handle: encodeChangedHandleUnlessArmed(it, u)}, nil
	}
	_, err = n.sendPart(ctx, it, u, p.Offset, size)
	if isUnknownOrTransient(err) { // the next query returns what has arrived
		u.Chunk = max(u.Chunk/2/unit*unit, unit)
		return network.Status{Verdict: core.Pending, Handle: encodeChangedHandleUnlessArmed(it, u), Message: err.Error()}, nil
	}
	return network.Status{Verdict: core.Progress}, err
}

// encodeChangedHandleUnlessArmed returns the changed handle, or "" after the arm, when a handle must not change.
func encodeChangedHandleUnlessArmed(it network.Item, u uploadHandle) (handleOrEmptyToKeep string) {
	if !it.ArmedAt.IsZero() {
		return ""
	}
	return u.encode()
}

// Publish sends the last bytes of the upload. The video appears on the channel as soon as they have arrived.
func (n *Network) Publish(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	u, err := decodeHandle(handle)
	if err != nil {
		return network.Status{}, err
	}
	p, err := n.sendPart(ctx, it, u, u.Tail, u.Size-u.Tail)
	if err == nil && p.Video == nil && p.Offset > u.Tail && p.Offset < u.Size { // some of them had already arrived
		p, err = n.sendPart(ctx, it, u, p.Offset, u.Size-p.Offset)
	}
	switch {
	case err != nil:
		return network.Status{}, err
	case p.Video == nil:
		return network.Status{}, &network.Error{Kind: network.Unknown, Message: "YouTube did not confirm that it received the whole video."}
	case p.Video.Status.Upload == uploadProcessed:
		return doneStatus(p.Video.ID), nil
	}
	return network.Status{Verdict: core.Pending, ExternalID: p.Video.ID}, nil
}

func doneStatus(id string) network.Status {
	return network.Status{Verdict: core.Done, ExternalID: id, URL: watchURL(id)}
}

// statusOfGoneUpload returns the status of an upload that no longer exists. If its last bytes may have been
// sent, it searches the channel's videos, and returns Ambiguous if the post is not among them after a grace period.
func (n *Network) statusOfGoneUpload(ctx context.Context, it network.Item, goneErr error) (network.Status, error) {
	if it.ArmedAt.IsZero() {
		return network.Status{Verdict: core.Dead, Message: goneErr.Error()}, nil
	}
	found, err := n.FindPost(ctx, it)
	if err != nil || found.Verdict != core.Absent {
		return found, err
	}
	found.Verdict, found.Message = core.Ambiguous, goneErr.Error()
	if n.now().Sub(it.LastArmedAt()) < max(goneUploadGrace, n.about.Settle) {
		found.Verdict = core.Pending
	}
	return found, nil
}

// findPostAfterRefusedUpload returns the status of an upload that ended with an error, which YouTube repeats. The
// error may concern only the query, so the post is doomed only if the channel does not show the video either. Before
// the arm, and for an error that is not a refusal, it returns the error unchanged.
func (n *Network) findPostAfterRefusedUpload(
	ctx context.Context, it network.Item, err error,
) (network.Status, error) {
	e, ok := errors.AsType[*network.Error](err)
	if !ok || e.Kind != network.Rejected || it.ArmedAt.IsZero() {
		return network.Status{}, err
	}
	found, err := n.FindPost(ctx, it)
	if err != nil || found.Verdict != core.Absent {
		return found, err
	}
	if n.now().Sub(it.LastArmedAt()) < max(goneUploadGrace, n.about.Settle) {
		return network.Status{Verdict: core.Pending, Message: e.Error()}, nil
	}
	return network.Status{Verdict: core.Doomed, Code: e.Code, Message: e.Message, Hint: e.Hint}, nil
}

// FetchLink returns the address of the video's page, if the video exists.
func (n *Network) FetchLink(ctx context.Context, it network.Item, externalID string) (postURL string, err error) {
	v, err := n.fetchVideo(ctx, it, externalID)
	if err != nil {
		return "", err
	}
	return watchURL(v.ID), nil
}

// Values of a video's status.
const (
	uploadUploaded  = "uploaded"
	uploadProcessed = "processed"
	uploadFailed    = "failed"
	uploadRejected  = "rejected"
	uploadDeleted   = "deleted"

	failureUploadAborted = "uploadAborted" // the only reason that is not about the file

	codeVideoNotFound = "videoNotFound" // YouTube's code, which also stands for an empty response
)

// videoNode is a video, as the Data API returns it.
type videoNode struct {
	ID     string `json:"id"`
	Status struct {
		Upload     string `json:"uploadStatus"`
		Failure    string `json:"failureReason"`
		Rejected   string `json:"rejectionReason"`
		Visibility string `json:"privacyStatus"`
	} `json:"status"`
}

func (n *Network) fetchVideo(ctx context.Context, it network.Item, id string) (videoNode, error) {
	var out struct {
		Items []videoNode `json:"items"`
	}
	err := n.getJSON(ctx, "/videos", it.Token.Access, url.Values{"part": {"id,status"}, "id": {id}}, &out)
	switch {
	case err != nil:
		return videoNode{}, err
	case len(out.Items) != 1 || out.Items[0].ID != id:
		return videoNode{}, &network.Error{
			Kind: network.Rejected, Code: codeVideoNotFound, Message: "The video was not found.",
		}
	}
	return out.Items[0], nil
}

// fetchVideoStatus returns the status of a video that is on the channel and may still be processing.
func (n *Network) fetchVideoStatus(ctx context.Context, it network.Item, id string) (network.Status, error) {
	pending := network.Status{Verdict: core.Pending, ExternalID: id}
	v, err := n.fetchVideo(ctx, it, id)
	if err != nil {
		return n.statusOfUnreadableVideo(pending, it, err)
	}
	switch v.Status.Upload {
	case uploadFailed, uploadRejected, uploadDeleted:
		return v.doomedStatus(), nil
	case uploadUploaded:
		if n.now().Sub(it.LastArmedAt()) < maxProcessing {
			return pending, nil
		}
	}
	return doneStatus(id), nil
}

// statusOfUnreadableVideo returns the status of a video that cannot be queried. YouTube has certainly
// accepted it. If YouTube still does not find it when it must have been processed, only a person can tell whether it
// was published.
func (n *Network) statusOfUnreadableVideo(
	pending network.Status, it network.Item, err error,
) (network.Status, error) {
	e, ok := errors.AsType[*network.Error](err)
	switch {
	case !ok || e.Kind == network.Lapsed:
		return network.Status{}, err
	case n.now().Sub(it.LastArmedAt()) < maxProcessing &&
		(e.Kind == network.Rejected || e.Kind == network.NotSent || isUnknownOrTransient(err)):
		return pending, nil
	case e.Code == codeVideoNotFound:
		return network.Status{Verdict: core.Ambiguous, Code: e.Code, Message: e.Message}, nil
	}
	return doneStatus(pending.ExternalID), nil
}

// doomedStatus returns the status of a video that YouTube accepted and then rejected.
func (v videoNode) doomedStatus() network.Status {
	doomed := network.Status{Verdict: core.Doomed, Code: v.Status.Failure + v.Status.Rejected}
	doomed.Message, doomed.Hint = "YouTube could not process the video.", "Replace the file in a copy of the post."
	if v.Status.Failure == failureUploadAborted {
		doomed.Hint = "Retry the post."
	}
	switch v.Status.Upload {
	case uploadRejected:
		doomed.Message, doomed.Hint = "YouTube rejected the video.", "Open YouTube Studio to see why."
	case uploadDeleted:
		doomed.Code, doomed.Message = uploadDeleted, "The video was deleted on YouTube."
		doomed.Hint = "If you still want to publish the video, retry the post."
	}
	if doomed.Code != "" && v.Status.Upload != uploadDeleted {
		doomed.Message = doomed.Message[:len(doomed.Message)-1] + ": " + doomed.Code + "."
	}
	return doomed
}
