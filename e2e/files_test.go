package e2e

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"testing"

	"belfry/internal/media/mediatest"
)

// What a file is, its bytes say. What is not taken fails with a reason, counts nothing and leaves nothing.
func TestFilesBecomeReadyOrFail(t *testing.T) {
	t.Parallel()
	s, c := newLibrary(t, "owner")
	picture, film := mediatest.JPEG(640, 480), mediatest.MP4(mediatest.Movie{})
	ready := map[string]struct {
		content             []byte
		kind, mime          string
		width, height, last int64
	}{
		"photo.jpg":   {picture, "image", "image/jpeg", 640, 480, 0},
		"drawing.png": {mediatest.PNG(64, 48), "image", "image/png", 64, 48, 0},
		"cat.gif":     {mediatest.GIF(32, 16, 3), "image", "image/gif", 32, 16, 300},
		"photo.webp":  {mediatest.WebP(1, 1), "image", "image/webp", 1, 1, 0},
		"clip.mp4":    {film, "video", "video/mp4", 1080, 1920, 3000},
		"clip.mov": {
			mediatest.MP4(mediatest.Movie{QuickTime: true, MoovLast: true}), "video", "video/quicktime", 1080, 1920, 3000,
		},
		"turned.mp4":       {mediatest.MP4(mediatest.Movie{Rotation: 90}), "video", "video/mp4", 1920, 1080, 3000},
		"no name for it":   {mediatest.PNG(5, 6), "image", "image/png", 5, 6, 0},
		"really a png.gif": {mediatest.PNG(6, 5), "image", "image/png", 6, 5, 0},
	}
	failed := map[string][]byte{
		"phone.heic":   []byte("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic" + strings.Repeat("\x00", 100)),
		"next.avif":    []byte("\x00\x00\x00\x18ftypavif\x00\x00\x00\x00mif1avif" + strings.Repeat("\x00", 100)),
		"logo.svg":     []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`),
		"paper.pdf":    []byte("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"),
		"page.jpg":     []byte("<!doctype html><script>alert(1)</script>"),
		"cut.jpg":      picture[:len(picture)/2],
		"cut.mp4":      film[:len(film)/2],
		"lie.mp4":      picture,
		"lie.jpg":      film,
		"archive.png":  []byte("PK\x03\x04" + strings.Repeat("\x00", 100)),
		"one byte.jpg": {0xff},
		"playlist.mp4": []byte("#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n"),
		"nothing.jpg":  make([]byte, 1000),
	}
	ids := map[string]string{}
	for name, f := range ready {
		ids[name] = c.uploadFile(name, f.content).MediaID
	}
	for name, content := range failed {
		ids[name] = c.uploadFile(name, content).MediaID
	}
	all := fileCounts{files: len(ids), jobs: len(ready) + 2*len(failed), blobs: 2 * len(ready)}
	for name, want := range ready {
		f := c.waitForFile(t, ids[name])
		last := int64(0)
		if f.DurationMs != nil {
			last = *f.DurationMs
		}
		if f.Status != "ready" || f.Kind != want.kind || f.Mime != want.mime || *f.Width != want.width ||
			*f.Height != want.height || last != want.last ||
			f.FailReason != nil || f.ThumbnailURL == nil || f.OriginalName != name || f.Size > int64(len(want.content)) {
			t.Errorf("%s is %+v, of %v", name, f, f.FailReason)
		}
		if all.used += f.Size; f.Size != int64(len(want.content)) {
			all.jobs++ // what it came as is deleted
		}
	}
	for name, content := range failed {
		f := c.waitForFile(t, ids[name])
		if f.Status != "failed" || f.FailReason == nil || len(*f.FailReason) < 20 ||
			!strings.HasSuffix(*f.FailReason, ".") || f.ThumbnailURL != nil || f.Size != int64(len(content)) {
			t.Errorf("%s is %+v", name, f)
		}
	}
	var got fileCounts
	if !waitUntil(workerTimeout, func() bool { got = s.countFiles(c); return got == all }) {
		t.Errorf("there are %+v; want %+v", got, all)
	}
}

// getUnauthenticated sends a request without a credential and follows no redirect.
func getUnauthenticated(t testing.TB, method, url string, header map[string]string) (*http.Response, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range header {
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultTransport.RoundTrip(r) // which follows no redirect
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, raw
}

// Signed addresses: whole, in parts, head alone, and to nobody else. A thumbnail stands for all of them.
func TestFilesAreServed(t *testing.T) {
	t.Parallel()
	_, c := newLibrary(t, "owner")
	f := c.waitForFile(t, c.uploadFile("tower, \"big\".jpg", mediatest.JPEG(1200, 800)).MediaID)
	if f.ThumbnailURL == nil {
		t.Fatalf("the file is %+v", f)
	}
	address := *f.ThumbnailURL
	whole, content := getUnauthenticated(t, "GET", address, nil)
	for name, want := range map[string]string{
		"Content-Type": "image/jpeg", "X-Content-Type-Options": "nosniff",
		"Content-Security-Policy":      "sandbox; default-src 'none'",
		"Cross-Origin-Resource-Policy": "same-site", "Content-Disposition": "inline; filename=thumbnail.jpg",
		"Accept-Ranges": "bytes", "Set-Cookie": "",
		"RateLimit-Policy": "", "Content-Length": fmt.Sprint(len(content)),
	} {
		if got := whole.Header.Get(name); whole.StatusCode != 200 || got != want {
			t.Errorf("%d, %s: %q; want %q", whole.StatusCode, name, got, want)
		}
	}
	if picture, err := jpeg.Decode(bytes.NewReader(content)); err != nil || picture.Bounds().Dx() < 100 ||
		!hasShape(picture, 1200, 800) {
		t.Errorf("the thumbnail is %v, %v", picture.Bounds(), err)
	}
	if head, body := getUnauthenticated(t, "HEAD", address, nil); head.StatusCode != 200 || len(body) > 0 ||
		head.Header.Get("Content-Length") != fmt.Sprint(len(content)) || head.Header.Get("Etag") != whole.Header.Get("Etag") {
		t.Errorf("HEAD answers %d, %v", head.StatusCode, head.Header)
	}
	last, tag := len(content)-1, whole.Header.Get("Etag")
	for _, tt := range []struct {
		header   map[string]string
		status   int
		from, to int // of the content; to is not in it
		says     string
	}{
		{map[string]string{"Range": "bytes=0-9"}, 206, 0, 10, fmt.Sprintf("bytes 0-9/%d", len(content))},
		{map[string]string{"Range": "bytes=10-"}, 206, 10, len(content), fmt.Sprintf("bytes 10-%d/%d", last, len(content))},
		{
			map[string]string{"Range": "bytes=-10"},
			206, len(content) - 10, len(content),
			fmt.Sprintf("bytes %d-%d/%d", len(content)-10, last, len(content)),
		},
		{
			map[string]string{"Range": fmt.Sprintf("bytes=%d-%d", last, last+100)},
			206, last, len(content),
			fmt.Sprintf("bytes %d-%d/%d", last, last, len(content)),
		},
		{map[string]string{"Range": "bytes=0-9", "If-Range": tag}, 206, 0, 10, ""},
		{map[string]string{"Range": "bytes=0-9", "If-Range": `"another"`}, 200, 0, len(content), ""},
		{map[string]string{"Range": "lines=0-9"}, 416, 0, 0, ""},
		{map[string]string{"Range": "bytes=9-0"}, 416, 0, 0, ""},
		{
			map[string]string{"Range": fmt.Sprintf("bytes=%d-", len(content))},
			416, 0, 0,
			fmt.Sprintf("bytes */%d", len(content)),
		},
		{map[string]string{"Range": "bytes=0-0,2-2,4-4,6-6,8-8,10-10"}, 200, 0, len(content), ""},
		{map[string]string{"If-None-Match": tag}, 304, 0, 0, ""},
		{map[string]string{"If-None-Match": `"another"`}, 200, 0, len(content), ""},
	} {
		got, body := getUnauthenticated(t, "GET", address, tt.header)
		if got.StatusCode != tt.status || tt.status < 300 && !bytes.Equal(body, content[tt.from:tt.to]) ||
			tt.says != "" && got.Header.Get("Content-Range") != tt.says {
			t.Errorf("%v answers %d with %d bytes, %q", tt.header, got.StatusCode, len(body), got.Header.Get("Content-Range"))
		}
	}
	got, body := getUnauthenticated(t, "GET", address, map[string]string{"Range": "bytes=0-9,20-29"})
	_, params, err := mime.ParseMediaType(got.Header.Get("Content-Type"))
	if err != nil || got.StatusCode != 206 {
		t.Fatalf("two ranges: %d %v, %v", got.StatusCode, got.Header, err)
	}
	parts := multipart.NewReader(bytes.NewReader(body), params["boundary"])
	for _, want := range [][]byte{content[:10], content[20:30]} {
		part, err := parts.NextPart()
		if err != nil {
			t.Fatal(err)
		}
		if some, err := io.ReadAll(part); err != nil || !bytes.Equal(some, want) {
			t.Errorf("of two ranges one is %q, %v", some, err)
		}
	}

	at := strings.LastIndex(address, "/")
	token := address[strings.LastIndex(address[:at], "/")+1 : at]
	for _, wrong := range []string{
		strings.Replace(address, token, token[:len(token)-2]+changeLetters(token[len(token)-2:]), 1),
		strings.Replace(address, token, changeLetters(token[:2])+token[2:], 1),
		strings.Replace(address, token, "nonsense", 1),
		strings.Replace(address, "/media/", "/upload/", 1),
		address[:at],
	} {
		if got, _ := getUnauthenticated(t, "GET", wrong, nil); got.StatusCode != 404 && got.StatusCode != 405 {
			t.Errorf("%s answers %d", wrong, got.StatusCode)
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE"} {
		if got, _ := getUnauthenticated(t, method, address, nil); got.StatusCode != 405 {
			t.Errorf("%s answers %d", method, got.StatusCode)
		}
	}
	c.do("DELETE", "/media/"+f.ID, nil).requireStatus(t, 204)
	if got, _ := getUnauthenticated(t, "GET", address, nil); got.StatusCode != 404 {
		t.Errorf("the thumbnail of a deleted file answers %d", got.StatusCode)
	}
}

// hasShape reports whether a picture has about this aspect ratio.
func hasShape(p image.Image, width, height int) bool {
	b := p.Bounds()
	off := b.Dx()*height - b.Dy()*width
	return max(off, -off) <= width
}

// Filters, each by itself and together, and the order.
func TestFileListFiltersAndOrder(t *testing.T) {
	t.Parallel()
	_, c := newLibrary(t, "owner")
	towers := c.do("POST", "/folders", fields{"name": "Towers"}).requireStatus(t, 201).ID
	c.uploadFile("tower.png", mediatest.PNG(4, 4))
	broken := c.uploadFile("broken.png", []byte("no picture"))
	c.uploadFile("clip.mp4", mediatest.MP4(mediatest.Movie{}))
	c.reserveUpload("50%_off.jpg", 10)
	ids := map[string]string{}
	for _, f := range c.listFiles("/media") {
		if f.ID != "" && f.OriginalName != "50%_off.jpg" {
			c.waitForFile(t, f.ID)
		}
		ids[f.OriginalName] = f.ID
	}
	c.do(
		"PATCH", "/media/"+ids["tower.png"], fields{"folderId": towers, "tags": []string{"bell", "big"}},
	).requireStatus(t, 200)
	c.do(
		"PATCH", "/media/"+ids["clip.mp4"],
		fields{"title": "Ringing", "description": "At noon, 100%", "tags": []string{"bell"}},
	).requireStatus(t, 200)
	for query, want := range map[string]string{
		"":                               "50%_off.jpg clip.mp4 broken.png tower.png",
		"folderId=root":                  "50%_off.jpg clip.mp4 broken.png",
		"folderId=" + towers:             "tower.png",
		"kind=image":                     "50%_off.jpg broken.png tower.png",
		"kind=video":                     "clip.mp4",
		"status=ready":                   "clip.mp4 tower.png",
		"status=failed":                  "broken.png",
		"status=uploading,failed":        "50%_off.jpg broken.png",
		"status=processing":              "",
		"q=tower":                        "tower.png",
		"q=TOWER":                        "tower.png",
		"q=ringing":                      "clip.mp4",
		"q=noon":                         "clip.mp4",
		"q=%25":                          "50%_off.jpg clip.mp4",
		"q=_":                            "50%_off.jpg",
		"q=%5C":                          "",
		"tag=bell":                       "clip.mp4 tower.png",
		"tag=big":                        "tower.png",
		"tag=Bell":                       "",
		"tag=bell&kind=image":            "tower.png",
		"tag=bell&folderId=root":         "clip.mp4",
		"kind=image&status=ready&q=.png": "tower.png",
		"kind=video&folderId=" + towers:  "",
		"limit=1":                        "50%_off.jpg clip.mp4 broken.png tower.png",
		"limit=3&status=ready,failed":    "clip.mp4 broken.png tower.png",
	} {
		var names []string
		for _, f := range c.listFiles("/media?" + query) {
			names = append(names, f.OriginalName)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q lists %q; want %q", query, got, want)
		}
	}
	if f := c.getFile(broken.MediaID); f.Kind != "image" || f.Status != "failed" {
		t.Errorf("what failed is %+v", f)
	}
}

// A cursor stays valid while rows come and go: nothing is shown twice or skipped.
func TestFileListPages(t *testing.T) {
	t.Parallel()
	_, c := newLibrary(t, "owner")
	var want []string
	for i := range 23 {
		want = append(want, c.reserveUpload(fmt.Sprintf("%02d.jpg", i), 1).MediaID)
	}
	slices.Reverse(want)
	var got []string
	for path := "/media?limit=5"; ; {
		var page struct {
			Media      []file
			NextCursor *string
		}
		c.getInto(path, &page)
		for _, f := range page.Media {
			got = append(got, f.ID)
		}
		if page.NextCursor == nil {
			break
		}
		if len(page.Media) != 5 {
			t.Errorf("a page has %d rows", len(page.Media))
		}
		// The last one shown goes, and so does one that was not shown yet; a new one comes.
		c.do("DELETE", "/media/"+got[len(got)-1], nil).requireStatus(t, 204)
		next := want[len(got)]
		c.do("DELETE", "/media/"+next, nil).requireStatus(t, 204)
		want = slices.DeleteFunc(want, func(id string) bool { return id == next })
		c.reserveUpload("new.jpg", 1)
		path = "/media?limit=5&cursor=" + *page.NextCursor
	}
	if !slices.Equal(got, want) {
		t.Errorf("shown were %v; want %v", got, want)
	}
}
