package posts

import (
	"strings"
	"testing"
)

// The page told a viewer that the network already had each post that waited, because a viewer can change none.
func TestTheNetworkHasAWaitingPostOnlyIfItsWritersCannotMoveIt(t *testing.T) {
	t.Parallel()
	for writes, want := range map[bool]bool{true: true, false: false} {
		m := ShowModel{Held: true, Network: "Threads"}
		m.Frame.Writes = writes
		var page strings.Builder
		if err := notice(m).Render(t.Context(), &page); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(page.String(), "Threads already has the post"); got != want {
			t.Errorf("writes %v: the page says so: %v", writes, got)
		}
	}
}

// The page named a time at which nothing was scheduled.
func TestAPostWhoseSearchWaitsForAnotherPostNamesNoTime(t *testing.T) {
	t.Parallel()
	m := ShowModel{Asking: true, Waiting: true, Network: "Threads"}
	var page strings.Builder
	if err := notice(m).Render(t.Context(), &page); err != nil {
		t.Fatal(err)
	}
	const want = "This post is waiting for another post from this account. Belfry will then ask Threads whether this post arrived."
	if got := page.String(); !strings.Contains(got, want) || strings.Contains(got, "is asking") || strings.Contains(got, "<time") {
		t.Errorf("the page says %s", got)
	}
	if got := nextStepText(m); got != "Waiting for another post from this account" {
		t.Errorf("the timeline says %q", got)
	}
}
