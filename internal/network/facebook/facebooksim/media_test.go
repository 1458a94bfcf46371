package facebooksim_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"belfry/internal/media/mediatest"
	"belfry/internal/network/facebook/facebooksim"
	"belfry/internal/network/sim"
)

func movie(change func(*mediatest.Movie)) []byte {
	m := mediatest.Movie{Duration: 5 * time.Second}
	if change != nil {
		change(&m)
	}
	return mediatest.MP4(m)
}

var files = map[string][]byte{
	"/a.png": mediatest.PNG(40, 30), "/b.jpg": mediatest.JPEG(40, 30), "/c.gif": mediatest.GIF(40, 30, 2),
	"/d.webp":    mediatest.WebP(40, 30),
	"/large.jpg": append(mediatest.JPEG(40, 30), make([]byte, 10_000_000)...), "/page.png": []byte("<html>"),
	"/reel.mp4": movie(nil), "/wide.mp4": movie(func(m *mediatest.Movie) { m.Width, m.Height = 1920, 1080 }),
	"/small.mp4":  movie(func(m *mediatest.Movie) { m.Width, m.Height = 360, 640 }),
	"/blink.mp4":  movie(func(m *mediatest.Movie) { m.Duration = time.Second }),
	"/slow.mp4":   movie(func(m *mediatest.Movie) { m.FPS = 20 }),
	"/vp8.mp4":    movie(func(m *mediatest.Movie) { m.Codec = "vp08" }),
	"/minute.mp4": movie(func(m *mediatest.Movie) { m.Duration = 61 * time.Second }),
}

func mediaHost(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, ok := files[r.URL.Path]
		if !ok || !strings.HasPrefix(r.UserAgent(), "facebookexternalhit/") {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", map[string]string{
			".png": "image/png", ".jpg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp", ".mp4": "video/mp4",
		}[path.Ext(r.URL.Path)])
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(file))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func sum(name string) string {
	sum := sha256.Sum256(files[name])
	return hex.EncodeToString(sum[:])
}

func (r *rig) photo(token, address string) answer {
	r.t.Helper()
	return r.post("/me/photos", token, url.Values{"url": {address}, "published": {"false"}})
}

func TestPhotosAreFetchedAndAttached(t *testing.T) {
	t.Parallel()
	r := start(t)
	page, host := r.page(bakery), mediaHost(t)
	r.photo(page, host+"/gone.png").refused("324", "2069019", "invalid image")
	r.photo(page, host+"/page.png").refused("324", "1366046", "10 MB")
	r.photo(page, host+"/d.webp").refused("324", "1366046", "JPG")
	r.photo(page, host+"/large.jpg").refused("324", "1366046", "10 MB")
	r.post("/me/photos", page, url.Values{"url": {host + "/a.png"}}).refused("100", "", "published")
	r.photo(r.user(bakery), host+"/a.png").refused("100", "33", "")
	one, two := r.photo(page, host+"/a.png").text("id"), r.photo(page, host+"/c.gif").text("id")
	if got := r.kit.Posts.All(); len(got) != 0 {
		t.Fatalf("uploads are visible: %v", got)
	}
	attach := func(ids ...string) answer {
		form := url.Values{"message": {"Rolls"}}
		for i, id := range ids {
			form.Set("attached_media["+string(rune('0'+i))+"]", `{"media_fbid":"`+id+`"}`)
		}
		return r.post("/me/feed", page, form)
	}
	attach(one, one).refused("100", "", "each photo once")
	attach(one, "123").refused("100", "33", "123")
	story := func() any { return r.get("/"+one+"?fields=page_story_id", page).json["page_story_id"] }
	if got := story(); got != nil {
		t.Errorf("an unpublished photo is in %v", got)
	}
	id := attach(two, one).text("id")
	if got := story(); got != id {
		t.Errorf("the photo is in %v, want %s", got, id)
	}
	all := r.kit.Posts.All()
	if len(all) != 1 || len(all[0].Media) != 2 || all[0].Media[0].SHA256 != sum("/c.gif") ||
		all[0].Media[1].SHA256 != sum("/a.png") {
		t.Errorf("visible: %+v", all)
	}
	attach(one).refused("100", "1366051", "already posted")
	a := r.get("/"+id+"?fields=attachments{media_type,subattachments}", page)
	if !strings.Contains(a.body, `"media_type":"album"`) || strings.Count(a.body, `"media_type":"photo"`) != 2 {
		t.Errorf("attachments: %s", a.body)
	}
	a = r.get("/"+id+"?fields=attachments{target{id},subattachments{target{id}}}", page)
	if want := `"subattachments":{"data":[{"target":{"id":"` + two + `"}},{"target":{"id":"` + one + `"}}]}`; !strings.Contains(
		a.body, want) {
		t.Errorf("attachments: %s, want %s", a.body, want)
	}
	if a := r.call("GET", all[0].URL, "", nil); !strings.Contains(a.body, "/www.facebook.com/media/"+sum("/a.png")) {
		t.Errorf("the page does not show the photo: %s", a.body)
	}
	if a := r.call("GET", "https://www.facebook.com/media/"+sum("/a.png"), "", nil); a.body != string(files["/a.png"]) ||
		a.header.Get("Content-Type") != "image/png" {
		t.Errorf("the photo is served as %d %s", a.status, a.header)
	}
	old := r.photo(page, host+"/b.jpg").text("id")
	r.clock.forward(25 * time.Hour)
	attach(old).refused("100", "33", "")
	r.get("/"+old+"?fields=id", page).refused("100", "33", "")
}

// begin starts a video at an edge and sends the address of its file.
func (r *rig) begin(edge, token, address string) string {
	r.t.Helper()
	a := r.post("/me/"+edge, token, url.Values{"upload_phase": {"start"}})
	req := httptest.NewRequestWithContext(r.t.Context(), http.MethodPost, a.text("upload_url"), nil)
	req.Header.Set("Authorization", "OAuth "+token)
	req.Header.Set("File_url", address)
	if up := r.send(req); up.json["success"] != true {
		r.t.Fatalf("upload answered %d %s", up.status, up.body)
	}
	if err := r.kit.WaitIdle(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
	return a.text("video_id")
}

func (r *rig) finish(edge, token, id string) answer {
	r.t.Helper()
	form := url.Values{"upload_phase": {"finish"}, "video_id": {id}}
	if edge == "video_reels" {
		form.Set("video_state", "PUBLISHED")
		form.Set("description", "A film")
	}
	return r.post("/me/"+edge, token, form)
}

func TestReelsAreJudged(t *testing.T) {
	t.Parallel()
	r := start(t)
	page, host := r.page(bakery), mediaHost(t)
	for file, want := range map[string][3]string{
		"/wide.mp4": {"error", "100", "1363040"}, "/small.mp4": {"error", "100", "1363127"},
		"/blink.mp4": {"error", "100", "1363128"},
		"/slow.mp4":  {"error", "100", "1363129"}, "/vp8.mp4": {"error", "100", "352"},
		"/gone.mp4": {"upload_failed", "6000", ""},
	} {
		id := r.begin("video_reels", page, host+file)
		if a := r.get("/"+id+"?fields=status", page); !strings.Contains(a.body, `"video_status":"`+want[0]+`"`) {
			t.Errorf("%s: %s", file, a.body)
		}
		r.finish("video_reels", page, id).refused(want[1], want[2], "")
	}
	if got := r.kit.Posts.All(); len(got) != 0 {
		t.Errorf("visible: %v", got)
	}
}

func TestAReelIsTakenThenLive(t *testing.T) {
	t.Parallel()
	r := start(t)
	if err := r.kit.SetOption(facebooksim.OptProcess, "60"); err != nil {
		t.Fatal(err)
	}
	page, host := r.page(bakery), mediaHost(t)
	id := r.begin("video_reels", page, host+"/reel.mp4")
	status := func() string { return r.get("/"+id+"?fields=status", page).body }
	if s := status(); !strings.Contains(s, `"publishing_phase":{"status":"not_started"}`) ||
		!strings.Contains(s, `"video_status":"processing"`) {
		t.Errorf("before: %s", s)
	}
	for range 2 {
		if a := r.finish("video_reels", page, id); a.json["success"] != true {
			t.Errorf("finish answered %s", a.body)
		}
	}
	if s := status(); !strings.Contains(s, `"publish_status":"published"`) ||
		strings.Contains(s,
			`"publishing_phase":{"publish_status":"published","publish_time":1790323200,"status":"complete"}`) ||
		len(r.kit.Posts.All()) != 0 {
		t.Errorf("taken: %s", s)
	}
	r.clock.forward(time.Minute)
	if s := status(); !strings.Contains(s, `"status":"complete"`) {
		t.Errorf("live: %s", s)
	}
	all := r.kit.Posts.All()
	if len(all) != 1 || all[0].ID != id || all[0].Media[0].SHA256 != sum("/reel.mp4") || all[0].PublishCalls != 2 ||
		all[0].Text != "A film" {
		t.Errorf("visible: %+v", all)
	}
	if a := r.get("/"+id+"?fields=permalink_url", page); a.text("permalink_url") != "/reel/"+id+"/" {
		t.Errorf("permalink %s", a.body)
	}
	if a := r.get("/me/published_posts?fields=id,message,status_type", page); !strings.Contains(a.body,
		`{"id":"`+bakery+"_"+id+`","message":"A film","status_type":"added_video"}`) {
		t.Errorf("the Page's posts are %s", a.body)
	}
}

func TestThirtyReelsADay(t *testing.T) {
	t.Parallel()
	r := start(t)
	page, host := r.page(bakery), mediaHost(t)
	for range 30 {
		r.finish("video_reels", page, r.begin("video_reels", page, host+"/reel.mp4"))
	}
	id := r.begin("video_reels", page, host+"/reel.mp4")
	r.finish("video_reels", page, id).refused("80001", "", "reels")
	r.clock.forward(25 * time.Hour)
	id = r.begin("video_reels", page, host+"/reel.mp4")
	if a := r.finish("video_reels", page, id); a.json["success"] != true {
		t.Errorf("the next day: %s", a.body)
	}
}

func TestPageVideosArePublishedLater(t *testing.T) {
	t.Parallel()
	r := start(t)
	page, host := r.page(bakery), mediaHost(t)
	create := func(file, published string) answer {
		return r.post("/me/videos",
			page, url.Values{"file_url": {host + file}, "description": {"Wide"}, "title": {"T"}, "published": {published}})
	}
	create("/gone.mp4", "false").refused("389", "", "Unable to fetch")
	create("/a.png", "false").refused("352", "", "format")
	create("/wide.mp4", "true").refused("100", "", "published")
	id := create("/wide.mp4", "false").text("id")
	if a := r.get("/"+id+"?fields=published,status", page); a.json["published"] != false || len(r.kit.Posts.All()) != 0 {
		t.Errorf("before: %s", a.body)
	}
	for range 2 {
		if a := r.post("/"+id, page, url.Values{"published": {"true"}}); a.json["success"] != true {
			t.Errorf("publishing answered %s", a.body)
		}
	}
	all := r.kit.Posts.All()
	if len(all) != 1 || all[0].ID != id || all[0].PublishCalls != 2 || all[0].Extra["title"] != "T" {
		t.Errorf("visible: %+v", all)
	}
	if a := r.call("GET", all[0].URL, "", nil); a.status != http.StatusOK || !strings.Contains(a.body, "<video") {
		t.Errorf("its page answers %d", a.status)
	}
	late := create("/wide.mp4", "false").text("id")
	r.clock.forward(25 * time.Hour)
	r.post("/"+late, page, url.Values{"published": {"true"}}).refused("6000", "", "expired")
}

func TestStoriesLastADay(t *testing.T) {
	t.Parallel()
	r := start(t)
	page, host := r.page(bakery), mediaHost(t)
	id := r.photo(page, host+"/a.png").text("id")
	a := r.post("/me/photo_stories", page, url.Values{"photo_id": {id}})
	post, ok := a.json["post_id"]
	if !ok || a.json["success"] != true {
		t.Fatalf("answered %s", a.body)
	}
	r.post("/me/photo_stories", page, url.Values{"photo_id": {id}}).refused("100", "1366051", "already")
	long := r.begin("video_stories", page, host+"/minute.mp4")
	r.finish("video_stories", page, long).refused("100", "1363128", "60 seconds")
	film := r.begin("video_stories", page, host+"/reel.mp4")
	if a := r.finish("video_stories", page, film); a.json["post_id"] == nil {
		t.Errorf("finish answered %s", a.body)
	}
	list := r.get("/me/stories", page)
	for _, want := range []string{`"media_id":"` + id + `"`, `"media_id":"` + film + `"`, `"status":"PUBLISHED"`} {
		if !strings.Contains(list.body, want) {
			t.Errorf("stories lack %s: %s", want, list.body)
		}
	}
	all := r.kit.Posts.All()
	if len(all) != 2 || all[0].PublishCalls != 2 {
		t.Fatalf("visible %+v, answered %v", all, post)
	}
	if a := r.call("GET", all[0].URL, "", nil); a.status != http.StatusOK {
		t.Errorf("its page answers %d", a.status)
	}
	r.clock.forward(25 * time.Hour)
	if a := r.get("/me/stories", page); a.body != "{\"data\":[]}" {
		t.Errorf("a day later: %s", a.body)
	}
	if a := r.call("GET", all[0].URL, "", nil); a.status != http.StatusNotFound {
		t.Errorf("a day later its page answers %d", a.status)
	}
}

func TestARestartForgetsNoFile(t *testing.T) {
	t.Parallel()
	journal := filepath.Join(t.TempDir(), "sandbox.jsonl")
	r := startAt(t, journal)
	page, host := r.page(bakery), mediaHost(t)
	photo := r.photo(page, host+"/a.png").text("id")
	r.post("/me/feed",
		page, url.Values{"attached_media": {`[{"media_fbid":"` + r.photo(page, host+"/b.jpg").text("id") + `"}]`}}).text("id")
	story := r.photo(page, host+"/c.gif").text("id")
	r.post("/me/photo_stories", page, url.Values{"photo_id": {story}})
	r.finish("video_reels", page, r.begin("video_reels", page, host+"/reel.mp4"))
	waiting := r.begin("video_reels", page, host+"/reel.mp4")
	before := r.kit.Posts.All()
	if err := r.kit.Close(); err != nil {
		t.Fatal(err)
	}
	again := startAt(t, journal)
	if after := again.kit.Posts.All(); !reflect.DeepEqual(after, before) || len(after) != 3 {
		t.Errorf("visible posts changed:\n%+v\n%+v", before, after)
	}
	again.post("/me/feed", page, url.Values{"attached_media": {`[{"media_fbid":"` + photo + `"}]`}}).text("id")
	again.post("/me/photo_stories", page, url.Values{"photo_id": {story}}).refused("100", "1366051", "")
	if a := again.finish("video_reels", page, waiting); a.json["success"] != true {
		t.Errorf("the waiting Reel: %s", a.body)
	}
	if a := again.call("GET", "https://www.facebook.com/media/"+sum("/b.jpg"), "", nil); a.body != string(files["/b.jpg"]) {
		t.Errorf("the photo is gone: %d", a.status)
	}
	if err := again.kit.ResetPosts(); err != nil {
		t.Fatal(err)
	}
	if err := again.kit.Close(); err != nil {
		t.Fatal(err)
	}
	third := startAt(t, journal)
	if got := third.kit.Posts.All(); len(got) != 0 {
		t.Errorf("posts came back after a reset: %v", got)
	}
}

func TestTheUploadHostIsStrict(t *testing.T) {
	t.Parallel()
	r := start(t)
	page := r.page(bakery)
	a := r.post("/me/video_reels", page, url.Values{"upload_phase": {"start"}})
	put := func(authorization, address string) answer {
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, a.text("upload_url"), nil)
		req.Header.Set("Authorization", authorization)
		req.Header.Set("File_url", address)
		return r.send(req)
	}
	put("Bearer "+page, "https://example.org/a.mp4").refused("100", "", "Unsupported")
	put("OAuth EAAnonsense", "https://example.org/a.mp4").refused("190", "", "")
	put("OAuth "+r.page(cycles), "https://example.org/a.mp4").refused("100", "33", "")
	if b := put("OAuth "+page, ""); b.status != http.StatusBadRequest || !strings.Contains(b.body, "PartialRequestError") {
		t.Errorf("without a file: %s", b.body)
	}
	if _, err := r.kit.Faults.Add(sim.Fault{Call: sim.CallFetch, Kind: sim.Reject}); err != nil {
		t.Fatal(err)
	}
	host := mediaHost(t)
	put("OAuth "+page, host+"/reel.mp4")
	if b := put("OAuth "+page, host+"/reel.mp4"); !strings.Contains(b.body, "OffsetInvalidError") {
		t.Errorf("twice: %s", b.body)
	}
	if err := r.kit.WaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := r.get("/"+a.text("video_id")+"?fields=status", page); !strings.Contains(s.body, "scripted fault") {
		t.Errorf("a spoilt download: %s", s.body)
	}
}
