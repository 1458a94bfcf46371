package sim_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"belfry/internal/media/mediatest"
	"belfry/internal/network/sim"
)

// People read "image/jpeg, 27152 bytes".
func TestFilesAreDescribedForPeople(t *testing.T) {
	t.Parallel()
	for want, m := range map[string]sim.Media{
		"Image, 27 kB": {Kind: sim.JPEG, Bytes: 27152}, "Video, 1.3 MB": {Kind: sim.MP4, Bytes: 1_299_610},
		"File, 9 bytes": {Bytes: 9}, "Image, 1.0 MB": {Kind: sim.JPEG, Bytes: 999_600},
	} {
		if got := m.DescribeForPeople(); got != want {
			t.Errorf("the file is described as %q, want %q", got, want)
		}
	}
}

// The simulators look at files with eyes of their own: they must see what the product sees.
func TestFilesAreRecognised(t *testing.T) {
	t.Parallel()
	film := func(m mediatest.Movie) []byte { m.Duration = 2 * time.Second; return mediatest.MP4(m) }
	for name, c := range map[string]struct {
		file []byte
		want sim.Media
	}{
		"JPEG":    {mediatest.JPEG(40, 30), sim.Media{Kind: sim.JPEG, Width: 40, Height: 30}},
		"PNG":     {mediatest.PNG(40, 30), sim.Media{Kind: sim.PNG, Width: 40, Height: 30}},
		"GIF":     {mediatest.GIF(40, 30, 3), sim.Media{Kind: sim.GIF, Width: 40, Height: 30}},
		"BMP":     {append([]byte("BM"), make([]byte, 30)...), sim.Media{Kind: sim.BMP}},
		"TIFF":    {[]byte("MM\x00*\x00\x00\x00\x08"), sim.Media{Kind: sim.TIFF}},
		"WebP":    {mediatest.WebP(40, 30), sim.Media{Kind: sim.WebP, Width: 40, Height: 30}},
		"a page":  {[]byte("<html>"), sim.Media{}},
		"nothing": {nil, sim.Media{}},
		"HEIC":    {mediatest.Box("ftyp", []byte("heic\x00\x00\x00\x00heic")), sim.Media{}},
		"a film": {
			film(mediatest.Movie{Width: 320, Height: 240}),
			sim.Media{Kind: sim.MP4, Width: 320, Height: 240, Ms: 2000, FPS: 30, Video: "avc1"},
		},
		"turned": {
			film(mediatest.Movie{Width: 320, Height: 240, Rotation: 90}),
			sim.Media{Kind: sim.MP4, Width: 240, Height: 320, Ms: 2000, FPS: 30, Video: "avc1"},
		},
		"upside": {
			film(mediatest.Movie{Width: 320, Height: 240, Rotation: 180}),
			sim.Media{Kind: sim.MP4, Width: 320, Height: 240, Ms: 2000, FPS: 30, Video: "avc1"},
		},
		"late": {
			film(mediatest.Movie{Width: 320, Height: 240, MoovLast: true, Size: 5 << 20}),
			sim.Media{Kind: sim.MP4, Width: 320, Height: 240, Ms: 2000, FPS: 30, Video: "avc1"},
		},
		"sounding": {
			film(mediatest.Movie{Width: 320, Height: 240, Codec: "hvc1", Audio: "mp4a", FPS: 25, QuickTime: true}),
			sim.Media{
				Kind: sim.MP4, Width: 320, Height: 240, Ms: 2000, FPS: 25, Video: "hvc1", Audio: "mp4a", Rate: 48_000,
				Channels: 2, QuickTime: true,
			},
		},
		"in 5.1": {
			film(mediatest.Movie{Width: 320, Height: 240, Audio: "mp4a", Rate: 96_000, Channels: 6}),
			sim.Media{
				Kind: sim.MP4, Width: 320, Height: 240, Ms: 2000, FPS: 30, Video: "avc1", Audio: "mp4a", Rate: 96_000,
				Channels: 6,
			},
		},
		"in parts": {
			film(mediatest.Movie{Width: 320, Height: 240, Fragmented: true}),
			sim.Media{Kind: sim.MP4, Width: 320, Height: 240, Video: "avc1", Fragmented: true},
		},
		"cut": {film(mediatest.Movie{Width: 320, Height: 240})[:60], sim.Media{Kind: sim.MP4}},
	} {
		c.want.Bytes = int64(len(c.file))
		if got := sim.DetectMedia(bytes.NewReader(c.file), int64(len(c.file))); got != c.want {
			t.Errorf("%s: want %+v, got %+v", name, c.want, got)
		}
	}
}

func TestRobotsDecideWhoMayFetch(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		robots string
		taken  bool
	}{
		"none":                {404, "", true},
		"an empty one":        {200, "", true},
		"all forbidden":       {200, "User-agent: *\nDisallow: /", false},
		"elsewhere forbidden": {200, "User-agent: *\nDisallow: /admin", true},
		"nothing forbidden":   {200, "User-agent: *\nDisallow:", true},
		"media allowed":       {200, "User-agent: *\nDisallow: /\nAllow: /media/ # for networks", true},
		"this crawler let in": {200, "User-agent: *\nDisallow: /\n\nUser-agent: FacebookExternalHit\nAllow: /", true},
		"this crawler kept out": {
			200,
			"User-agent: a\nUser-agent: facebookexternalhit\nDisallow: /media\n\nUser-agent: *\nAllow: /", false,
		},
		"another crawler kept out": {200, "User-agent: GPTBot\nDisallow: /", true},
		"a server in trouble":      {503, "", false},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				w.Header().Set("Content-Type", "text/plain; charset=utf-8")
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.robots))
				return
			}
			w.Header().Set("Content-Type", "image/png")
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(mediatest.PNG(4, 4)))
		}))
		_, err := open(t, "").FetchFile(t.Context(), "net", "1", server.URL+"/media/1")
		if (err == nil) != c.taken {
			t.Errorf("%s: %v", name, err)
		}
		server.Close()
	}
}

func TestAFetchCanBeSpoilt(t *testing.T) {
	t.Parallel()
	kit := open(t, "")
	kit.Register(sim.About{ID: "net", Calls: []string{sim.CallFetch}}, nil)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "a.png", time.Time{}, bytes.NewReader(mediatest.PNG(4, 4)))
	}))
	t.Cleanup(server.Close)
	if _, err := kit.Faults.Add(sim.Fault{Call: sim.CallFetch, Kind: sim.Reject, Match: "/spoilt"}); err != nil {
		t.Fatal(err)
	}
	if _, err := kit.FetchFile(t.Context(), "net", "1", server.URL+"/good"); err != nil {
		t.Error(err)
	}
	if _, err := kit.FetchFile(t.Context(), "net", "1", server.URL+"/spoilt"); err == nil ||
		!strings.Contains(err.Error(), "scripted fault reject") {
		t.Errorf("got %v", err)
	}
}
