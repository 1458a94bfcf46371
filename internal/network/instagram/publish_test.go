package instagram_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	nt "belfry/internal/network/networktest"
	"belfry/internal/network/sim"
)

var (
	photo = nt.Image(nt.Size(320, 320))
	video = nt.Video()
)

// newItem returns an item with these files and settings.
func newItem(w *nt.World, settings, text string, media ...core.Media) network.Item {
	it := w.NewItem(text)
	it.Files, it.Settings = w.NewFiles(media...), json.RawMessage(settings)
	return it
}

// newFresh returns an item with a photo that was never armed.
func newFresh(w *nt.World, text string) network.Item {
	it := w.NewItem(text)
	it.ArmedAt, it.HandleAt = time.Time{}, w.Now()
	return it
}

func publish(t *testing.T, w *nt.World, it network.Item) sim.Post {
	t.Helper()
	if do := w.NewWorker(it).Run(); do != core.DoLive {
		t.Fatalf("ended with %s", do)
	}
	all := w.VisiblePosts()
	if len(all) != 1 {
		t.Fatalf("visible: %+v", all)
	}
	return all[0]
}

// The setting does not say which of several images it describes, so it is not sent.
func TestEveryImageOfACarouselIsDescribed(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	it := newItem(w, `{"altText":"A roll"}`, "Rolls", video, photo, photo, photo)
	it.Files[2].Description = strings.Repeat("é", 1200)
	it.Files[3].Description = ""
	if it.Files[1].Description != nt.Description {
		t.Fatalf("the first image is described as %q", it.Files[1].Description)
	}
	var alts []string
	for _, m := range publish(t, w, it).Media {
		alts = append(alts, m.Alt)
	}
	if want := []string{"", nt.Description, strings.Repeat("é", 1000), ""}; !slices.Equal(alts, want) {
		t.Errorf("the files are described as %q", alts)
	}
}

func TestEverySettingArrives(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		settings string
		media    []core.Media
		want     map[string]string // of the post's extra fields
	}{
		"a photo": {
			`{}`,
			[]core.Media{photo},
			map[string]string{"media_type": "IMAGE", "product": "FEED", "alt_text": nt.Description},
		},
		"a described photo": {`{"altText":"A roll"}`, []core.Media{photo}, map[string]string{"alt_text": "A roll"}},
		"with collaborators": {
			`{"collaborators":["Ann.B","c_d"]}`, []core.Media{photo}, map[string]string{"collaborators": "ann.b,c_d"},
		},
		"a carousel": {
			`{"contentType":"feed","collaborators":["ann"],"altText":"not sent"}`,
			[]core.Media{photo, video},
			map[string]string{"media_type": "CAROUSEL", "collaborators": "ann", "alt_text": ""},
		},
		"a Reel": {
			`{}`,
			[]core.Media{video},
			map[string]string{"media_type": "REELS", "share_to_feed": "true", "thumb_offset": "", "product": "REELS"},
		},
		"a Reel shown in the feed": {
			`{"shareToFeed":true}`, []core.Media{video}, map[string]string{"share_to_feed": "true"},
		},
		"a Reel not shown in the feed": {
			`{"shareToFeed":false}`, []core.Media{video}, map[string]string{"share_to_feed": "false"},
		},
		"a cover frame": {
			`{"contentType":"reels","coverMs":1500}`, []core.Media{video}, map[string]string{"thumb_offset": "1500"},
		},
		"the first frame":    {`{"coverMs":0}`, []core.Media{video}, map[string]string{"thumb_offset": "0"}},
		"a Story of a photo": {`{"contentType":"stories"}`, []core.Media{photo}, map[string]string{"product": "STORY"}},
		"a Story of a video": {`{"contentType":"stories"}`, []core.Media{video}, map[string]string{"product": "STORY"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := nt.NewWorld(t, harness())
			it := newItem(w, c.settings, "Two rolls #bread", c.media...)
			it.Tags = []string{"bread", "morning"}
			text := "Two rolls #bread\n\n#morning"
			if strings.Contains(c.settings, "stories") {
				it.Text, it.Tags, text = "", nil, ""
			}
			one := publish(t, w, it)
			for field, want := range c.want {
				if one.Extra[field] != want {
					t.Errorf("want %s %q, got %q", field, want, one.Extra[field])
				}
			}
			if one.Text != text || len(one.Media) != len(c.media) {
				t.Errorf("got %q with %d files", one.Text, len(one.Media))
			}
		})
	}
}

func TestAFullQuotaHoldsThePost(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	if err := w.Kit.SetOption("instagram.quota_total", "2"); err != nil {
		t.Fatal(err)
	}
	send := func(it network.Item) {
		t.Helper()
		if _, err := w.Net.Publish(t.Context(), it, w.NewHandle(it)); err != nil {
			t.Fatal(err)
		}
	}
	send(newItem(w, `{"contentType":"stories"}`, "", photo)) // counts, and is in another list
	w.Advance(2 * time.Hour)
	it := w.NewItem("One")
	send(it)
	w.Advance(time.Hour)
	it.Text = "Two"
	handle := w.NewHandle(it)
	refused := func(want time.Duration) {
		t.Helper()
		_, err := w.Net.Publish(t.Context(), it, handle)
		e := w.RequireError(err, network.RateLimited, it.Token.Access)
		if e.RetryAfter != want || e.Scope != network.ScopeAccount || e.Code != "9/2207042" || e.Hint == "" {
			t.Errorf("want %v for the account, got %+v", want, e)
		}
	}
	const untilItFrees = 21 * time.Hour // the Story leaves the window of a day
	refused(untilItFrees)
	w.AddFault(sim.Fault{Call: "list", Kind: sim.ServerError})
	refused(time.Hour)
	w.AddFault(sim.Fault{Call: "limit", Kind: sim.ServerError})
	refused(time.Hour)
	w.Advance(untilItFrees)
	send(it)
}

// containers responds to a list of posts with posts, and to all other calls with answer.
func containers(answer string, status int, posts string) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/media") || strings.HasSuffix(r.URL.Path, "/stories") {
			_, _ = io.WriteString(rw, `{"data":[`+posts+`]}`)
			return
		}
		rw.WriteHeader(status)
		_, _ = io.WriteString(rw, answer)
	}
}

func TestWhatAContainersStateMeans(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	fresh := newFresh(w, "State")
	old, armed := fresh, fresh
	old.HandleAt = w.Now().Add(-time.Hour)
	armed.ArmedAt = w.Now()
	long := armed
	long.ArmedAt = w.Now().Add(-time.Hour)
	stamp := w.Now().Format("2006-01-02T15:04:05-0700")
	post := fmt.Sprintf(
		`{"id":"18","caption":"State","timestamp":%q,"media_type":"IMAGE","media_product_type":"FEED"}`, stamp,
	)
	bare := fmt.Sprintf(`{"id":"19","timestamp":%q,"media_type":"IMAGE"}`, stamp)
	gone := `{"error":{"code":24,"error_subcode":2207006,"message":"gone"}}`
	failed := func(code string) string {
		return `{"status_code":"ERROR","status":"Error: Media upload has failed with error code ` + code + `"}`
	}
	for name, c := range map[string]struct {
		it     network.Item
		status int
		answer string
		posts  string
		want   core.Verdict
		id     string
	}{
		"in progress":          {fresh, 200, `{"status_code":"IN_PROGRESS"}`, ``, core.Pending, ""},
		"a state nobody knows": {fresh, 200, `{"status_code":"PONDERING"}`, ``, core.Pending, ""},
		"no state":             {fresh, 200, `{"id":"17"}`, ``, core.Pending, ""},
		"finished":             {fresh, 200, `{"status_code":"FINISHED"}`, ``, core.Ready, ""},
		"expired":              {fresh, 200, `{"status_code":"EXPIRED"}`, ``, core.Dead, ""},
		"failed to load":       {fresh, 200, failed("2207076"), ``, core.Broken, ""},
		"failed to process":    {fresh, 200, failed("2207082"), ``, core.Broken, ""},
		"an error without a state": {
			fresh, 200, `{"status_code":"","status":"Error: Media download has failed."}`, ``, core.Broken, "",
		},
		"a bad video, after the arm":      {armed, 200, failed("2207026"), ``, core.Broken, ""},
		"published":                       {armed, 200, `{"status_code":"PUBLISHED"}`, post, core.Done, "18"},
		"published, not in the list":      {armed, 200, `{"status_code":"PUBLISHED"}`, ``, core.Done, ""},
		"published, without a caption":    {armed, 200, `{"status_code":"PUBLISHED"}`, bare, core.Done, ""},
		"missing, just made":              {fresh, 400, gone, ``, core.Pending, ""},
		"missing, never armed":            {old, 400, gone, post, core.Dead, ""},
		"missing, armed, in the list":     {armed, 400, gone, post, core.Done, "18"},
		"missing, armed, twice listed":    {armed, 400, gone, post + "," + post, core.Pending, ""},
		"missing long, twice listed":      {long, 400, gone, post + "," + post, core.Ambiguous, ""},
		"missing, armed, no caption":      {long, 400, gone, bare, core.Ambiguous, ""},
		"missing, armed, not listed":      {armed, 400, gone, ``, core.Pending, ""},
		"missing, armed long, not listed": {long, 400, gone, ``, core.Dead, ""},
		"missing by a second code": {
			long, 400, `{"error":{"code":24,"error_subcode":2207008,"message":"gone"}}`, ``, core.Dead, "",
		},
		"missing by a third code": {
			long, 400, `{"error":{"code":100,"error_subcode":33,"message":"gone"}}`, ``, core.Dead, "",
		},
	} {
		w.ReplaceServer(containers(c.answer, c.status, c.posts))
		st, err := w.Net.AdvanceStatus(t.Context(), c.it, "17900000000000001")
		if err != nil || st.Verdict != c.want || st.ExternalID != c.id {
			t.Errorf("%s: want %s %q, got %+v, %v", name, c.want, c.id, st, err)
		}
	}
	for _, code := range []string{"2207026", "2207057"} {
		w.ReplaceServer(containers(failed(code), 200, ``))
		_, err := w.Net.AdvanceStatus(t.Context(), fresh, "17900000000000001")
		if e := w.RequireError(err, network.Rejected, fresh.Token.Access); e.Code != code || e.Hint == "" {
			t.Errorf("%s: got %+v", code, e)
		}
	}
}

func TestASearchComparesCaptionTypeAndProduct(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	it := newItem(w, `{}`, "By @ann\r\nand @bob ", photo)
	listed := func(caption, kind, product, at string) string {
		const shape = `{"id":"18","caption":%q,"media_type":%q,"media_product_type":%q,"timestamp":%q}`
		return fmt.Sprintf(shape, caption, kind, product, at)
	}
	const now, before = "2026-10-05T09:00:01+0000", "2026-10-05T08:58:00+0000"
	for name, c := range map[string]struct {
		post string
		want core.Verdict
	}{
		"the same":           {listed("By @ann\nand @bob", "IMAGE", "FEED", now), core.Done},
		"without the @":      {listed("By ann\nand bob", "IMAGE", "FEED", now), core.Done},
		"without a product":  {listed("By @ann\nand @bob", "IMAGE", "", now), core.Done},
		"another text":       {listed("By @ann", "IMAGE", "FEED", now), core.Absent},
		"a video":            {listed("By @ann\nand @bob", "VIDEO", "REELS", now), core.Absent},
		"another product":    {listed("By @ann\nand @bob", "IMAGE", "AD", now), core.Absent},
		"of an earlier time": {listed("By @ann\nand @bob", "IMAGE", "FEED", before), core.Absent},
	} {
		w.ReplaceServer(containers("", 200, c.post))
		if st, err := w.Net.FindPost(t.Context(), it); err != nil || st.Verdict != c.want {
			t.Errorf("%s: want %s, got %+v, %v", name, c.want, st, err)
		}
	}
}

// The account's owner may have published another post of the same type by phone.
func TestAPostWithoutACaptionIsNotFoundByItsTypeAlone(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	const gone = `{"error":{"code":100,"error_subcode":33,"message":"gone"}}`
	it := w.NewItem("")
	for settings, product := range map[string]string{`{"contentType":"stories"}`: "STORY", `{}`: "FEED"} {
		it.Settings = json.RawMessage(settings)
		byPhone := fmt.Sprintf(
			`{"id":"18","timestamp":%q,"media_type":"IMAGE","media_product_type":%q}`, w.Now().Format(time.RFC3339), product,
		)
		check := func(name, answer string, status int, armedAt time.Time, want core.Verdict) {
			t.Helper()
			it.ArmedAt = armedAt
			w.ReplaceServer(containers(answer, status, byPhone))
			st, err := w.Net.AdvanceStatus(t.Context(), it, "17900000000000001")
			if err != nil || st.Verdict != want || st.ExternalID != "" || st.URL != "" {
				t.Errorf("%s, %s: want %s, got %+v, %v", product, name, want, st, err)
			}
		}
		check("published", `{"status_code":"PUBLISHED"}`, 200, w.Now(), core.Done)
		check("missing for a moment", gone, 400, w.Now(), core.Pending)
		check("missing for an hour", gone, 400, w.Now().Add(-time.Hour), core.Ambiguous)
	}
}

// Instagram lists Stories for a day. After that, an empty list counted as proof that the Story was not published.
func TestAStoryThatIsNoLongerListedIsNotProvedAbsent(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	it := newItem(w, `{"contentType":"stories"}`, "", photo)
	w.ReplaceServer(containers(`{"error":{"code":100,"error_subcode":33,"message":"gone"}}`, 400, ``))
	for ago, want := range map[time.Duration]core.Verdict{
		time.Hour: core.Dead, 23 * time.Hour: core.Dead, 24 * time.Hour: core.Ambiguous, 48 * time.Hour: core.Ambiguous,
	} {
		it.ArmedAt, it.RearmedAt = w.Now().Add(-ago), w.Now().Add(-time.Hour)
		if st, err := w.Net.AdvanceStatus(t.Context(), it, "17900000000000001"); err != nil || st.Verdict != want {
			t.Errorf("%s after the arm: want %s, got %+v, %v", ago, want, st, err)
		}
	}
}

func TestALinkOfAnotherHostIsNoLink(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	it := w.NewItem("Same words")
	for address, want := range map[string]string{
		"https://www.instagram.com/p/B/": "https://www.instagram.com/p/B/", "https://evil.example/p/B/": "",
		"https://instagram.com.evil.example/p/B/": "", "javascript:alert(1)": "",
	} {
		w.ReplaceServer(func(rw http.ResponseWriter, _ *http.Request) {
			const shape = `{"permalink":%[1]q,"data":[{"id":"1","caption":"Same words","media_type":"IMAGE","permalink":%[1]q}]}`
			_, _ = fmt.Fprintf(rw, shape, address)
		})
		if found, err := w.Net.FindPost(t.Context(), it); err != nil || found.Verdict != core.Done || found.URL != want {
			t.Errorf("%s: found %+v, %v", address, found, err)
		}
		if link, err := w.Net.FetchLink(t.Context(), it, "1"); link != want || (err == nil) != (want != "") {
			t.Errorf("%s: linked %q, %v", address, link, err)
		}
	}
}

// The answer to a call names what the next call goes to.
func TestAContainerIDThatIsAPathIsRefused(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	it := w.NewItem("a")
	for _, id := range []string{"../../me/evil?x=", "17/media", "17?fields=x", "17#x", ".."} {
		w.ReplaceServer(func(rw http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintf(rw, `{"id":%q}`, id) })
		_, err := w.Net.CreateHandle(t.Context(), it)
		w.CheckError(err, network.Unknown, it.Token.Access)
	}
}

// The network has been seen to say "not found" right after it said "finished".
func TestTheRaceAfterFinishedCostsNoSecondPost(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	w.AddFault(sim.Fault{Call: "publish", Kind: sim.NotReadyRace, Times: new(3)})
	if one := publish(t, w, w.NewItem("Patience")); one.PublishCalls != 4 {
		t.Errorf("visible: %+v", one)
	}
}

func TestAContainerThatIsNeverReadyIsReplaced(t *testing.T) {
	t.Parallel()
	for name, media := range map[string][]core.Media{"alone": {photo}, "in a carousel": {photo, photo}} {
		w := nt.NewWorld(t, harness())
		w.AddFault(sim.Fault{Call: "create", Kind: sim.NeverReady})
		it := newItem(w, `{}`, "Slow", media...)
		it.ArmedAt = time.Time{}
		handle, err := w.Net.CreateHandle(t.Context(), it)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []core.Verdict{core.Pending, core.Dead} {
			if err := w.Kit.WaitIdle(t.Context()); err != nil {
				t.Fatal(err)
			}
			if st, err := w.Net.AdvanceStatus(t.Context(), it, handle); err != nil || st.Verdict != want || st.Handle != "" {
				t.Errorf("%s: want %s, got %+v, %v", name, want, st, err)
			}
			w.Advance(24 * time.Hour)
		}
	}
}

// The reason for which a container failed is in a field that must be asked for.
func TestAFailedContainerTellsItsReason(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	it := w.NewItem("A Reel")
	it.Files, it.ArmedAt = w.NewFiles(nt.Video()), time.Time{}
	w.AddFault(sim.Fault{Call: sim.CallFetch, Kind: sim.ServerError, Times: new(0)})
	handle, err := w.Net.CreateHandle(t.Context(), it)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Kit.WaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	st, err := w.Net.AdvanceStatus(t.Context(), it, handle)
	if err != nil || st.Verdict != core.Broken || !strings.Contains(st.Message, "2207076") {
		t.Errorf("got %+v, %v", st, err)
	}
}
