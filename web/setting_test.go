package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"belfry/internal/media/mediatest"
)

// A wrong setting was told by the API's name for it, and took the place of the whole plan.
func TestAWrongSettingIsSaidByItsLabelAndLeavesThePlan(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	pairs := []string{
		"account", s.threads.ID, "account", s.page.ID, "text", "hello", "when", "now",
		"settings.threads.linkAttachment", "nowhere", "settings.threads.topicTag", "a.b", "settings.facebook.link",
		"https://example.org",
	}
	part := s.b.part(http.MethodPost, "/compose/plan", pairs...).is(t, http.StatusOK)
	rows := part.all(testid("plan-row"))
	if len(rows) != 2 || len(part.all(testid("plan-row")+"[data-ok=true]")) != 1 {
		t.Fatalf("the plan is %s", part.text())
	}
	part.says(t, "2 problems to fix.", "Link preview must be a complete address that begins with https:// or http://.",
		"Topic must be written like")
	if to := attribute(part.one(t, testid("plan-verdict")+" a"), "href"); !strings.HasPrefix(to, "#setting-") {
		t.Errorf("the number of problems links to %q", to)
	}
	if strings.Contains(part.text(), "linkAttachment") || len(part.all(testid("plan-table"))) != 0 {
		t.Errorf("it speaks of fields, or of a plan without them: %s", part.text())
	}
	if len(part.all("[data-ready]")) != 0 {
		t.Error("it may be sent")
	}
	page := s.b.post("/posts", append(pairs, "form", "AFORMTHATWASDRAWNSOMETIME3")...).is(t, http.StatusBadRequest)
	for _, id := range []string{"setting-threads-linkAttachment-error", "setting-threads-topicTag-error"} {
		page.one(t, testid(id))
	}
	if len(page.all(testid("plan-row"))) != 2 {
		t.Error("the plan is gone")
	}
}

// The category was entered as a number.
func TestTheCategoryOfAVideoIsChosenByItsName(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	const category = "settings.youtube.category"
	channel, clip := s.ws.Account("youtube"), s.ws.File("clip.mp4", mediatest.MP4(mediatest.Movie{}))
	for id, name := range map[string]string{"10": "Music", "18": "Category 18"} {
		s.b.post("/posts", "account", channel.ID, "title", "One", "when", "draft", "media", clip.ID, category, id).is(t,
			http.StatusSeeOther)
		draft := s.all()[0]
		page := s.b.get("/posts/" + draft.ID + "/edit")
		if got := textOf(page.one(t, `select[name="`+category+`"] option[selected]`)); got != name {
			t.Errorf("category %s is called %q, want %q", id, got, name)
		}
		page.one(t, `select[name="`+category+`"] option[value="22"]`)
		s.submit(page, testid("compose"), "text", "Sung at noon").is(t, http.StatusSeeOther)
		saved, err := s.App.GetPost(t.Context(), s.ws.Owner, draft.ID)
		must(t, err)
		if saved.Text != "Sung at noon" || !strings.Contains(string(saved.Settings), `"`+id+`"`) {
			t.Errorf("saved again, the post is %q with %s", saved.Text, saved.Settings)
		}
	}
}

// The page said only that there was a warning, which was below it on a phone.
func TestTheNumberOfWarningsLeadsToTheFirstOnThePage(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	s.ws.Queued("hello", s.threads, s.Clock.Now().Add(time.Hour))
	part := s.b.part(http.MethodPost, "/compose/plan", "account", s.threads.ID, "text", "hello", "when", "now")
	if verdict := part.one(t, testid("plan-verdict")+" a"); textOf(verdict) != "Ready to post, with 1 warning." ||
		attribute(verdict, "href") != "#text" {
		t.Errorf("%q leads to %s", textOf(verdict), attribute(verdict, "href"))
	}
}

// The year was left out, so a time in January might have been in the past.
func TestThePlanShowsTheYearOfATimeInAnotherYear(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	for at, want := range map[string]string{
		"2026-10-07T10:00": "Wed 7 Oct, 10:00 CEST", "2027-01-15T10:00": "Fri 15 Jan 2027, 10:00 CET",
	} {
		part := s.b.part(http.MethodPost, "/compose/plan", "account", s.threads.ID, "text", "hello", "when", "at", "at", at)
		if got := textOf(part.one(t, ".plan-when")); got != want {
			t.Errorf("the time of %s is %q, want %q", at, got, want)
		}
	}
}

// While files were being uploaded, the plan said that they were missing.
func TestThePlanWaitsForUploadsThatAreRunning(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	pairs := []string{"account", s.ws.Account("instagram").ID, "account", s.threads.ID, "when", "now", "title", "Bells"}
	s.b.part(http.MethodPost, "/compose/plan", append(pairs, "text", "hello")...).says(t, "1 problem to fix.", "Needs a fix")
	for _, text := range []string{"hello", ""} {
		part := s.b.part(http.MethodPost, "/compose/plan", append(pairs, "text", text, "uploading", "true")...)
		if n := len(part.all(`[data-code="media_not_ready"]`)); n != 1 {
			t.Errorf("the page says %d times what it waits for", n)
		}
		if n := len(part.all(testid("plan-row") + `[data-ok="false"]`)); n != 2 || strings.Contains(part.text(), "Immediately") {
			t.Errorf("%d posts wait: %s", n, part.text())
		}
		part.says(t, "The post is waiting for your files to be uploaded.")
		part.one(t, testid("submit")+"[disabled]")
		if said := part.text(); strings.Contains(said, "to fix") || strings.Contains(said, "Needs a fix") ||
			len(part.all(".note.issue, "+testid("plan-table"))) != 0 {
			t.Errorf("the plan reports a missing file: %s", said)
		}
	}
}

// The number of problems led past the first one, and those of the tabs did not add up to it.
func TestTheNumberOfProblemsLeadsToTheFirstOnThePage(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	photo := s.ws.File("photo.jpg", mediatest.JPEG(1080, 1080))
	part := s.b.part(http.MethodPost, "/compose/plan", "account", s.ws.Account("youtube").ID, "account", s.threads.ID,
		"media", photo.ID, "when", "now", "settings.threads.topicTag", "a.b").is(t, http.StatusOK)
	if verdict := part.one(t, testid("plan-verdict")+" a"); textOf(verdict) != "3 problems to fix." ||
		attribute(verdict, "href") != "#title" {
		t.Errorf("%q leads to %s", textOf(verdict), attribute(verdict, "href"))
	}
	if legend := textOf(part.one(t, "#strip legend")); legend != "Files, the same on all networks" {
		t.Errorf("the files in each tab are called %q", legend)
	}
	for tab, want := range map[string]string{"all": "2", "threads": "1"} {
		if got := textOf(part.one(t, `[for="tab-`+tab+`"] .tab-problems`)); got != want {
			t.Errorf("the tab %s has %s problems, want %s", tab, got, want)
		}
	}
}
