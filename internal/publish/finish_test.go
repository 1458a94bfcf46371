package publish_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
)

// finishing is a network with a step after publishing that fails with a given error.
type finishing struct {
	network.Network
	fails *error
	calls *[]string
}

func (f finishing) ListFinalSteps(network.Draft) []string { return []string{"ribbon", "bow"} }

func (f finishing) FinalStepInWords(step string) string { return "tie the " + step }

func (f finishing) RunFinalStep(_ context.Context, it network.Item, externalID, step string) error {
	if externalID == "" || it.Token.Access == "" || len(it.Files) != 1 {
		return errors.New("the post is not complete")
	}
	*f.calls = append(*f.calls, step)
	return *f.fails
}

// A step after publishing is repeated until it succeeds, is refused or a day has passed. What failed for good is a
// note.
func TestAFinalStepIsRepeatedAndNotedWhenItFails(t *testing.T) {
	b := newBench(t)
	var fails error
	var calls []string
	b.App = b.through(func(n network.Network) network.Network { return finishing{n, &fails, &calls} })
	post := b.post(request("tied", now(), b.ws.Account("facebook")), b.photo())
	b.goesLive(post)
	if n := b.Jobs("finish"); n != 2 {
		t.Errorf("%d jobs", n)
	}
	id, err := core.ParseID[core.PostKind](post.ID)
	must(t, err)
	finish := func(after time.Duration, failure error, want time.Duration, notes ...string) {
		t.Helper()
		b.Clock.Advance(after)
		fails, calls = failure, nil
		again, err := b.App.Engine().RunFinalStepOrAddNote(b.Context(), b.ws.ID, id, "ribbon")
		timeline, eventsErr := b.App.ListPostEventsAndNextRetry(b.Context(), b.ws.Owner, post.ID)
		must(t, eventsErr)
		events := timeline.Events
		if err != nil || again != want || !slices.Equal(calls, []string{"ribbon"}) ||
			!slices.Equal(events[len(events)-1].Notes, notes) {
			t.Errorf("want %v, got %v, %v; called %v; noted %q", want, again, err, calls, events[len(events)-1].Notes)
		}
	}
	later := &network.Error{Kind: network.Transient, Message: "Not yet."}
	finish(0, nil, 0)
	finish(0, later, time.Minute)
	finish(2*time.Minute, later, 5*time.Minute)
	finish(10*time.Minute, later, 15*time.Minute)
	finish(time.Hour, later, time.Hour)
	finish(time.Hour, later, 6*time.Hour)
	finish(0, &network.Error{Kind: network.RateLimited, Message: "Too many.", RetryAfter: 9 * time.Hour}, 9*time.Hour)
	refused := &network.Error{Kind: network.Rejected, Message: "Ribbons are out."}
	note := "Facebook did not tie the ribbon: Ribbons are out."
	finish(0, refused, 0, note)
	finish(0, refused, 0, note)
	finish(24*time.Hour, later, 0, note, "Facebook did not tie the ribbon: Not yet.")
	if p := b.ws.Post(post); p.Status != "live" || p.Error != nil {
		t.Errorf("the post is %s: %+v", p.Status, p.Error)
	}
}
