package web_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestPagesAreCompressedForTheirOwnReaders(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	for range 5 {
		s.ws.Queued(strings.Repeat("hello ", 30), s.threads, s.Clock.Now().Add(time.Hour))
	}
	whole := s.b.get("/posts").is(t, http.StatusOK)
	packed := s.b.get("/posts", "Accept-Encoding", "gzip, br").is(t, http.StatusOK)
	if packed.Header.Get("Content-Encoding") != "gzip" || len(packed.body) > len(whole.body)/3 {
		t.Fatalf("%d bytes as %q, %d plain", len(packed.body), packed.Header.Get("Content-Encoding"), len(whole.body))
	}
	unpacked, err := gzip.NewReader(strings.NewReader(packed.body))
	must(t, err)
	text, err := io.ReadAll(unpacked)
	must(t, err)
	if !strings.Contains(string(text), "</html>") {
		t.Error("the page is not whole")
	}
	for _, p := range []*page{whole, packed} {
		if !strings.Contains(strings.Join(p.Header.Values("Vary"), ","), "Accept-Encoding") {
			t.Error("a cache could give one reader the other's form")
		}
	}
	if got := s.b.get("/posts", "Accept-Encoding", "gzip;q=0").Header.Get("Content-Encoding"); got != "" {
		t.Errorf("a reader without gzip gets %q", got)
	}
}

// The length of a compressed page tells whoever chooses a part of it about the rest (BREACH).
func TestPagesThatOthersAskForAreNotCompressed(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	for _, site := range []string{"cross-site", "same-site"} {
		if got := s.b.get("/posts?q=guess", "Accept-Encoding", "gzip", "Sec-Fetch-Site", site).Header.Get("Content-Encoding"); got != "" {
			t.Errorf("%s: the page is sent as %q", site, got)
		}
	}
}

func TestPagesWithANewSecretAreNotCompressed(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	for path, form := range map[string]string{
		"/settings/keys": "name=script&scope=read", "/settings/members": "email=ben%40example.org&role=editor",
	} {
		page := s.b.send(http.MethodPost, path, form, "Accept-Encoding", "gzip").is(t, http.StatusCreated)
		if got := page.Header.Get("Content-Encoding"); got != "" {
			t.Errorf("%s: sent as %q", path, got)
		}
	}
}
