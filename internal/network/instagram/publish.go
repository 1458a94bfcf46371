package instagram

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/meta"
)

// DeliveryFor returns the same flow for every post: a container, then the call that publishes it. Instagram fetches
// the files, but accepts the bytes of a single video from accounts that were connected with Facebook Login.
func (n *Network) DeliveryFor(d network.Draft) network.Delivery {
	containers := network.Budget{
		Call: core.DoCreate, Scope: network.ScopeAccount, Name: "containers", Count: 400, Cost: 1, Window: 24 * time.Hour,
	}
	delivery := network.Delivery{Flow: core.FlowHandle, Ahead: network.PreparedAhead, Files: network.Pulled}
	switch files := len(d.Media); {
	case files == 0:
		delivery.Files = ""
	case files > 1: // one for each file, and one for the carousel
		containers.Cost = files + 1
	case d.Media[0].Kind == core.FileVideo && cmp.Or(d.Account.Login, n.login) == loginFacebook:
		delivery.Files = network.Either
		delivery.Ahead = network.AheadForUpload(d.Media, network.UploadRate)
	}
	delivery.Budgets = []network.Budget{containers}
	return delivery
}

// CreateHandle creates a container, which nobody can see. For several files, it creates one for each, and the handle
// lists them until AdvanceStatus creates the carousel.
func (n *Network) CreateHandle(ctx context.Context, it network.Item) (handle string, err error) {
	s, err := network.DecodeSettings[Settings](n.about, it.Settings)
	if err != nil {
		return "", err
	}
	if postContentType(s, it.DraftWithoutAccount().Media) == typeCarousel {
		return n.createCarouselItems(ctx, it)
	}
	form, err := newContainerFormWithoutChildren(it, s)
	if err != nil {
		return "", err
	}
	if it.Files[0].URL == "" {
		return n.createUploadContainer(ctx, it, form)
	}
	return n.createAtEdge(ctx, it, "media", form)
}

// createUploadContainer creates a container and returns a handle with the address for its bytes.
func (n *Network) createUploadContainer(
	ctx context.Context, it network.Item, form url.Values,
) (handle string, err error) {
	if !isPageToken(it.Token) || it.Files[0].Kind != core.FileVideo {
		return "", network.NewMediaUnreachableError(n.about.Name)
	}
	form.Del(fileURLParamName(it.Files[0]))
	form.Set("upload_type", "resumable")
	var out struct {
		ID  meta.ID `json:"id"`
		URI string  `json:"uri"`
	}
	err = n.pages.API.Post(ctx, "/"+url.PathEscape(it.Profile)+"/media", it.Token.Access, form, &out)
	if err != nil {
		return "", n.distinguishExpiredFromRevoked(ctx, err, it.Token)
	}
	return meta.NewUploadHandle(out.ID, out.URI, uploadHost)
}

// newContainerFormWithoutChildren returns the parameters of a post's container, except the children of a carousel.
// Reels always get share_to_feed, because Instagram documents no default for it.
func newContainerFormWithoutChildren(it network.Item, s Settings) (url.Values, error) {
	kind := postContentType(s, it.DraftWithoutAccount().Media)
	v := url.Values{}
	if kind != typeFeed {
		v.Set("media_type", strings.ToUpper(kind))
	}
	if kind != typeCarousel {
		if len(it.Files) != 1 {
			return nil, fmt.Errorf("cannot publish a post of type %s with %d files on Instagram", kind, len(it.Files))
		}
		v.Set(fileURLParamName(it.Files[0]), it.Files[0].URL)
	}
	if kind == typeStories {
		return v, nil
	}
	if text := network.AppendMissingTags(it.Text, it.Tags); text != "" {
		v.Set("caption", text)
	}
	if len(s.Collaborators) > 0 {
		list, err := json.Marshal(s.Collaborators)
		if err != nil {
			return nil, err
		}
		v.Set("collaborators", strings.ToLower(string(list)))
	}
	if kind == typeFeed {
		setAltText(v, cmp.Or(s.AltText, it.Files[0].AltText(maxAlt)))
	}
	if kind == typeReels {
		v.Set("share_to_feed", strconv.FormatBool(s.ShareToFeed == nil || *s.ShareToFeed))
	}
	if kind == typeReels && s.CoverMs != nil {
		v.Set("thumb_offset", strconv.FormatInt(*s.CoverMs, 10))
	}
	return v, nil
}

// fileURLParamName returns the name of the parameter for the address of a file.
func fileURLParamName(f network.File) string {
	if f.Kind == core.FileVideo {
		return "video_url"
	}
	return "image_url"
}

// Publish publishes the container.
func (n *Network) Publish(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	id, err := n.createAtEdge(ctx, it, "media_publish", url.Values{"creation_id": {handle}})
	if err != nil {
		return network.Status{}, n.addWaitIfQuotaUsedUp(ctx, it, err)
	}
	return network.Status{Verdict: core.Done, ExternalID: id}, nil
}

// createAtEdge posts a form to an edge of the account and returns the id of the new object.
func (n *Network) createAtEdge(
	ctx context.Context, it network.Item, edge string, form url.Values,
) (id string, err error) {
	id, err = n.apiForToken(it.Token).CreateObject(ctx, "/"+url.PathEscape(it.Profile)+"/"+edge, it.Token.Access, form)
	return id, n.distinguishExpiredFromRevoked(ctx, err, it.Token)
}

// AdvanceStatus returns the status of the container. Before that, it sends the bytes that a container waits for, or
// creates a carousel whose items are all ready.
func (n *Network) AdvanceStatus(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	if _, _, ok := meta.ParseUploadHandle(handle); ok {
		return n.sendRemainingToContainer(ctx, it, handle)
	}
	return n.containers.AskStatusOrCreateCarousel(ctx, it, handle)
}

// container is a container, as Instagram returns it.
type container struct {
	State string `json:"status_code"`
	Words string `json:"status"`
	Video struct {
		Uploading struct {
			Status string `json:"status"`
			Bytes  int64  `json:"bytes_transferred"`
		} `json:"uploading_phase"`
	} `json:"video_status"`
}

func (n *Network) fetchContainer(ctx context.Context, it network.Item, id, fields string) (c container, err error) {
	return c, n.readNodeWithFallback(ctx, it.Token, "/"+url.PathEscape(id), url.Values{"fields": {fields}}, &c)
}

// sendRemainingToContainer sends the bytes of a container that have not arrived yet.
func (n *Network) sendRemainingToContainer(
	ctx context.Context,
	it network.Item,
	handle string,
) (network.Status, error) {
	if len(it.Files) != 1 {
		return network.Status{}, fmt.Errorf("cannot upload a file to Instagram for a post with %d files", len(it.Files))
	}
	ask := func(ctx context.Context, id string) (meta.UploadProgress, error) {
		c, err := n.fetchContainer(ctx, it, id, "id,status_code,video_status")
		uploading := c.Video.Uploading
		done := uploading.Status == "complete" || c.State != "" && c.State != containerInProgress
		return meta.UploadProgress{Bytes: uploading.Bytes, All: done}, err
	}
	st, err := n.pages.API.SendRemaining(ctx, it.Token.Access, handle, it.Files[0], ask)
	if isContainerMissing(err) {
		return n.containers.FindPostElsePendingOrDead(ctx, it, err)
	}
	return st, n.distinguishExpiredFromRevoked(ctx, err, it.Token)
}

const containerInProgress = "IN_PROGRESS"

func (n *Network) fetchContainerStatus(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	c, err := n.fetchContainer(ctx, it, handle, "id,status_code,status")
	switch {
	case isContainerMissing(err):
		return n.containers.FindPostElsePendingOrDead(ctx, it, err)
	case err != nil:
		return network.Status{}, n.distinguishExpiredFromRevoked(ctx, err, it.Token)
	}
	if c.State == "" && strings.HasPrefix(c.Words, "Error") { // Instagram has returned this
		c.State = meta.ContainerError
	}
	if c.State == meta.ContainerError {
		if err := permanentFileErrorUnlessArmed(it, c.Words); err != nil {
			return network.Status{}, err
		}
		c.Words = "Instagram could not use the file: " + c.Words
	}
	return n.containers.StatusOfStateAndFindIfPublished(ctx, it, c.State, c.Words), nil
}

// permanentFileErrorUnlessArmed returns an error if another upload would not fix the file of a container. After the
// arm, it always returns nil.
func permanentFileErrorUnlessArmed(it network.Item, statusText string) error {
	for subcode, unusable := range map[int]string{badVideo: "video", badCover: "cover frame"} {
		if code := strconv.Itoa(subcode); strings.HasSuffix(statusText, code) && it.ArmedAt.IsZero() {
			row := errorTable.MeaningOf(meta.Code{Code: 1, Subcode: subcode})
			return new(row.NewError(code, "Instagram cannot use the "+unusable+": "+statusText))
		}
	}
	return nil
}
