package api_test

import (
	"bytes"
	"image/jpeg"
	"mime"
	"strings"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/media/mediatest"
)

func TestAThumbnailIsServedToWhoeverHasItsAddress(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	m := ws.File("photo.png", mediatest.PNG(640, 480))
	r.checkServedPicture(t, r.at(*m.ThumbnailURL), "thumbnail.jpg")
}

// The JPEG that a network gets in place of a file is made when it is requested, and served like a file.
func TestAConvertedPictureIsServedToWhoeverHasItsAddress(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	id, err := core.ParseID[core.MediaKind](ws.File("photo.png", mediatest.PNG(640, 480)).ID)
	if err != nil {
		t.Fatal(err)
	}
	m, err := r.Store.In(ws.ID).Media(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	jpeg := core.Conversion{Width: 320, Height: 240, MaxBytes: 100_000}
	address := r.at(r.App.Intake().FileURL(ws.ID, m, &jpeg, ""))
	small := r.do("GET", address, "")
	jpeg.Width, jpeg.Height = 640, 480
	if large := r.do("GET", r.at(r.App.Intake().FileURL(ws.ID, m, &jpeg, "")), ""); bytes.Equal(large.Body, small.Body) ||
		large.Header.Get("Etag") == small.Header.Get("Etag") {
		t.Error("another size has the same bytes or the same tag")
	}
	if again := r.do("GET", address, ""); !bytes.Equal(again.Body, small.Body) {
		t.Error("the same address gives other bytes")
	}
	if original := r.do("GET", r.at(r.App.Intake().FileURL(ws.ID, m, nil, "")), ""); original.Header.Get("Content-Type") != "image/png" {
		t.Errorf("the file itself is %s", original.Header.Get("Content-Type"))
	}
	r.checkServedPicture(t, address, "photo.png.jpg")
}

// checkServedPicture checks how a JPEG at a signed address is served, until the address expires.
func (r *rig) checkServedPicture(t *testing.T, address, name string) {
	t.Helper()
	got := r.do("GET", address, "")
	if got.Status != 200 {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	if _, err := jpeg.Decode(bytes.NewReader(got.Body)); err != nil {
		t.Errorf("it is no JPEG: %v", err)
	}
	for name, want := range map[string]string{
		"Content-Type": "image/jpeg", "X-Content-Type-Options": "nosniff",
		"Content-Security-Policy":      "sandbox; default-src 'none'",
		"Cross-Origin-Resource-Policy": "same-site", "Accept-Ranges": "bytes", "Set-Cookie": "", "RateLimit-Policy": "",
		"Location": "",
	} {
		if got.Header.Get(name) != want {
			t.Errorf("%s is %q; want %q", name, got.Header.Get(name), want)
		}
	}
	if kind, parameters, err := mime.ParseMediaType(got.Header.Get("Content-Disposition")); err != nil ||
		kind != "inline" || parameters["filename"] != name {
		t.Errorf("Content-Disposition: %s", got.Header.Get("Content-Disposition"))
	}
	head := r.do("HEAD", address, "")
	if head.Status != 200 || len(head.Body) != 0 || head.Header.Get("Content-Length") != got.Header.Get("Content-Length") {
		t.Errorf("HEAD: %d, %d bytes, %v", head.Status, len(head.Body), head.Header)
	}
	part := r.do("GET", address, "", header("Range", "bytes=0-1"))
	if part.Status != 206 || string(part.Body) != "\xff\xd8" {
		t.Errorf("a part: %d %x", part.Status, part.Body)
	}
	if got := r.do("GET", address, "", header("Range", "bytes=0-1,4-5")); got.Status != 206 ||
		!strings.HasPrefix(got.Header.Get("Content-Type"), "multipart/byteranges") {
		t.Errorf("two parts: %d %v", got.Status, got.Header)
	}
	if got := r.do("GET", address, "", header("Range", "bytes=0-0,2-2,4-4,6-6,8-8,10-10")); got.Status != 200 {
		t.Errorf("six parts: %d", got.Status)
	}
	if got := r.do("GET", address, "", header("Range", "bytes=99999999-")); got.Status != 416 {
		t.Errorf("beyond the end: %d", got.Status)
	}
	if got := r.do("GET", address, "", header("If-None-Match", got.Header.Get("Etag"))); got.Status != 304 {
		t.Errorf("unchanged: %d", got.Status)
	}
	r.do("POST", address, "x").want(t, 405, core.CodeMethodNotAllowed)
	r.do("GET", strings.Replace(address, "/media/", "/media/x", 1), "").want(t, 404, core.CodeNotFound)
	r.Clock.Advance(48 * time.Hour)
	r.do("GET", address, "").want(t, 404, core.CodeNotFound)
}

func TestVerificationFilesAreServedBesideFiles(t *testing.T) {
	t.Parallel()
	r := open(t)
	got := r.do("GET", "/media/proof1.txt", "")
	if got.Status != 200 || string(got.Body) != "site-verification=1" ||
		got.Header.Get("Content-Type") != "text/plain; charset=UTF-8" {
		t.Errorf("%d %s %v", got.Status, got.Body, got.Header)
	}
	if got := r.do("GET", "/media/proof2.txt", ""); got.Status != 404 {
		t.Errorf("another name: %d", got.Status)
	}
}

func TestAnAccountsPictureIsServedForever(t *testing.T) {
	t.Parallel()
	r := open(t)
	account := r.Workspace("one").Account("threads")
	address := r.at(*account.AvatarURL)
	got := r.do("GET", address, "")
	if _, err := jpeg.Decode(bytes.NewReader(got.Body)); got.Status != 200 || err != nil {
		t.Fatalf("%d: %v", got.Status, err)
	}
	for name, want := range map[string]string{
		"Content-Type": "image/jpeg", "X-Content-Type-Options": "nosniff", "Set-Cookie": "", "RateLimit-Policy": "",
		"Content-Security-Policy": "sandbox; default-src 'none'", "Cross-Origin-Resource-Policy": "same-site",
		"Cache-Control": "public, max-age=31536000, immutable",
	} {
		if got.Header.Get(name) != want {
			t.Errorf("%s is %q; want %q", name, got.Header.Get(name), want)
		}
	}
	if tag := got.Header.Get("Etag"); tag == "" || r.do("GET", address, "", header("If-None-Match", tag)).Status != 304 {
		t.Errorf("unchanged, with the tag %q, it is sent again", tag)
	}
	for _, other := range []string{"/avatars/" + strings.Repeat("0", 40) + ".jpg", "/avatars/..%2f..%2fsecret.jpg"} {
		if got := r.do("GET", other, ""); got.Status != 404 {
			t.Errorf("%s: %d", other, got.Status)
		}
	}
}
