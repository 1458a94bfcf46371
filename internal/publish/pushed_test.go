package publish_test

import (
	"encoding/json"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/media/mediatest"
	"belfry/internal/network/sim"
)

// A network whose bytes are pushed has all but the last of them before the post's time, although the access token has
// lapsed twice until then. What follows publishing is done afterwards.
func TestAVideoIsPushedAheadAndLiveAtItsTime(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("youtube")
	video := b.ws.File("clip.mp4", mediatest.MP4(mediatest.Movie{Size: 20 << 20}))
	cover := b.ws.File("cover.jpg", mediatest.JPEG(1280, 720))
	due := b.Clock.Now().Add(3 * time.Hour).Truncate(time.Minute)
	in := request("On time", utc(due.UTC().Format("2006-01-02T15:04")), account)
	in.Title = "A ride"
	in.PerPlatform = map[string]json.RawMessage{"youtube": json.RawMessage(`{"useCoverAsThumbnail":true,"visibility":"unlisted"}`)}
	post := b.post(in, video, cover)
	b.Clock.Set(b.next())
	if ahead := due.Sub(b.Clock.Now()); ahead < 10*time.Minute || ahead > 11*time.Minute {
		t.Errorf("it is prepared %s ahead", ahead)
	}
	post = b.ws.Work(post)
	b.wants(post, "queued", 0, "created", "queued")
	if n := b.calls("upload"); n != 3 {
		t.Errorf("%d parts were sent", n)
	}
	b.Clock.Set(due)
	post = b.ws.Work(post)
	b.wants(post, "live", 1, "created", "queued", "publishing", "live")
	one := b.Sim.Posts.All()[0]
	if !one.FirstPublishCallAt.Equal(due) || one.PublishCalls != 1 || one.Media[0].Bytes < 20<<20 ||
		one.Extra["privacyStatus"] != "unlisted" {
		t.Errorf("visible: %+v", one)
	}
	id, err := core.ParseID[core.PostKind](post.ID)
	must(t, err)
	_, err = b.Sim.Faults.Add(sim.Fault{Call: "videos", Kind: sim.TokenExpired}) // and is renewed at once
	must(t, err)
	for _, step := range []string{"visibility", "thumbnail"} {
		if again, err := b.App.Engine().RunFinalStepOrAddNote(b.Context(), b.ws.ID, id, step); err != nil || again != 0 {
			t.Errorf("%s: %v, %v", step, again, err)
		}
	}
	if one := b.Sim.Posts.All()[0]; one.Extra["thumbnail"] == "" || b.Jobs("finish") != 2 {
		t.Errorf("%d jobs; visible: %+v", b.Jobs("finish"), one)
	}
}

// A video that the network takes and then refuses fails the post in its words and is not uploaded again.
func TestAVideoThatIsDoomedFails(t *testing.T) {
	b := newBench(t)
	must(t, b.Sim.SetOption("youtube.outcome", "rejected/copyright"))
	in := request("Doomed", now(), b.ws.Account("youtube"))
	in.Title = "A song"
	post := b.ws.Work(b.post(in, b.ws.File("clip.mp4", mediatest.MP4(mediatest.Movie{}))))
	if post.Status != "failed" || post.Error == nil || post.Error.Message != "YouTube rejected the video: copyright." ||
		b.calls("create") != 1 || b.calls("publish") != 1 {
		t.Errorf("the post is %s: %+v", post.Status, post.Error)
	}
}
