package tiktok

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
)

// longestAhead leaves time to send the last part while TikTok still accepts parts.
const longestAhead = 50 * time.Minute

// newAccountMinuteBudget returns a limit of count calls a minute for each account.
func newAccountMinuteBudget(call core.Action, name string, count int) network.Budget {
	return network.Budget{Call: call, Scope: network.ScopeAccount, Name: name, Count: count, Window: time.Minute}
}

// DeliveryFor returns, for a video, an upload whose last part publishes it; large videos are prepared earlier. TikTok
// fetches and publishes photos without another call.
func (*Network) DeliveryFor(d network.Draft) network.Delivery {
	if postContentType(d.Media) == typePhoto {
		return network.Delivery{
			Flow: core.FlowHandle, Files: network.Pulled, Gated: true,
			Budgets: []network.Budget{
				newAccountMinuteBudget(core.DoCreate, "photo posts", 6),
				newAccountMinuteBudget(core.DoStatus, "status queries", 30),
			},
		}
	}
	ahead := min(network.AheadForUpload(d.Media, network.UploadRate), longestAhead)
	return network.Delivery{
		Flow: core.FlowHandle, Ahead: ahead, Files: network.Pushed,
		Budgets: []network.Budget{
			newAccountMinuteBudget(core.DoCreate, "video posts", 6),
			newAccountMinuteBudget(core.DoStatus, "status queries", 30),
		},
	}
}

// CreateHandle queries what the account allows, and then starts the upload of a video or sends the addresses of photos.
func (n *Network) CreateHandle(ctx context.Context, it network.Item) (handle string, err error) {
	s, err := network.DecodeSettings[Settings](n.about, it.Settings)
	switch {
	case err != nil:
		return "", err
	case len(it.Files) == 0:
		return "", newRefusal("The post has no file.", "Add a file to a copy of the post.")
	}
	c, err := n.fetchCreatorInfo(ctx, it.Token.Access)
	if err != nil {
		return "", err
	}
	info, err := c.newPostInfo(it, s)
	if err != nil {
		return "", err
	}
	if postContentType(it.DraftWithoutAccount().Media) == typePhoto {
		return n.startSelfPublishingPhotoPost(ctx, it, info, s)
	}
	return n.startUpload(ctx, it, info)
}

// AdvanceStatus sends the next part of a video before the arm. After the arm, it returns the result of the post, or
// sends a part again that TikTok has lost. It never sends the last part, which publishes the video.
func (n *Network) AdvanceStatus(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	h, err := decodeHandle(handle)
	switch {
	case err != nil:
		return network.Status{}, err
	case !it.ArmedAt.IsZero():
		return n.fetchStatusAndResendLostPart(ctx, it, h)
	case h.isPhotos():
		return network.Status{Verdict: core.Ready}, nil
	case h.isTooLateToSendPart(n.env.Now()):
		return network.Status{Verdict: core.Dead, Message: "The upload has expired."}, nil
	case h.Offset == h.lastVideoPartOffset():
		return network.Status{Verdict: core.Ready}, nil
	}
	return n.sendNextPartBeforeLast(ctx, it, h)
}

// sendNextPartBeforeLast sends the part at the handle's offset, which must not be the last part, because that publishes
// the video. A lost response is not an error, because TikTok reports how many bytes have arrived.
func (n *Network) sendNextPartBeforeLast(
	ctx context.Context, it network.Item, h postHandle,
) (network.Status, error) {
	_, sendErr := n.sendPart(ctx, it, h, h.Offset)
	if sendErr == nil {
		h.Offset += h.Part
		return network.Status{Verdict: core.Progress, Handle: h.encode()}, nil
	}
	e, ok := errors.AsType[*network.Error](sendErr)
	if !ok || e.Kind != network.Unknown {
		return network.Status{}, sendErr
	}
	t, err := n.fetchPublishTask(ctx, it, h)
	if err != nil {
		return network.Status{}, err
	}
	st := network.Status{Verdict: core.Pending, Message: e.Message}
	arrived := min(t.Uploaded/h.Part*h.Part, h.lastVideoPartOffset())
	switch {
	case arrived > h.Offset:
		st.Verdict = core.Progress
	case e.Status == http.StatusForbidden || e.Status == http.StatusNotFound:
		st.Verdict = core.Dead
	}
	h.Offset = arrived
	st.Handle = h.encode()
	return st, nil
}

// publishTask is the status of an upload, as TikTok returns it. The ids are numbers of 19 digits, in a list with a
// misspelled name.
type publishTask struct {
	Status   string        `json:"status"`
	Reason   string        `json:"fail_reason"`
	Posts    []json.Number `json:"publicaly_available_post_id"` //nolint:misspell // as TikTok spells it
	Uploaded int64         `json:"uploaded_bytes"`
}

func (n *Network) fetchPublishTask(ctx context.Context, it network.Item, h postHandle) (t publishTask, err error) {
	return t, n.postJSON(
		ctx, it.Token.Access, "/v2/post/publish/status/fetch/", map[string]string{"publish_id": h.Task}, &t,
	)
}

// fetchStatusAndResendLostPart returns the status of the post once its last part may have been sent. If TikTok has lost
// parts of the video, it sends one of them again.
func (n *Network) fetchStatusAndResendLostPart(
	ctx context.Context, it network.Item, h postHandle,
) (network.Status, error) {
	t, err := n.fetchPublishTask(ctx, it, h)
	if err != nil {
		return network.Status{}, err
	}
	pending := network.Status{Verdict: core.Pending, Code: t.Status}
	switch {
	case t.Status == "PUBLISH_COMPLETE":
		return t.doneStatus(it), nil
	case t.Status == "FAILED":
		return failedStatus(t.Reason), nil
	case h.isPhotos() || t.Status != "PROCESSING_UPLOAD" || t.Uploaded >= h.Size:
		return pending, nil
	case n.env.Now().After(h.Until.Add(lateParts)):
		return network.Status{Verdict: core.Dead, Message: "The upload expired before the whole video arrived."}, nil
	case h.isTooLateToSendPart(n.env.Now()):
		return pending, nil
	case t.Uploaded >= h.lastVideoPartOffset():
		return network.Status{Verdict: core.Ready}, nil
	}
	h.Offset = t.Uploaded / h.Part * h.Part
	st, err := n.sendNextPartBeforeLast(ctx, it, h) // TikTok has lost some
	st.Handle = ""
	return st, err
}

// doneStatus returns the status of a live post. TikTok returns the id of public posts only, sometimes with a delay.
func (t publishTask) doneStatus(it network.Item) network.Status {
	st := network.Status{Verdict: core.Done}
	if len(t.Posts) > 0 {
		st.ExternalID = t.Posts[0].String()
		// TikTok does not document the address of photos.
		if it.Username != "" && postContentType(it.DraftWithoutAccount().Media) == typeVideo {
			st.URL = siteURL + "/@" + it.Username + "/video/" + st.ExternalID
		}
	}
	return st
}

// Publish sends the last part of a video. It makes no call for photos, which TikTok can fetch once the arm is saved.
func (n *Network) Publish(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	h, err := decodeHandle(handle)
	if err != nil {
		return network.Status{}, err
	}
	if h.isPhotos() {
		return network.Status{Verdict: core.Pending}, nil
	}
	resp, err := n.sendPart(ctx, it, h, h.lastVideoPartOffset())
	switch {
	case err != nil:
		return network.Status{}, err
	case resp.Status != http.StatusCreated:
		return network.Status{}, resp.AttachRedactedTo(network.Error{
			Kind: network.Unknown, Message: "According to TikTok, parts of the video are missing.",
		})
	}
	return network.Status{Verdict: core.Pending}, nil
}
