package publish_test

import (
	"slices"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/media/mediatest"
	"belfry/internal/network"
	"belfry/internal/network/all"
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
	post = b.workFor(10, post)
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

// An outage took the request of one photo post and the response of another with the same text. The search for the first
// found the second: the first, which was never published, was said to be live with the link of the second.
func TestAPhotoPostIsNotTakenForAnotherWithTheSameText(t *testing.T) {
	for _, text := range []string{"", "New in the shop"} {
		t.Run(text, func(t *testing.T) {
			b := newBench(t)
			account := b.ws.Account("facebook")
			first := b.post(request(text, now(), account), b.ws.File("first.jpg", mediatest.JPEG(640, 640)))
			second := b.post(request(text, now(), account), b.ws.File("second.jpg", mediatest.JPEG(800, 600)))
			b.Fault(fault("facebook", "publish", "drop_before_accept"))
			first = b.ws.Work(first)
			b.Fault(fault("facebook", "publish", "drop_after_accept"))
			second = b.ws.Work(second)
			b.Clock.Advance(3 * time.Minute)
			first, second = b.ws.Work(first), b.ws.Work(second)
			if first.Error == nil || first.Error.Code != "outcome_unknown" {
				t.Errorf("the first, which was never published, is %s with the id %v", first.StatusLine, first.ExternalID)
			}
			shown := b.Sim.Posts.All()
			if len(shown) != 1 || second.Status != "live" || second.ExternalID == nil || *second.ExternalID != shown[0].ID {
				t.Errorf("the second is %s with the id %v; visible: %+v", second.StatusLine, second.ExternalID, shown)
			}
		})
	}
}

// Instagram could not be asked about a Story for a day. By then, it listed neither the Story nor the container, which
// counted as proof that the Story had not been published: a second one was.
func TestAStoryThatIsOverIsNotPublishedAgain(t *testing.T) {
	b := newBench(t)
	always := 0
	b.Fault(fault("instagram", "publish", "drop_after_accept"),
		sim.Fault{Network: "instagram", Call: "status", Kind: sim.ServerError, Skip: 1, Times: &always})
	post := b.ws.PostOf(apptest.KindNamed(t, "Instagram Story"), "", b.ws.Account("instagram"), now())
	post = b.ws.Work(post)
	if n := b.calls("publish"); n != 1 || post.Status != "queued" {
		t.Fatalf("it is %s after %d calls", post.StatusLine, n)
	}
	post = b.after(25*time.Hour, post)
	b.Sim.Faults.Clear()
	for range 8 {
		post = b.after(time.Minute, post)
		must(t, b.Sim.WaitIdle(b.Context()))
	}
	if n := len(b.Sim.Posts.All()); n != 1 || post.Error == nil || post.Error.Code != "outcome_unknown" {
		t.Errorf("%d Stories were published; it is %s", n, post.StatusLine)
	}
}

// The operator replaced the Meta app while a call was unresolved. The search looked for posts of the new app only, and
// a second post followed.
func TestATextThatAnEarlierAppPublishedIsNotPublishedAgain(t *testing.T) {
	b := newBench(t)
	must(t, b.Sim.SetOption("facebook.refuse_duplicates", "off"))
	revoked := fault("facebook", "publish", sim.TokenRevoked)
	revoked.Accept = true
	b.Fault(revoked)
	account := b.ws.Account("facebook")
	post := b.ws.Work(b.ws.Now("hello", account))
	b.wants(post, "failed", 1, "created", "queued", "publishing", "failed")
	b.Clock.Advance(time.Minute)
	b.ws.Reconnect(account)
	b.App = b.Replica(func(c *app.Config) {
		get := func(name string) string {
			if name == "FACEBOOK_CLIENT_ID" {
				return "another-app"
			}
			return readVariable(name)
		}
		set, err := network.NewSet(all.Drivers(), network.Environment{Client: c.Client, Get: get, Now: c.Now})
		must(t, err)
		c.Networks = set
	})
	b.ws.Retry(b.ws.Post(post))
	for range 6 {
		post = b.after(time.Minute, post)
	}
	if n := b.Visible("hello"); n != 1 || post.Error == nil || post.Error.Code != "outcome_unknown" {
		t.Errorf("%d are visible; it is %s", n, post.StatusLine)
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
