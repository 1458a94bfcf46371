package facebook

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/meta"
)

// publishText posts a text or a link to the feed.
func (n *Network) publishText(ctx context.Context, it network.Item, _ string) (network.Status, error) {
	s, err := network.DecodeSettings[Settings](n.about, it.Settings)
	if err != nil {
		return network.Status{}, err
	}
	return n.postToFeed(ctx, it, formOfNonEmpty(map[string]string{"message": textWithMissingTags(it), "link": s.Link}))
}

// readyIfPageReadable reads the Page with its token, and returns Ready if that succeeds. A token that cannot read the
// Page cannot publish either.
func (n *Network) readyIfPageReadable(ctx context.Context, it network.Item, _ string) (network.Status, error) {
	return n.readyIfReadable(ctx, it, it.Profile)
}

// readyIfReadable returns Ready, or the error with which Facebook refuses to return the object.
func (n *Network) readyIfReadable(ctx context.Context, it network.Item, id string) (network.Status, error) {
	if err := n.checkNodeReadable(ctx, it, id); err != nil {
		return network.Status{}, err
	}
	return network.Status{Verdict: core.Ready}, nil
}

// uploadPhotos uploads all files of the post without publishing them. The handle lists their ids in the post's order.
func (n *Network) uploadPhotos(ctx context.Context, it network.Item) (handle string, err error) {
	ids, err := network.CallEachConcurrently(ctx, it.Files, func(ctx context.Context, file network.File) (string, error) {
		return n.uploadPhoto(ctx, it, file)
	})
	return strings.Join(ids, ","), err
}

// uploadPhoto lets Facebook fetch a photo, or sends its bytes, and returns the photo's id.
func (n *Network) uploadPhoto(ctx context.Context, it network.Item, f network.File) (id string, err error) {
	form := formOfNonEmpty(map[string]string{"published": "false", "url": f.URL, "alt_text_custom": f.AltText(maxAlt)})
	if f.URL != "" {
		return n.createAtEdge(ctx, it, "photos", form)
	}
	var out struct {
		ID meta.ID `json:"id"`
	}
	err = n.postFileToEdge(ctx, it, "photos", form, meta.FilePart{Field: "source", File: f, Size: f.Bytes}, &out)
	if err == nil && out.ID == "" {
		err = &network.Error{Kind: network.Unknown, Message: "Facebook did not return the photo's ID."}
	}
	return string(out.ID), err
}

// readyIfPhotosExist returns Ready if every uploaded photo still exists. Facebook deletes unused photos after a day.
func (n *Network) readyIfPhotosExist(ctx context.Context, it network.Item, photoIDs string) (network.Status, error) {
	it.ArmedAt = time.Time{} // an earlier call for the post, which was refused, says nothing about the photos
	for id := range strings.SplitSeq(photoIDs, ",") {
		if err := n.checkNodeReadable(ctx, it, id); err != nil {
			return n.pendingOrDeadIfMissing(it, err)
		}
	}
	return network.Status{Verdict: core.Ready}, nil
}

// publishUploadedPhotos posts the uploaded photos, whose ids are separated by commas, to the feed.
func (n *Network) publishUploadedPhotos(ctx context.Context, it network.Item, photoIDs string) (network.Status, error) {
	if photoIDs == "" {
		return network.Status{}, newNoFileError()
	}
	form := formOfNonEmpty(map[string]string{"message": textWithMissingTags(it)})
	for i, id := range strings.Split(photoIDs, ",") {
		form.Set(fmt.Sprintf("attached_media[%d]", i), fmt.Sprintf(`{"media_fbid":%q}`, id))
	}
	return n.postToFeed(ctx, it, form)
}

// postToFeed makes the irreversible call and reads the post's address from the response.
func (n *Network) postToFeed(ctx context.Context, it network.Item, form url.Values) (network.Status, error) {
	var out struct {
		ID        meta.ID `json:"id"`
		Permalink string  `json:"permalink_url"`
	}
	form.Set("fields", "id,permalink_url")
	if err := n.postToEdge(ctx, it, "feed", form, &out); err != nil {
		return network.Status{}, err
	}
	if out.ID == "" {
		return network.Status{}, &network.Error{Kind: network.Unknown, Message: "Facebook did not return the post's ID."}
	}
	return network.Status{Verdict: core.Done, ExternalID: string(out.ID), URL: absoluteURLIfOnFacebook(out.Permalink)}, nil
}
