package facebook

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/meta"
)

// publishSteps are the calls that publish one kind of post.
type publishSteps struct {
	flow    core.Flow
	create  func(*Network, context.Context, network.Item) (string, error) // nil in a flow without a handle
	status  func(*Network, context.Context, network.Item, string) (network.Status, error)
	publish func(*Network, context.Context, network.Item, string) (network.Status, error)
	link    func(*Network, context.Context, network.Item, string) (string, error)
}

var stepsByType = map[string]publishSteps{
	typeText: {core.FlowOneCall, nil, (*Network).readyIfPageReadable, (*Network).publishText, (*Network).fetchPermalink},
	typePhoto: {
		core.FlowPrepared, (*Network).uploadPhotos, (*Network).readyIfPhotosExist, (*Network).publishUploadedPhotos,
		(*Network).fetchPermalink,
	},
	typeVideo: {
		core.FlowHandle, (*Network).createVideoHandle, (*Network).fetchVideoStatus, (*Network).publishVideo,
		(*Network).fetchPermalink,
	},
	typeReels: {
		core.FlowHandle, (*Network).startReelUpload, (*Network).fetchReelStatus, (*Network).publishReel,
		(*Network).fetchPermalink,
	},
	typeStories: {
		core.FlowHandle, (*Network).createStoryHandle, (*Network).fetchStoryOrUploadStatus, (*Network).publishStory,
		(*Network).fetchStoryLink,
	},
}

// selectPublishStepsOrTextSteps returns the steps for the draft's content type. If the settings cannot be decoded, it
// returns those for a text, which fail with the reason.
func (n *Network) selectPublishStepsOrTextSteps(d network.Draft) publishSteps {
	s, err := network.DecodeSettings[Settings](n.about, d.Settings)
	if err != nil {
		return stepsByType[typeText]
	}
	return stepsByType[postContentType(s, d.Media)]
}

// reels limits how many Reels a Page can publish.
var reels = network.Budget{
	Call: core.DoPublish, Scope: network.ScopeAccount, Name: "Reels", Count: 30, Window: 24 * time.Hour,
}

// DeliveryFor returns one call for text and links, and uploads followed by one call for photos. For videos and
// Stories, Facebook reports whether they are published.
func (n *Network) DeliveryFor(d network.Draft) network.Delivery {
	flow := n.selectPublishStepsOrTextSteps(d).flow
	if !flow.MakesHandle() {
		return network.Delivery{Flow: flow}
	}
	ahead := min(network.AheadForUpload(d.Media, network.UploadRate), longestAhead)
	delivery := network.Delivery{Flow: flow, Ahead: ahead, Files: network.Either}
	s, err := network.DecodeSettings[Settings](n.about, d.Settings)
	if err == nil && postContentType(s, d.Media) == typeReels {
		delivery.Budgets = []network.Budget{reels}
	}
	return delivery
}

// longestAhead is well within the day after which Facebook deletes unpublished uploads.
const longestAhead = 12 * time.Hour

// CreateHandle uploads the files of a post without publishing them, or starts to.
func (n *Network) CreateHandle(ctx context.Context, it network.Item) (handle string, err error) {
	steps := n.selectPublishStepsOrTextSteps(it.DraftWithoutAccount())
	if steps.create == nil {
		return "", errors.New("cannot create a handle on Facebook for a post that is published in one call")
	}
	if len(it.Files) == 0 {
		return "", newNoFileError()
	}
	return steps.create(n, ctx, it)
}

// newNoFileError returns the error for a post that has lost its file. Such a post must not be published.
func newNoFileError() error {
	return &network.Error{
		Kind: network.Rejected, Message: "The post has no file.", Hint: "Add a file to a copy of the post.",
	}
}

// AdvanceStatus sends the next part of an upload, or returns the status of the uploaded files. For a text, it checks
// that the token can read the Page.
func (n *Network) AdvanceStatus(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	if _, _, ok := meta.ParseUploadHandle(handle); ok {
		return n.sendRemainingVideo(ctx, it, handle)
	}
	if s, ok := decodeSessionHandle(handle); ok {
		return n.continueUploadSession(ctx, it, s)
	}
	return n.selectPublishStepsOrTextSteps(it.DraftWithoutAccount()).status(n, ctx, it, handle)
}

// Publish makes the post visible to everyone.
func (n *Network) Publish(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	return n.selectPublishStepsOrTextSteps(it.DraftWithoutAccount()).publish(n, ctx, it, handle)
}

// FetchLink returns the address of the post's page.
func (n *Network) FetchLink(ctx context.Context, it network.Item, externalID string) (postURL string, err error) {
	return n.selectPublishStepsOrTextSteps(it.DraftWithoutAccount()).link(n, ctx, it, externalID)
}

func (n *Network) fetchPermalink(ctx context.Context, it network.Item, externalID string) (string, error) {
	var out struct {
		Permalink string `json:"permalink_url"`
	}
	if err := n.getNode(ctx, it, "/"+url.PathEscape(externalID), url.Values{"fields": {"permalink_url"}}, &out); err != nil {
		return "", err
	}
	link := absoluteURLIfOnFacebook(out.Permalink)
	if link == "" {
		return "", &network.Error{
			Kind: network.Unknown, Message: "Facebook did not return a link to the post on facebook.com.",
		}
	}
	return link, nil
}

// absoluteURLIfOnFacebook adds the site to a relative address, which Facebook returns for videos. It returns "" for an
// address on another site.
func absoluteURLIfOnFacebook(link string) (urlOrEmpty string) {
	if strings.HasPrefix(link, "/") && !strings.HasPrefix(link, "//") {
		link = site + link
	}
	return network.URLIfOnDomains(link, "facebook.com")
}

func (n *Network) getNode(ctx context.Context, it network.Item, path string, params url.Values, into any) error {
	return n.distinguishExpiredFromRevoked(ctx, n.graph.Get(ctx, path, it.Token.Access, params, into), it.Token)
}

// postToEdge sends a form to an edge of the Page.
func (n *Network) postToEdge(ctx context.Context, it network.Item, edge string, form url.Values, into any) error {
	return n.distinguishExpiredFromRevoked(
		ctx, n.graph.Post(ctx, "/"+url.PathEscape(it.Profile)+"/"+edge, it.Token.Access, form, into), it.Token,
	)
}

// postFileToEdge sends a form with a part of a file to an edge of the Page.
func (n *Network) postFileToEdge(
	ctx context.Context, it network.Item, edge string, form url.Values, part meta.FilePart, into any,
) error {
	err := n.graph.PostFilePart(ctx, "/"+url.PathEscape(it.Profile)+"/"+edge, it.Token.Access, form, part, into)
	return n.distinguishExpiredFromRevoked(ctx, err, it.Token)
}

// checkNodeReadable returns an error if the node cannot be read.
func (n *Network) checkNodeReadable(ctx context.Context, it network.Item, id string) error {
	return n.getNode(ctx, it, "/"+url.PathEscape(id), url.Values{"fields": {"id"}}, &struct{}{})
}

// createAtEdge posts a form to an edge of the Page and returns the id of the new object.
func (n *Network) createAtEdge(
	ctx context.Context, it network.Item, edge string, form url.Values,
) (id string, err error) {
	id, err = n.graph.CreateObject(ctx, "/"+url.PathEscape(it.Profile)+"/"+edge, it.Token.Access, form)
	return id, n.distinguishExpiredFromRevoked(ctx, err, it.Token)
}

// missingGrace is how long Facebook may fail to find a new upload.
const missingGrace = 5 * time.Minute

// pendingOrDeadIfMissing returns Pending, and after missingGrace Dead, if err says that an upload does not exist. It
// returns any other error, and every error of an armed post, for which a missing upload proves nothing.
func (n *Network) pendingOrDeadIfMissing(it network.Item, err error) (network.Status, error) {
	var e *network.Error
	switch {
	case !errors.As(err, &e) || e.Code != "100/33" || !it.ArmedAt.IsZero():
		return network.Status{}, err
	case n.now().Sub(it.HandleAt) < missingGrace:
		return network.Status{Verdict: core.Pending, Message: e.Message}, nil
	}
	return network.Status{Verdict: core.Dead, Message: e.Message}, nil
}

// textWithMissingTags returns the text with the tags that it lacks.
func textWithMissingTags(it network.Item) string { return network.AppendMissingTags(it.Text, it.Tags) }

// formOfNonEmpty returns a form of the values that are not empty.
func formOfNonEmpty(values map[string]string) url.Values {
	form := url.Values{}
	for name, value := range values {
		if value != "" {
			form.Set(name, value)
		}
	}
	return form
}
