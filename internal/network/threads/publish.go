package threads

import (
	"context"
	"net/url"
	"strings"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/meta"
)

// invalid begins the reasons for which a container fails because of what is in it; another one would fail too.
const invalid = "INVALID_"

// DeliveryFor is the same for every post: a container, then the call that makes it visible. Threads fetches files and
// processes them, which takes a while.
func (*Network) DeliveryFor(d network.Draft) network.Delivery {
	if len(d.Media) == 0 {
		return network.Delivery{Flow: core.FlowHandle}
	}
	return network.Delivery{Flow: core.FlowHandle, Ahead: network.PreparedAhead, Files: network.Pulled}
}

// CreateHandle makes a container of which nothing is visible. Of several files it makes one for each, and the handle
// names those until Status makes the whole of them.
func (n *Network) CreateHandle(ctx context.Context, it network.Item) (string, error) {
	s, err := network.DecodeSettings[Settings](n.about, it.Settings)
	if err != nil {
		return "", err
	}
	if contentType(it.Draft().Media) == typeCarousel {
		return n.createItemContainers(ctx, it, s)
	}
	return n.createAtEdge(ctx, it, "/threads", newContainerForm(it, s))
}

// newContainerForm holds the parameters of a post's container, without the children of a carousel.
func newContainerForm(it network.Item, s Settings) url.Values {
	kind := contentType(it.Draft().Media)
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

// newFileForm holds the parameters of a container of one file.
func newFileForm(f network.File, alt string) url.Values {
	kind := contentType([]core.Media{f.Media})
	v := url.Values{"media_type": {strings.ToUpper(kind)}, kind + "_url": {f.URL}}
	if alt != "" {
		v.Set("alt_text", alt)
	}
	return v
}

// Publish makes the container visible.
func (n *Network) Publish(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	id, err := n.createAtEdge(ctx, it, "/threads_publish", url.Values{"creation_id": {handle}})
	if err != nil {
		return network.Status{}, n.throttleIfQuotaUsed(ctx, it, err)
	}
	return network.Status{Verdict: core.Done, ExternalID: id}, nil
}

// createAtEdge posts a form to an edge of the profile and returns the id of the new object.
func (n *Network) createAtEdge(ctx context.Context, it network.Item, edge string, form url.Values) (string, error) {
	id, err := n.graph.CreateObject(ctx, "/"+url.PathEscape(it.Profile)+edge, it.Token.Access, form)
	return id, n.classifyAuthError(ctx, err, it.Token)
}

// AdvanceStatus asks about the container, and makes a carousel of items that are all ready.
func (n *Network) AdvanceStatus(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	return n.containers.AdvanceHandle(ctx, it, handle)
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
		return n.containers.ResolveMissing(ctx, it, err)
	case err != nil:
		return network.Status{}, n.classifyAuthError(ctx, err, it.Token)
	case c.Status == meta.ContainerError && strings.HasPrefix(c.Problem, invalid) && it.ArmedAt.IsZero():
		return network.Status{}, &network.Error{
			Kind: network.Rejected, Code: c.Problem, Message: "Threads cannot use the file: " + c.Problem,
			Hint: "Replace the file and send the post again.",
		}
	case c.Status == meta.ContainerError:
		c.Problem = "Threads could not use the file: " + c.Problem
	}
	return n.containers.StatusForState(ctx, it, c.Status, c.Problem), nil
}
