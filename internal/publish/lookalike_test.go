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

// The id of the first video was saved, but the video was still being processed, so the search for the second one did
// not skip it. The second video was never published, and was said to be live with the id of the first.
func TestASearchDoesNotTakeAVideoThatIsStillProcessedForAnother(t *testing.T) {
	b := newBench(t)
	kind := apptest.KindNamed(t, "YouTube video")
	account := b.ws.Account("youtube")
	must(t, b.Sim.SetOption("youtube.process_seconds", "1200"))
	first := b.ws.PostOf(kind, "twins", account, now())
	for range 5 {
		first = b.ws.Work(first)
	}
	if first.Status != "queued" || b.Visible("twins") != 1 {
		t.Fatalf("the first is %s", first.StatusLine)
	}
	second := b.ws.PostOf(kind, "twins", account, now())
	b.Fault(fault("youtube", "publish", "drop_before_accept"))
	for range 5 {
		second = b.ws.Work(second)
	}
	must(t, b.Sim.SetOption("youtube.session_hours", "0")) // YouTube no longer knows the upload of the second
	for range 12 {
		b.Clock.Advance(time.Minute)
		second = b.ws.Work(second)
	}
	if second.Error == nil || second.Error.Code != "outcome_unknown" {
		t.Errorf("the second, which was never published, is %s with the id %v", second.StatusLine, second.ExternalID)
	}
	if first = b.after(time.Hour, first); first.Status != "live" || first.ExternalID == nil {
		t.Errorf("the first is %s with the id %v", first.StatusLine, first.ExternalID)
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
