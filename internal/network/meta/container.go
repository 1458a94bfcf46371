package meta

import (
	"context"
	"strings"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
)

// ContainerError is the state of a container that the network could not process.
const ContainerError = "ERROR"

// missingGrace is how long a container that the network does not find counts as pending. Networks sometimes cannot
// find a container that they have just created.
const missingGrace = 5 * time.Minute

// Containers determines the status of containers, which hold a post until one call publishes it. Every field is
// required.
type Containers struct {
	Now func() time.Time
	// Ask reads a container's state and returns its status, with StatusOfStateAndFindIfPublished
	// or FindPostElsePendingOrDead.
	Ask func(ctx context.Context, it network.Item, handle string) (network.Status, error)
	// Find searches the account's posts for the post.
	Find func(ctx context.Context, it network.Item) (network.Status, error)
	// CreateCarousel creates a carousel from the comma-separated ids of its items' containers, and returns its handle.
	CreateCarousel func(ctx context.Context, it network.Item, joinedItemIDs string) (string, error)
}

// A handle of items is this prefix, followed by the ids of their containers in the post's order.
const (
	itemsHandle = "items:"
	itemsComma  = ","
)

// NewCarouselItemsHandle returns the handle that lists the containers of a carousel's items, in the post's order.
func NewCarouselItemsHandle(ids []string) string { return itemsHandle + strings.Join(ids, itemsComma) }

// AskStatusOrCreateCarousel returns the status of a container. For a handle of items, it queries each item and, once
// all are ready, creates the carousel, whose handle replaces the handle of items. It publishes nothing: if that
// response is lost, the carousel stays invisible and another is created.
func (c Containers) AskStatusOrCreateCarousel(
	ctx context.Context, it network.Item, handle string,
) (network.Status, error) {
	children, ok := strings.CutPrefix(handle, itemsHandle)
	if !ok {
		return c.Ask(ctx, it, handle)
	}
	items, err := network.CallEachConcurrently(ctx, strings.Split(children, itemsComma),
		func(ctx context.Context, id string) (network.Status, error) { return c.Ask(ctx, it, id) })
	if err != nil {
		return network.Status{}, err
	}
	waiting := network.Status{Verdict: core.Ready}
	for _, st := range items {
		switch {
		case st.Verdict == core.Dead, st.Verdict == core.Broken:
			return st, nil
		case st.Verdict != core.Ready:
			waiting = network.Status{Verdict: core.Pending, Message: st.Message, Code: st.Code}
		}
	}
	if waiting.Verdict != core.Ready {
		return waiting, nil
	}
	carousel, err := c.CreateCarousel(ctx, it, children)
	if err != nil {
		return network.Status{}, err
	}
	it.HandleAt = c.Now()
	st, err := c.Ask(ctx, it, carousel)
	if err != nil {
		st = network.Status{Verdict: core.Pending} // the carousel exists, and its status can be queried again
	}
	st.Handle = carousel
	return st, nil
}

// StatusOfStateAndFindIfPublished returns the status of a container in a state, with the network's message. A container
// that could not be processed is Broken. If the container is published, StatusOfStateAndFindIfPublished searches for
// the post, and leaves the id empty unless there is a unique match.
func (c Containers) StatusOfStateAndFindIfPublished(
	ctx context.Context, it network.Item, state, message string,
) network.Status {
	st := network.Status{Verdict: core.Pending, Message: message, Code: state}
	switch state {
	case "FINISHED":
		st.Verdict = core.Ready
	case "EXPIRED":
		st.Verdict = core.Dead
	case ContainerError:
		st.Verdict = core.Broken
	case "PUBLISHED":
		st.Verdict = core.Done
		// The post is certainly live. Its id is optional.
		if found, err := c.Find(ctx, it); err == nil && found.Verdict == core.Done {
			st.ExternalID, st.URL = found.ExternalID, found.URL
		}
	}
	return st
}

// FindPostElsePendingOrDead returns the status of a container that the network does not find: Pending within
// missingGrace, then Dead. If the post is armed, it first searches the account's posts, and missingGrace begins at the
// latest arm. A post that could be this one makes the status Ambiguous after missingGrace, because the container may
// reappear.
func (c Containers) FindPostElsePendingOrDead(
	ctx context.Context, it network.Item, missingErr error,
) (network.Status, error) {
	since, missing := it.HandleAt, network.Status{Verdict: core.Dead, Message: missingErr.Error()}
	if !it.ArmedAt.IsZero() {
		found, err := c.Find(ctx, it)
		if err != nil || found.Verdict == core.Done {
			return found, err
		}
		if found.Verdict == core.Ambiguous {
			missing = found
		}
		since = it.LastArmedAt()
	}
	if c.Now().Sub(since) < missingGrace {
		missing.Verdict = core.Pending
	}
	return missing, nil
}
