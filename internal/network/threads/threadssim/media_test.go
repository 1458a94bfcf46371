package threadssim_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"strings"
	"testing"
	"time"

	"belfry/internal/media/mediatest"
)

func video(seconds int, change func(*mediatest.Movie)) []byte {
	m := mediatest.Movie{Duration: time.Duration(seconds) * time.Second}
	if change != nil {
		change(&m)
	}
	return mediatest.MP4(m)
}

// mediaHost serves files to the networks' crawler on loopback.
func mediaHost(t *testing.T) string {
	t.Helper()
	png := mediatest.PNG(640, 480)
	files := map[string][]byte{
		"/good.png": png, "/strip.png": mediatest.PNG(1100, 100), "/moves.gif": mediatest.GIF(320, 320, 2),
		"/page.html":  []byte("<html>not media</html>"),
		"/large.jpeg": append(mediatest.JPEG(640, 640), make([]byte, 8_000_000)...), "/secret/good.png": png,
		"/robots.txt": []byte("User-agent: *\nDisallow: /secret/\n"),
		"/good.mp4":   video(12, nil), "/long.mp4": video(301, nil),
		"/last.mp4":   video(12, func(m *mediatest.Movie) { m.MoovLast = true }),
		"/turned.mp4": video(12, func(m *mediatest.Movie) { m.Width, m.Height, m.Rotation = 1280, 1930, 90 }),
		"/wide.mp4":   video(12, func(m *mediatest.Movie) { m.Width, m.Height = 1930, 1280 }),
		"/slow.mp4":   video(12, func(m *mediatest.Movie) { m.FPS = 15 }),
		"/vp9.mp4":    video(12, func(m *mediatest.Movie) { m.Codec = "vp09" }),
		"/opus.mp4":   video(12, func(m *mediatest.Movie) { m.Audio = "Opus" }),
		"/aac.mov":    video(12, func(m *mediatest.Movie) { m.Audio, m.QuickTime = "mp4a", true }),
		"/loud.mp4":   video(12, func(m *mediatest.Movie) { m.Audio, m.Channels = "mp4a", 6 }),
		"/fine.mp4":   video(12, func(m *mediatest.Movie) { m.Audio, m.Rate = "mp4a", 96_000 }),
		"/dense.mp4":  video(1, func(m *mediatest.Movie) { m.Size = 13_000_000 }),
		"/lie.jpg":    png,
	}
	kinds := map[string]string{
		".mov": "video/quicktime", ".mp4": "video/mp4", ".png": "image/png", ".jpg": "image/jpeg",
		".jpeg": "image/jpeg",
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, ok := files[r.URL.Path]
		switch {
		case r.URL.Path == "/moved.png":
			http.Redirect(w, r, "/good.png", http.StatusFound)
		case r.URL.Path == "/unmeasured.png":
			w.Header().Set("Content-Type", "image/png")
			_ = http.NewResponseController(w).Flush()
			_, _ = w.Write(png)
		case !ok || r.Header.Get("Authorization") != "" || !strings.HasPrefix(r.UserAgent(), "facebookexternalhit/"):
			http.NotFound(w, r)
		default:
			if kind := kinds[path.Ext(r.URL.Path)]; kind != "" {
				w.Header().Set("Content-Type", kind)
			}
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(file))
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// settled polls a container until it is no longer IN_PROGRESS.
func (r *rig) settled(token, id string) answer {
	r.t.Helper()
	deadline := time.After(time.Minute)
	for {
		a := r.get("/v1.0/"+id+"?fields=id,status,error_message", token)
		if a.text("status") != "IN_PROGRESS" {
			return a
		}
		select {
		case <-deadline:
			r.t.Fatalf("container %s stays in progress", id)
		case <-time.After(time.Millisecond):
		}
	}
}

func TestMediaIsDownloadedAndJudged(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ kind, file, status, problem string }{
		"an image":               {"IMAGE", "/good.png", "FINISHED", ""},
		"an image of odd shape":  {"IMAGE", "/strip.png", "ERROR", "INVALID_ASPEC_RATIO"},
		"a page for an image":    {"IMAGE", "/page.html", "ERROR", "UNKNOWN"},
		"a video for an image":   {"IMAGE", "/good.mp4", "ERROR", "UNKNOWN"},
		"an image that is gone":  {"IMAGE", "/gone.png", "ERROR", "UNKNOWN"},
		"a video":                {"VIDEO", "/good.mp4", "FINISHED", ""},
		"a video of 301 seconds": {"VIDEO", "/long.mp4", "ERROR", "INVALID_DURATION"},
		"a page for a video":     {"VIDEO", "/page.html", "ERROR", "FAILED_PROCESSING_VIDEO"},
		"a video that is gone":   {"VIDEO", "/gone.mp4", "ERROR", "FAILED_DOWNLOADING_VIDEO"},
		"a moving image":         {"IMAGE", "/moves.gif", "ERROR", "UNKNOWN"},
		"an image over 8 MB":     {"IMAGE", "/large.jpeg", "ERROR", "UNKNOWN"},
		"an image elsewhere":     {"IMAGE", "/moved.png", "ERROR", "UNKNOWN"},
		"an image without size":  {"IMAGE", "/unmeasured.png", "ERROR", "UNKNOWN"},
		"a PNG called a JPEG":    {"IMAGE", "/lie.jpg", "ERROR", "UNKNOWN"},
		"a host that forbids it": {"IMAGE", "/secret/good.png", "ERROR", "UNKNOWN"},
		"a MOV with sound":       {"VIDEO", "/aac.mov", "FINISHED", ""},
		"a header at the end":    {"VIDEO", "/last.mp4", "FINISHED", ""},
		"too wide":               {"VIDEO", "/wide.mp4", "ERROR", "FAILED_PROCESSING_VIDEO"},
		"too wide once turned":   {"VIDEO", "/turned.mp4", "ERROR", "FAILED_PROCESSING_VIDEO"},
		"15 pictures a second":   {"VIDEO", "/slow.mp4", "ERROR", "INVALID_FRAME_RATE"},
		"VP9":                    {"VIDEO", "/vp9.mp4", "ERROR", "FAILED_PROCESSING_VIDEO"},
		"Opus":                   {"VIDEO", "/opus.mp4", "ERROR", "FAILED_PROCESSING_AUDIO"},
		"5.1":                    {"VIDEO", "/loud.mp4", "ERROR", "INVALID_AUDIO_CHANNELS"},
		"96 kHz":                 {"VIDEO", "/fine.mp4", "ERROR", "FAILED_PROCESSING_AUDIO"},
		"104 Mbit a second":      {"VIDEO", "/dense.mp4", "ERROR", "INVALID_BIT_RATE"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t)
			token := r.token("harbour.bakery")
			id := r.post("/v1.0/me/threads", token, url.Values{
				"media_type": {c.kind}, strings.ToLower(c.kind) + "_url": {mediaHost(t) + c.file},
			}).text("id")
			a := r.settled(token, id)
			problem, _ := a.json["error_message"].(string)
			if a.text("status") != c.status || problem != c.problem {
				t.Errorf("container ends %s, want %s %s", a.body, c.status, c.problem)
			}
			published := r.post("/v1.0/me/threads_publish", token, url.Values{"creation_id": {id}})
			if ok := published.status == http.StatusOK; ok != (c.problem == "") {
				t.Errorf("publishing it answered %d %s", published.status, published.body)
			}
		})
	}
}

func TestACarouselCountsOnce(t *testing.T) {
	t.Parallel()
	r := start(t)
	token, host := r.token("harbour.bakery"), mediaHost(t)
	var children []string
	for range 2 {
		id := r.post("/v1.0/me/threads", token, url.Values{
			"media_type": {"IMAGE"}, "image_url": {host + "/good.png"}, "is_carousel_item": {"true"}, "alt_text": {"Rolls"},
		}).text("id")
		r.settled(token, id)
		children = append(children, id)
	}
	r.post("/v1.0/me/threads_publish", token, url.Values{"creation_id": {children[0]}}).refused("100", "", "carousel item")
	twice := url.Values{"media_type": {"CAROUSEL"}, "children": {children[0] + "," + children[0]}}
	r.post("/v1.0/me/threads", token, twice).refused("100", "", "listed twice")

	parent := r.post("/v1.0/me/threads", token, url.Values{
		"media_type": {"CAROUSEL"}, "children": {strings.Join(children, ",")}, "text": {"Two rolls"}, "topic_tag": {"bread"},
	}).text("id")
	post := r.post("/v1.0/me/threads_publish", token, url.Values{"creation_id": {parent}}).text("id")
	if a := r.get("/v1.0/"+post+"?fields=media_type,children", token); a.text("media_type") != "CAROUSEL_ALBUM" {
		t.Errorf("read back: %s", a.body)
	}
	a := r.get("/v1.0/me/threads_publishing_limit?fields=quota_usage", token)
	if !strings.Contains(a.body, `"quota_usage":1`) || len(r.kit.Posts.All()) != 1 {
		t.Errorf("quota %s, posts %v", a.body, r.kit.Posts.All())
	}
}
