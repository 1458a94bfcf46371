package threads

import (
	"cmp"
	"context"
	"net/url"
	"strings"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/meta"
)

// invalid is the prefix of the codes for a container that fails because of its content. Another container with the same
// content would fail too.
const invalid = "INVALID_"

// DeliveryFor returns the same flow for every post: a container, then the call that publishes it. Posts with files
// are prepared ahead, because Threads needs time to fetch and process them.
func (*Network) DeliveryFor(d network.Draft) network.Delivery {
	if len(d.Media) == 0 {
		return network.Delivery{Flow: core.FlowHandle}
	}
	return network.Delivery{Flow: core.FlowHandle, Ahead: network.PreparedAhead, Files: network.Pulled}
}

// CreateHandle creates a container, which nobody can see. For several files, it creates one for each, and the handle
// lists them until AdvanceStatus creates the carousel.
func (n *Network) CreateHandle(ctx context.Context, it network.Item) (handle string, err error) {
	s, err := network.DecodeSettings[Settings](n.about, it.Settings)
	if err != nil {
		return "", err
	}
	if postContentType(it.DraftWithoutAccount().Media) == typeCarousel {
		return n.createCarouselItems(ctx, it, s)
	}
	return n.createAtEdge(ctx, it, "threads", newContainerFormWithoutChildren(it, s))
}

// newContainerFormWithoutChildren returns the parameters of a post's container, except the children of a carousel.
func newContainerFormWithoutChildren(it network.Item, s Settings) url.Values {
	kind := postContentType(it.DraftWithoutAccount().Media)
	v := url.Values{"media_type": {strings.ToUpper(kind)}}
	if len(it.Files) == 1 {
		v = newFileForm(it.Files[0], s.AltText)
	}
	for name, value := range map[string]string{"text": it.Text, "topic_tag": s.TopicTag} {
		if value != "" {
			v.Set(name, value)
		}
	}
	if kind == typeText && s.LinkAttachment != "" {
		v.Set("link_attachment", s.LinkAttachment)
	}
	return v
}

// newFileForm returns the parameters of a container for one file. If altTextOverride is empty, the file's own
// description is sent.
func newFileForm(f network.File, altTextOverride string) url.Values {
	kind := postContentType([]core.Media{f.Media})
	v := url.Values{"media_type": {strings.ToUpper(kind)}, kind + "_url": {f.URL}}
	if alt := cmp.Or(altTextOverride, f.AltText(maxAlt)); alt != "" {
		v.Set("alt_text", alt)
	}
	return v
}

// Publish publishes the container.
func (n *Network) Publish(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	id, err := n.createAtEdge(ctx, it, "threads_publish", url.Values{"creation_id": {handle}})
	if err != nil {
		return network.Status{}, n.convertToRateLimitedIfQuotaUsedUp(ctx, it, err)
	}
	return network.Status{Verdict: core.Done, ExternalID: id}, nil
}

// createAtEdge posts a form to an edge of the profile and returns the id of the new object.
func (n *Network) createAtEdge(
	ctx context.Context, it network.Item, edge string, form url.Values,
) (id string, err error) {
	id, err = n.graph.CreateObject(ctx, "/"+url.PathEscape(it.Profile)+"/"+edge, it.Token.Access, form)
	return id, n.distinguishExpiredFromRevoked(ctx, err, it.Token)
}

// AdvanceStatus returns the status of the container, and creates a carousel once all its items are ready.
func (n *Network) AdvanceStatus(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	return n.containers.AskStatusOrCreateCarousel(ctx, it, handle)
}

func (n *Network) fetchContainerStatus(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	var c struct {
		Status  string `json:"status"`
		Problem string `json:"error_message"`
	}
	err := n.graph.Get(
		ctx, "/"+url.PathEscape(handle), it.Token.Access, url.Values{"fields": {"id,status,error_message"}}, &c,
	)
	switch {
	case isContainerMissing(err):
		return n.containers.FindPostElsePendingOrDead(ctx, it, err)
	case err != nil:
		return network.Status{}, n.distinguishExpiredFromRevoked(ctx, err, it.Token)
	case c.Status == meta.ContainerError && strings.HasPrefix(c.Problem, invalid) && it.ArmedAt.IsZero():
		return network.Status{}, &network.Error{
			Kind: network.Rejected, Code: c.Problem, Message: "Threads cannot use the file: " + c.Problem,
			Hint: "Replace the file in a copy of the post.",
		}
	case c.Status == meta.ContainerError && len(it.Files) == 0:
		c.Problem = "Threads could not process the post: " + c.Problem
	case c.Status == meta.ContainerError:
		c.Problem = "Threads could not use the file: " + c.Problem
	}
	return n.containers.StatusOfStateAndFindIfPublished(ctx, it, c.Status, c.Problem), nil
}
