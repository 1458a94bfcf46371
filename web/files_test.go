package web_test

import (
	"net/http"
	"testing"

	"belfry/internal/contract"
	"belfry/internal/media/mediatest"
)

// The page of a Story said "No text", and nothing in the dashboard told that a post had files.
func TestAPostsFilesAreShown(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	first, second := s.ws.File("noon.jpg", mediatest.JPEG(640, 640)), s.ws.File("bell.jpg", mediatest.JPEG(640, 640))
	in := contract.CreatePosts{PlanPosts: contract.PlanPosts{
		Targets: contract.Targets{AccountIDs: []string{s.threads.ID}}, MediaIDs: []string{first.ID, second.ID},
	}, Confirm: true}
	made, err := s.App.CreatePosts(t.Context(), s.ws.Owner, in)
	must(t, err)
	draft := made.Posts[0]
	page := s.show(draft)
	if files := page.all(testid("file")); len(files) != 2 || textOf(files[0]) != "noon.jpg Image" {
		t.Errorf("the files are %s", page.text())
	}
	if src := attribute(page.all(testid("file") + " img")[0], "src"); src != *s.ws.Media(first.ID).ThumbnailURL {
		t.Errorf("its picture is %s", src)
	}
	in.MediaIDs = in.MediaIDs[:1]
	made, err = s.App.CreatePosts(t.Context(), s.ws.Owner, in)
	must(t, err)
	if page := s.show(made.Posts[0]); len(page.all(testid("file"))) != 0 || len(page.all(".preview img[alt='noon.jpg']")) != 1 {
		t.Errorf("the only file is not only in the preview: %s", page.text())
	}
	must(t, s.App.DeletePost(t.Context(), s.ws.Owner, made.Posts[0].ID))
	s.b.get("/posts/"+draft.ID+"/edit").is(t, http.StatusOK).says(t, "noon.jpg", "bell.jpg")
	row := s.b.get("/posts?status=draft").one(t, testid("post-row")+" .post-main-cell")
	if got := textOf(row); got != "2 files +1noon.jpg" {
		t.Errorf("the row reads %q", got)
	}
}
