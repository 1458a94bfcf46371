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

// missingGrace is how long an armed container that the network says it does not have is asked about before an empty
// search is believed: it has been seen to lose sight of what it had just made.
const missingGrace = 5 * time.Minute

// Containers asks about containers: what a post is made of before one call makes it visible. Every field is required.
type Containers struct {
	Now func() time.Time
	// Ask reads a container's state and returns it with Status or ResolveMissing.
	Ask func(ctx context.Context, it network.Item, handle string) (network.Status, error)
	// Find looks for the post among those of the account.
	Find func(ctx context.Context, it network.Item) (network.Status, error)
	// CreateCarousel makes a carousel of the containers of its items and returns its handle.
	CreateCarousel func(ctx context.Context, it network.Item, children string) (string, error)
}

// A handle of items is this word and their containers' ids in the post's order.
const (
	itemsHandle = "items:"
	itemsComma  = ","
)

// NewItemsHandle returns the handle that names the containers of a carousel's items, in the post's order.
func NewItemsHandle(ids []string) string { return itemsHandle + strings.Join(ids, itemsComma) }

// AdvanceHandle asks about a container, or about each item of a carousel. Once all items are ready, it makes the
// carousel, whose handle replaces theirs. A carousel whose answer is lost is invisible, and another is made.
func (c Containers) AdvanceHandle(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	children, ok := strings.CutPrefix(handle, itemsHandle)
	if !ok {
		return c.Ask(ctx, it, handle)
	}
	items, err := network.CallEach(ctx, strings.Split(children, itemsComma),
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
	st, err := c.Ask(ctx, it, carousel)
	if err != nil {
		st = network.Status{Verdict: core.Pending} // it is there; how far it is can be asked again
	}
	st.Handle = carousel
	return st, nil
}

// StatusForState is the status of a container in a state, with the network's words about it. One that could not be
// processed is Broken. Of a published one it looks the post up, and leaves the id empty when the account's posts do
// not single one out.
func (c Containers) StatusForState(ctx context.Context, it network.Item, state, words string) network.Status {
	st := network.Status{Verdict: core.Pending, Message: words, Code: state}
	switch state {
	case "FINISHED":
		st.Verdict = core.Ready
	case "EXPIRED":
		st.Verdict = core.Dead
	case ContainerError:
		st.Verdict = core.Broken
	case "PUBLISHED":
		st.Verdict = core.Done
		// That the post is live is certain; which one it is only decorates it.
		if found, err := c.Find(ctx, it); err == nil && found.Verdict == core.Done {
			st.ExternalID, st.URL = found.ExternalID, found.URL
		}
	}
	return st
}

// ResolveMissing decides about a container that the network does not find, as happens for a while after it was made.
// After that it is dead if it was never armed; if it was, only when the account's posts do not show the post either.
func (c Containers) ResolveMissing(ctx context.Context, it network.Item, why error) (network.Status, error) {
	since := it.HandleAt
	if !it.ArmedAt.IsZero() {
		found, err := c.Find(ctx, it)
		if err != nil || found.Verdict != core.Absent {
			return found, err
		}
		since = it.ArmedAt
	}
	if c.Now().Sub(since) < missingGrace {
		return network.Status{Verdict: core.Pending, Message: why.Error()}, nil
	}
	return network.Status{Verdict: core.Dead, Message: why.Error()}, nil
}
