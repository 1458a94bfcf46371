package publish_test

import (
	"slices"
	"testing"
	"time"

	"belfry/internal/app/apptest"
	"belfry/internal/network/sim"
)

// The call for our Story was lost, the owner published one by phone, and Instagram did not find our container for a
// moment: the owner's Story was taken for ours, which was never published.
func TestAStoryOfTheOwnerIsNotTakenForOurs(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("instagram")
	kinds := apptest.Kinds()
	story := kinds[slices.IndexFunc(kinds, func(k apptest.Kind) bool { return k.Name == "Instagram Story" })]
	b.goesLive(b.ws.PostOf(story, "", account, now()))
	byPhone := b.Sim.Posts.All()[0]
	b.Fault(fault("instagram", "publish", "drop_before_accept"))
	post := b.ws.PostOf(story, "", account, now())
	for b.calls("publish") < 2 {
		post = b.ws.Work(post)
		must(t, b.Sim.WaitIdle(b.Context()))
		b.Clock.Advance(time.Second)
	}
	byPhone.ID, byPhone.CreatedAt = "17999999999999999", b.Clock.Now()
	must(t, b.Sim.Posts.Put(byPhone))
	b.Fault(sim.Fault{Network: "instagram", Call: "status", Kind: "error", Code: 100, Subcode: 33, Status: 400, Times: new(1)})
	for range 8 {
		post = b.after(time.Minute, post)
	}
	if post.Status != "live" || post.ExternalID == nil || *post.ExternalID == byPhone.ID || b.calls("publish") != 3 {
		t.Errorf("it is %s with the id %v after %d calls", post.StatusLine, *post.ExternalID, b.calls("publish"))
	}
	if n := len(b.Sim.Posts.All()); n != 3 {
		t.Errorf("%d Stories are visible, want two of ours and the owner's", n)
	}
}

// Facebook lists a Page's videos and Reels among its posts. A search for a text found the Reel with the same words: the
// text was never published, and was said to be live.
func TestAReelIsNotTakenForATextWithTheSameWords(t *testing.T) {
	for _, name := range []string{"Facebook Reel", "Facebook video"} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			account := b.ws.Account("facebook")
			b.goesLive(b.ws.PostOf(apptest.KindNamed(t, name), "same words", account, now()))
			b.Fault(fault("facebook", "publish", "drop_before_accept"))
			text := b.ws.Work(b.ws.PostOf(apptest.KindNamed(t, "Facebook text"), "same words", account, now()))
			if text = b.after(5*time.Minute, text); text.Error == nil || text.Error.Code != "outcome_unknown" {
				t.Errorf("the text, which was never published, is %s with the id %v", text.StatusLine, text.ExternalID)
			}
		})
	}
}
