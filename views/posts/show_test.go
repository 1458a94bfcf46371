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
