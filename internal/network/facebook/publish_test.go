package facebook_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/networktest"
	"belfry/internal/network/sim"
)

func settings(t *testing.T, w *networktest.World, block string) json.RawMessage {
	t.Helper()
	normal, err := w.Net.NormalizeSettings(json.RawMessage(block))
	if err != nil {
		t.Fatal(err)
	}
	return normal
}

func TestTagsAndLinkGoOut(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	it := w.NewItem("Bread, #again")
	it.Tags = []string{"again", "bakery"}
	it.Settings = settings(t, w, `{"link": "https://example.org/bread", "contentType": "text"}`)
	k := w.NewWorker(it)
	w.AddFault(sim.Fault{Call: "publish", Kind: sim.DropAfterAccept})
	if do := k.Run(); do != core.DoLive {
		t.Fatalf("ended with %s", do)
	}
	all := w.VisiblePosts()
	if len(all) != 1 || all[0].Text != "Bread, #again\n\n#bakery" || all[0].Link != "https://example.org/bread" ||
		all[0].ID != k.ID {
		t.Errorf("found %s, visible: %+v", k.ID, all)
	}
}

func TestALinkAloneIsAPost(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	it := w.NewItem("")
	it.Settings = settings(t, w, `{"link": "https://example.org/bread"}`)
	if issues, _ := w.Net.CheckDraft(network.Draft{Settings: it.Settings}); len(issues) != 0 {
		t.Errorf("issues: %+v", issues)
	}
	sent, err := w.Net.Publish(t.Context(), it, "")
	if err != nil {
		t.Fatal(err)
	}
	if st, err := w.Net.FindPost(t.Context(), it); err != nil || st != sent {
		t.Errorf("got %+v, %v", st, err)
	}
}

// The search binds only what this app made, and says so when it cannot tell.
func TestWhatASearchTakesForThePost(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	it := w.NewItem("Same words")
	pictured := it
	pictured.Files = w.NewFiles(networktest.Image(), networktest.Image())
	uploaded := pictured
	uploaded.Handle = "11,12"
	linked, reconnected := it, it
	linked.Settings = settings(t, w, `{"link": "https://example.org/bread"}`)
	reconnected.Token.IssuedAt = it.ArmedAt.Add(time.Minute)
	row := func(message, app, at, attachments string) string {
		return fmt.Sprintf(`{"id":"1_2","message":%q,"created_time":%q%s%s}`, message, at, app, attachments)
	}
	const (
		ours    = `,"application":{"id":"1234567890123456"}`
		others  = `,"application":{"id":"99"}`
		now     = "2026-10-05T09:00:00+0000"
		before  = "2026-10-05T08:58:00+0000"
		plain   = `,"attachments":{"data":[{"unshimmed_url":"https://example.org/bread/"}]}`
		shim    = `,"attachments":{"data":[{"url":"https://l.facebook.com/l.php?u=https%3A%2F%2Fexample.org%2Fbread&h=x"}]}`
		one     = `,"attachments":{"data":[{"media_type":"photo"}]}`
		two     = `,"attachments":{"data":[{"media_type":"album","subattachments":{"data":[{},{}]}}]}`
		album   = `,"attachments":{"data":[{"media_type":"album","target":{"id":"1_2"},"subattachments":{"data":[%s]}}]}`
		another = `,"attachments":{"data":[{"unshimmed_url":"https://example.org/cake"}]}`
		video   = `,"status_type":"added_video","attachments":{"data":[{"media_type":"video"}]}`
		clip    = `,"status_type":"shared_story","attachments":{"data":[{"media_type":"video"}]}`
	)
	photos := func(ids ...string) string {
		var parts []string
		for _, id := range ids {
			parts = append(parts, `{"target":{"id":"`+id+`"}}`)
		}
		return fmt.Sprintf(album, strings.Join(parts, ","))
	}
	for name, c := range map[string]struct {
		it   network.Item
		rows string
		want core.Verdict
	}{
		"ours":                        {it, row("Same words", ours, now, ""), core.Done},
		"ours with a card of its own": {it, row("Same words", ours, now, another), core.Done},
		"another app's":               {it, row("Same words", others, now, ""), core.Absent},
		"made by hand":                {it, row("Same words", "", now, ""), core.Ambiguous},
		"ours and one made by hand": {
			it, row("Same words", ours, now, "") + "," + row("Same words", "", now, ""),
			core.Ambiguous,
		},
		"older than the arm":             {it, row("Same words", ours, before, ""), core.Absent},
		"other words":                    {it, row("Same words!", ours, now, ""), core.Absent},
		"our link":                       {linked, row("Same words", ours, now, plain), core.Done},
		"our link behind Facebook's own": {linked, row("Same words", ours, now, shim), core.Done},
		"a link as Facebook knows it":    {linked, row("Same words", ours, now, another), core.Ambiguous},
		"a link that is not shown":       {linked, row("Same words", ours, now, ""), core.Ambiguous},
		"two of ours": {
			it, row("Same words", ours, now, "") + "," + row("Same words", ours, now, ""),
			core.Ambiguous,
		},
		"nothing":                   {it, "", core.Absent},
		"the words under a video":   {it, row("Same words", ours, now, video), core.Absent},
		"a link in them to a video": {it, row("Same words", ours, now, clip), core.Done},
		"the words under photos":    {it, row("Same words", ours, now, two), core.Absent},
		"our photos":                {pictured, row("Same words", ours, now, two), core.Done},
		"fewer photos":              {pictured, row("Same words", ours, now, one), core.Ambiguous},
		"photos that are not shown": {pictured, row("Same words", ours, now, ""), core.Ambiguous},
		"the words under a link":    {pictured, row("Same words", ours, now, plain), core.Absent},
		"our photos by their ids":   {uploaded, row("Edited words", others, now, photos("12", "11")), core.Done},
		"the words under the photos of another post": {
			uploaded, row("Same words", ours, now, photos("21", "22")), core.Absent,
		},
		"one of our photos and another": {uploaded, row("Same words", ours, now, photos("11", "22")), core.Ambiguous},
		"one of our photos":             {uploaded, row("Same words", ours, now, photos("11")), core.Ambiguous},
		"our photos and words made by hand": {
			uploaded, row("Same words", "", now, "") + "," + row("Same words", ours, now, photos("11", "12")), core.Done,
		},
		"photos without ids":                      {uploaded, row("Same words", ours, now, two), core.Done},
		"another app's, after a reconnection":     {reconnected, row("Same words", others, now, ""), core.Ambiguous},
		"ours, after a reconnection":              {reconnected, row("Same words", ours, now, ""), core.Done},
		"other words and app, and a reconnection": {reconnected, row("Other words", others, now, ""), core.Absent},
	} {
		w.ReplaceServer(func(rw http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(rw, `{"data":[`+c.rows+`]}`) })
		st, err := w.Net.FindPost(t.Context(), c.it)
		if err != nil || st.Verdict != c.want || (st.ExternalID == "1_2") != (c.want == core.Done) {
			t.Errorf("%s: want %s, got %+v, %v", name, c.want, st, err)
		}
	}
}

// Facebook answers a repeated text with an error; that is no proof of anything, and the search decides.
func TestADuplicateIsSearchedFor(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	it := w.NewItem("Said before")
	if _, err := w.Net.Publish(t.Context(), it, ""); err != nil {
		t.Fatal(err)
	}
	_, err := w.Net.Publish(t.Context(), it, "")
	if e := w.RequireError(err, network.Rejected, it.Token.Access); e.Code != "506/1455006" ||
		!strings.Contains(e.Hint, "already") {
		t.Errorf("got %+v", e)
	}
	k := w.NewWorker(it)
	if do := k.Run(); do != core.DoLive {
		t.Errorf("ended with %s after %v", do, k)
	}
	if all := w.VisiblePosts(); len(all) != 1 {
		t.Errorf("visible: %+v", all)
	}
}

func TestARelativeAddressGetsItsSite(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	it := w.NewItem("a")
	for permalink, want := range map[string]string{
		"/reel/123/":                         "https://www.facebook.com/reel/123/",
		"https://www.facebook.com/1/posts/2": "https://www.facebook.com/1/posts/2",
	} {
		w.ReplaceServer(func(rw http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprintf(rw, `{"id":"1","permalink_url":%q}`, permalink)
		})
		if got, err := w.Net.FetchLink(t.Context(), it, "1_2"); err != nil || got != want {
			t.Errorf("want %s, got %s, %v", want, got, err)
		}
	}
	for _, body := range []string{
		`{"id":"1"}`, `{"permalink_url":"https://evil.example/1"}`, `{"permalink_url":"//evil.example/1"}`,
		`{"permalink_url":"http://www.facebook.com/1"}`,
	} {
		w.ReplaceServer(func(rw http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(rw, body) })
		_, err := w.Net.FetchLink(t.Context(), it, "1_2")
		w.CheckError(err, network.Unknown, it.Token.Access)
	}
}

// Every answer that publishes or finds a post may name its address; one elsewhere is no link to it.
func TestAnAddressOfAnotherHostIsNotStored(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	it := w.NewItem("Same words")
	const rest = `"id":"1_2","message":"Same words","created_time":"2026-10-05T09:00:00+0000","application":{"id":"1234567890123456"}}`
	for address, want := range map[string]string{
		"https://www.facebook.com/1/posts/2": "https://www.facebook.com/1/posts/2", "https://evil.example/1": "",
		"https://facebook.com.evil.example/1": "",
	} {
		w.ReplaceServer(func(rw http.ResponseWriter, r *http.Request) {
			body := fmt.Sprintf(`{"permalink_url":%q,%s`, address, rest)
			if r.Method == http.MethodGet {
				body = `{"data":[` + body + `]}`
			}
			_, _ = io.WriteString(rw, body)
		})
		sent, err := w.Net.Publish(t.Context(), it, "")
		if err != nil || sent.ExternalID != "1_2" || sent.URL != want {
			t.Errorf("%s: published as %+v, %v", address, sent, err)
		}
		if found, err := w.Net.FindPost(t.Context(), it); err != nil || found != sent {
			t.Errorf("%s: found %+v, %v", address, found, err)
		}
	}
}

// Descriptions of photos stayed in the library.
func TestPhotosAreDescribed(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	it := w.NewItem("Bread")
	it.ArmedAt = time.Time{}
	it.Files = w.NewFiles(networktest.Image(), networktest.Image())
	it.Files[1].Description = strings.Repeat("é", 1200)
	it.Files[1].URL = "" // its bytes are sent
	k := w.NewWorker(it)
	if do := k.Run(); do != core.DoLive {
		t.Fatalf("ended with %s", do)
	}
	if m := w.VisiblePosts()[0].Media; m[0].Alt != networktest.Description || m[1].Alt != strings.Repeat("é", 1000) {
		t.Errorf("the photos are described as %q and %q", m[0].Alt, m[1].Alt)
	}
}

// A photo that Facebook has dropped is uploaded again before the post is published.
func TestPhotosAreUploadedAgainWhenFacebookHasDroppedThem(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	it := w.NewItem("Bread")
	it.Settings, it.Files = settings(t, w, `{"contentType": "photo"}`), w.NewFiles(networktest.Image(), networktest.Image())
	it.HandleAt = w.Now()
	handle := w.NewHandle(it)
	if len(w.VisiblePosts()) != 0 {
		t.Fatalf("visible before the irreversible call: %+v", w.VisiblePosts())
	}
	w.Advance(25 * time.Hour)
	if st, err := w.Net.AdvanceStatus(t.Context(), it, handle); err != nil || st.Verdict != core.Dead {
		t.Errorf("want dead after a day, got %+v, %v", st, err)
	}
}

// film returns an item with one video.
func film(t *testing.T, w *networktest.World, kind string, changes ...networktest.Change) network.Item {
	t.Helper()
	it := w.NewItem("A film")
	it.Title, it.Tags = "Premiere", []string{"bakery"}
	it.ArmedAt = time.Time{}
	it.Settings = settings(t, w, `{"contentType": "`+kind+`"}`)
	it.Files = w.NewFiles(networktest.Video(changes...))
	return it
}

func TestTitleAndTagsGoOutWithAVideo(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"video", "reels"} {
		w := networktest.NewWorld(t, harness())
		k := w.NewWorker(film(t, w, kind))
		if do := k.Run(); do != core.DoLive {
			t.Fatalf("%s ended with %s", kind, do)
		}
		all := w.VisiblePosts()
		if len(all) != 1 || all[0].Text != "A film\n\n#bakery" || all[0].Extra["title"] != "Premiere" || all[0].ID != k.ID {
			t.Errorf("%s: visible %+v", kind, all)
		}
	}
}

// What the network finds in the file of a Reel fails the post at once, in its words and ours.
func TestAReelThatDoesNotFitIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change networktest.Change
		code   string
	}{
		"too wide":  {networktest.Size(1080, 1080), "1363040"},
		"too small": {networktest.Size(360, 640), "1363127"},
		"too long":  {networktest.Duration(91_000), "1363128"},
		"too slow":  {networktest.FPS(20), "1363129"},
	} {
		w := networktest.NewWorld(t, harness())
		it := film(t, w, "reels", c.change)
		handle, err := w.Net.CreateHandle(t.Context(), it)
		if err == nil {
			if err = w.Kit.WaitIdle(t.Context()); err != nil {
				t.Fatal(err)
			}
			_, err = w.Net.AdvanceStatus(t.Context(), it, handle)
		}
		if e := w.RequireError(err, network.Rejected, it.Token.Access); e.Code != c.code || e.Hint == "" || e.Message == "" {
			t.Errorf("%s: got %+v", name, e)
		}
	}
}

// The token goes to the network's own host for uploads, and nowhere else that an answer may name.
func TestTheTokenGoesToNoOtherHost(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	it := film(t, w, "reels")
	for _, address := range []string{
		"https://evil.example/video-upload/v25.0/17", "http://rupload.facebook.com/video-upload/v25.0/17",
		"https://rupload.facebook.com/video-upload/v25.0/18",
		"https://rupload.facebook.com@evil.example/video-upload/v25.0/17", "",
	} {
		calls := 0
		w.ReplaceServer(func(rw http.ResponseWriter, _ *http.Request) {
			calls++
			_, _ = fmt.Fprintf(rw, `{"video_id":"17","upload_url":%q}`, address)
		})
		_, err := w.Net.CreateHandle(t.Context(), it)
		w.CheckError(err, network.Unknown, it.Token.Access)
		if calls != 1 {
			t.Errorf("%s was called", address)
		}
	}
	w.ReplaceServer(func(rw http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "rupload") {
			rw.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprintf(rw, `{"debug_info":{"retriable":false,"type":"ProcessingFailedError","message":"Sent %s"}}`, r.Header.Get("Authorization"))
			return
		}
		_, _ = io.WriteString(rw, `{"video_id":"17","upload_url":"https://rupload.facebook.com/video-upload/v25.0/17"}`)
	})
	_, err := w.Net.CreateHandle(t.Context(), it)
	if e := w.RequireError(err, network.Transient, it.Token.Access); e.Code != "ProcessingFailedError" {
		t.Errorf("got %+v", e)
	}
}

func TestWhatAVideosStateMeans(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	reel, page, story := film(t, w, "reels"), film(t, w, "video"), film(t, w, "stories")
	reel.HandleAt = w.Now()
	armed, old := reel, reel
	armed.ArmedAt = w.Now()
	old.HandleAt = w.Now().Add(-time.Hour)
	listed := story
	listed.ArmedAt = w.Now()
	const gone = `{"error":{"code":100,"error_subcode":33,"message":"gone"}}`
	state := func(word, phases string) string {
		return `{"status":{"video_status":"` + word + `"` + phases + `},"published":false}`
	}
	const (
		whole = `,"uploading_phase":{"status":"complete"}`
		taken = `,"publishing_phase":{"status":"not_started","publish_status":"published"}`
		begun = `,"publishing_phase":{"status":"in_progress"}`
		live  = `,"publishing_phase":{"status":"completed","publish_status":"published"}`
	)
	for name, c := range map[string]struct {
		it     network.Item
		answer string
		want   core.Verdict
	}{
		"a Reel on its way up": {
			reel, state("uploading", `,"uploading_phase":{"status":"in_progress"}`),
			core.Pending,
		},
		"a Reel that is up": {reel, state("upload_complete", whole), core.Ready},
		"a Reel that is up, in the other words": {
			reel, state("processing", `,"uploading_phase":{"status":"completed"}`),
			core.Ready,
		},
		"an armed Reel that was not taken":      {armed, state("ready", whole), core.Ready},
		"an armed Reel that was taken":          {armed, state("processing", whole+taken), core.Pending},
		"an armed Reel that is being published": {armed, state("ready", whole+begun), core.Pending},
		"a Reel that is live":                   {armed, state("ready", whole+live), core.Done},
		"a Reel that failed after it was taken": {armed, state("error", whole+taken), core.Broken},
		"an upload that failed": {
			reel,
			state("upload_failed", `,"uploading_phase":{"status":"error","error":{"message":"x"}}`), core.Broken,
		},
		"a Reel that expired":                    {reel, state("expired", ""), core.Dead},
		"a state nobody knows":                   {reel, state("pondering", ""), core.Pending},
		"no state":                               {reel, `{"id":"17"}`, core.Pending},
		"a fresh Reel that is missing":           {reel, gone, core.Pending},
		"an old Reel that is missing":            {old, gone, core.Dead},
		"a video that is being processed":        {page, state("processing", whole), core.Pending},
		"a video that is ready":                  {page, state("ready", whole), core.Ready},
		"a video that is published":              {page, `{"published":true}`, core.Done},
		"a Story's video that is up":             {story, state("upload_complete", whole), core.Ready},
		"a Story's video that cannot be fetched": {story, state("upload_failed", ""), core.Broken},
		"a Story that is not listed yet":         {listed, state("ready", whole+live), core.Pending},
	} {
		w.ReplaceServer(func(rw http.ResponseWriter, _ *http.Request) {
			if c.answer == gone {
				rw.WriteHeader(http.StatusBadRequest)
			}
			_, _ = io.WriteString(rw, c.answer)
		})
		st, err := w.Net.AdvanceStatus(t.Context(), c.it, "17")
		if err != nil || st.Verdict != c.want || (st.ExternalID == "17") != (c.want == core.Done) {
			t.Errorf("%s: want %s, got %+v, %v", name, c.want, st, err)
		}
	}
	w.ReplaceServer(func(rw http.ResponseWriter, _ *http.Request) {
		rw.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(rw, gone)
	})
	_, err := w.Net.AdvanceStatus(t.Context(), armed, "17")
	w.CheckError(err, network.Rejected, armed.Token.Access) // an armed one that is not shown proves nothing
}

// A Story that the network refuses to show a second time is looked for among the Page's.
func TestAStoryIsShownOnce(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]core.Media{"photo": networktest.Image(), "video": networktest.Video()} {
		w := networktest.NewWorld(t, harness())
		it := w.NewItem("")
		it.Settings, it.Files = settings(t, w, `{"contentType": "stories"}`), w.NewFiles(file)
		handle := w.NewHandle(it)
		first, err := w.Net.Publish(t.Context(), it, handle)
		if err != nil || first.ExternalID == "" {
			t.Fatalf("%s: %+v, %v", name, first, err)
		}
		_, err = w.Net.Publish(t.Context(), it, handle)
		if e := w.RequireError(err, network.Rejected, it.Token.Access); e.Code != "100/1366051" {
			t.Errorf("%s: %+v", name, e)
		}
		if st, err := w.Net.AdvanceStatus(t.Context(), it, handle); err != nil || st.Verdict != core.Done ||
			st.ExternalID != first.ExternalID {
			t.Errorf("%s: %+v, %v", name, st, err)
		}
		if all := w.VisiblePosts(); len(all) != 1 || all[0].PublishCalls != 2 {
			t.Errorf("%s: visible %+v", name, all)
		}
	}
}

// A video Story was processed for a week, because its state was queried only once it was over and no longer listed.
func TestAVideoStoryThatIsOverIsLive(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	it := film(t, w, "stories")
	handle := w.NewHandle(it)
	it.ArmedAt = w.Now()
	if _, err := w.Net.Publish(t.Context(), it, handle); err != nil {
		t.Fatal(err)
	}
	w.Advance(25 * time.Hour)
	if st, err := w.Net.AdvanceStatus(t.Context(), it, handle); err != nil || st.Verdict != core.Done || st.ExternalID != "" {
		t.Errorf("got %+v, %v", st, err)
	}
}

// A post whose files are lost is refused rather than sent as something else.
func TestAPostWithoutItsFilesGoesNowhere(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	for _, kind := range []string{"photo", "video", "reels", "stories"} {
		it := film(t, w, kind)
		it.Files = nil
		if do := w.NewWorker(it).Run(); do != core.DoFail {
			t.Errorf("%s ended with %s", kind, do)
		}
	}
	if all := w.VisiblePosts(); len(all) != 0 {
		t.Errorf("visible: %+v", all)
	}
}
