package threadssim_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// video is an MP4 of nothing but its header, so many seconds long.
func video(seconds uint32) []byte {
	box := func(name string, body []byte) []byte {
		return append(append(binary.BigEndian.AppendUint32(nil, uint32(8+len(body))), name...), body...)
	}
	head := make([]byte, 100)
	binary.BigEndian.PutUint32(head[12:], 1000)
	binary.BigEndian.PutUint32(head[16:], seconds*1000)
	return append(box("ftyp", []byte("isom\x00\x00\x00\x00isom")), box("moov", box("mvhd", head))...)
}

func picture(width, height int) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		return nil
	}
	return b.Bytes()
}

// mediaHost serves files on loopback and remembers who asked.
func mediaHost(t *testing.T) string {
	t.Helper()
	files := map[string][]byte{
		"/good.png": picture(640, 480), "/strip.png": picture(1100, 100), "/page.html": []byte("<html>not media</html>"),
		"/good.mp4": video(12), "/long.mp4": video(301),
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, ok := files[r.URL.Path]
		if !ok || r.Header.Get("Authorization") != "" || !strings.HasPrefix(r.UserAgent(), "facebookexternalhit/") {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(file)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// settled polls a container until it leaves IN_PROGRESS.
func (r *rig) settled(token, id string) answer {
	r.t.Helper()
	deadline := time.After(10 * time.Second)
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
