package e2e

import (
	"strings"
	"testing"
	"time"

	"belfry/internal/media/mediatest"
)

func newPostBodyWithFile(text string, when any, account, media string) fields {
	body := newPostBody(text, when, account)
	body["mediaIds"] = []string{media}
	return body
}

// A file stays as long as a post is still to go out with it, and so long after the last one went live; then its
// bytes go and its row stays, unless it is pinned (Spec §1.8).
func TestFilesArePurgedAfterTheirLastUse(t *testing.T) {
	t.Parallel()
	s := newService(t, map[string]string{"RETENTION": "1s"})
	s.serveUntilReady()
	seed := s.seedWorkspace()
	c, account := s.newClient(seed.Key), seed.Accounts["threads"]
	rest := s.countFiles(c) // what the demo has
	bring := func(name string) string {
		t.Helper()
		u := c.uploadFile(name, mediatest.JPEG(640, 640))
		if f := c.waitForFile(t, u.MediaID); f.Status != "ready" {
			t.Fatalf("%s is %+v", name, f)
		}
		return u.MediaID
	}
	goes, pinned, drafted := bring("goes.jpg"), bring("pinned.jpg"), bring("drafted.jpg")
	size := c.getFile(goes).Size

	// In use: by a draft, by a queued post, by neither.
	for name, when := range map[string]any{"a draft": "draft", "a queued post": inDays(2)} {
		p := c.do("POST", "/posts", newPostBodyWithFile("Not yet, "+name, when, account, goes)).requireStatus(t, 201).Posts[0]
		if a := c.do("DELETE", "/media/"+goes, nil); a.Status != 409 || a.Code != "conflict" {
			t.Errorf("deleting a file that %s uses answers %d %s", name, a.Status, a.Raw)
		}
		if p.Status == "queued" {
			c.do("POST", "/posts/"+p.ID+"/cancel", nil).requireStatus(t, 200)
		}
		c.do("DELETE", "/posts/"+p.ID, nil).requireStatus(t, 204)
	}
	// Not ready yet.
	reserved := c.reserveUpload("later.jpg", 10).MediaID
	if a := c.do("POST", "/posts", newPostBodyWithFile("Too early", "now", account, reserved)); a.Status != 409 ||
		a.Code != "plan_has_issues" || !strings.Contains(a.Raw, "media_not_ready") {
		t.Errorf("a post with a file that is not there answers %d %s", a.Status, a.Raw)
	}
	c.do("DELETE", "/media/"+reserved, nil).requireStatus(t, 204)

	c.do("PATCH", "/media/"+pinned, fields{"pinned": true}).requireStatus(t, 200)
	for _, id := range []string{goes, pinned, drafted} {
		c.waitForStatus(
			c.do("POST", "/posts", newPostBodyWithFile("With "+id, "now", account, id)).requireStatus(t, 201).Posts[0].ID,
			"live", 60*time.Second,
		)
	}
	c.do("POST", "/posts", newPostBodyWithFile("Some day", "draft", account, drafted)).requireStatus(t, 201)

	// The sweep comes by every minute, and at once when a worker starts.
	before := time.Now()
	eventually(t, workerTimeout, "the time is over", func() bool { return time.Since(before) > 1500*time.Millisecond })
	s.process.requireStop(t)
	s.serveUntilReady()
	var f struct {
		file
		PurgedAt, PublishedAt *time.Time
	}
	eventually(
		t, 90*time.Second, "the bytes are gone", func() bool { c.getInto("/media/"+goes, &f); return f.PurgedAt != nil },
	)
	if f.PublishedAt == nil || f.Status != "ready" || f.ThumbnailURL != nil || *f.Width != 640 ||
		f.OriginalName != "goes.jpg" {
		t.Errorf("the row that stays is %+v", f)
	}
	for name, id := range map[string]string{"a pinned file": pinned, "a file of a draft": drafted} {
		if kept := c.getFile(id); kept.ThumbnailURL == nil {
			t.Errorf("%s is %+v", name, kept)
		}
	}
	var got fileCounts
	want := fileCounts{files: rest.files + 3, folders: rest.folders, used: rest.used + 2*size, blobs: rest.blobs + 4}
	if !waitUntil(workerTimeout, func() bool { got = s.countFiles(c); got.jobs = 0; return got == want }) {
		t.Errorf("there are %+v; want %+v", got, want)
	}
	if a := c.do("POST", "/posts", newPostBodyWithFile("Too late", "now", account, goes)); a.Status != 409 ||
		a.Code != "media_purged" {
		t.Errorf("a post with a file that is gone answers %d %s", a.Status, a.Raw)
	}
	c.do("DELETE", "/media/"+goes, nil).requireStatus(t, 204)
	c.do("GET", "/media/"+goes, nil).requireStatus(t, 404)
}
