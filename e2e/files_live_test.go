package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"belfry/internal/media/mediatest"
)

// What people upload is what the networks show, byte for byte: pictures, videos, several of them, Reels.
func TestPostsWithFilesGoLive(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.serveUntilReady()
	made := s.seedWorkspace()
	c := s.newClient(made.Key)
	content := map[string][]byte{
		"a.jpg": mediatest.JPEG(640, 480), "b.png": mediatest.PNG(480, 640),
		"c.mp4": mediatest.MP4(mediatest.Movie{Duration: 5 * time.Second, Audio: "mp4a"}),
		"d.mov": mediatest.MP4(mediatest.Movie{Duration: 4 * time.Second, QuickTime: true, MoovLast: true}),
	}
	ids := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(content)) {
		ids[name] = c.uploadFile(name, content[name]).MediaID
	}
	for name, id := range ids {
		if f := c.waitForFile(t, id); f.Status != "ready" {
			t.Fatalf("%s is %s", name, f.Status)
		}
	}
	for text, post := range map[string]struct {
		network string
		files   []string
		block   map[string]any
	}{
		"One picture on Threads": {"threads", []string{"a.jpg"}, map[string]any{"altText": "A bell"}},
		"One video on Threads":   {"threads", []string{"c.mp4"}, nil},
		"A carousel on Threads":  {"threads", []string{"d.mov", "a.jpg", "b.png"}, nil},
		"One photo on a Page":    {"facebook", []string{"b.png"}, nil},
		"Two photos on a Page":   {"facebook", []string{"b.png", "a.jpg"}, nil},
		"A video on a Page":      {"facebook", []string{"d.mov"}, nil},
		"A Reel on a Page":       {"facebook", []string{"c.mp4"}, map[string]any{"contentType": "reels"}},
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			c := c.inTest(t)
			body := newPostBody(text, "now", made.Accounts[post.network])
			var media []string
			for _, name := range post.files {
				media = append(media, ids[name])
			}
			body["mediaIds"] = media
			if post.block != nil {
				body["perPlatform"] = map[string]any{post.network: post.block}
			}
			p := c.waitForStatus(c.do("POST", "/posts", body).requireStatus(t, 201).Posts[0].ID, "live", 60*time.Second)
			eventually(t, 20*time.Second, "the post has its link", func() bool {
				p = c.getPost(p.ID)
				return p.ExternalURL != nil
			})
			shown := s.visiblePosts()
			at := slices.IndexFunc(shown, func(v visiblePost) bool { return v.Text == text })
			if at < 0 {
				t.Fatalf("live, and not among %d posts", len(shown))
			}
			var want, got []string
			for _, name := range post.files {
				sum := sha256.Sum256(content[name])
				want = append(want, hex.EncodeToString(sum[:]))
			}
			for _, m := range shown[at].Media {
				got = append(got, m.SHA256)
			}
			if !slices.Equal(want, got) {
				t.Errorf("shows %v; want %v", got, want)
			}
			if answer, _ := getUnauthenticated(t, http.MethodGet, *p.ExternalURL, nil); answer.StatusCode != http.StatusOK {
				t.Errorf("its page answers %d", answer.StatusCode)
			}
		})
	}
}
