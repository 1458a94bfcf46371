package posts

import (
	"strings"
	"testing"

	"belfry/internal/contract"
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

// The timeline said "Cancelled" when a post was moved to drafts, which sounded as if the post was lost.
func TestTheTimelineSaysWhatWasCancelled(t *testing.T) {
	t.Parallel()
	m := ShowModel{Events: []contract.Event{
		{Kind: "cancelled"}, {Kind: "cancelled", Message: "The automatic retry was cancelled."},
	}}
	for i, want := range []string{"Moved to drafts", "Retries stopped"} {
		if got := m.eventLabelAt(i).text; got != want {
			t.Errorf("event %d says %q, want %q", i, got, want)
		}
	}
}
