package web_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"belfry/internal/contract"
	"belfry/internal/media/mediatest"
)

// picked returns the chosen accounts of a form.
func (p *page) picked() (ids []string) {
	for _, n := range p.all("[name=account][checked]") {
		ids = append(ids, attribute(n, "value"))
	}
	slices.Sort(ids)
	return ids
}

func TestAccountsAreChosenByNetworkAndGroupWithoutAScript(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	group, err := s.App.CreateGroup(t.Context(), s.ws.Owner, contract.CreateGroup{
		Name: "Bakeries", AccountIDs: []string{s.threads.ID, s.page.ID},
	})
	must(t, err)
	other := s.ws.Account("threads")
	all := []string{s.threads.ID, s.page.ID, other.ID}
	slices.Sort(all)
	both := []string{s.threads.ID, s.page.ID}
	slices.Sort(both)
	for _, c := range []struct {
		pick   string
		before []string
		want   []string
	}{
		{"all", nil, all},
		{"none", all, nil},
		{"group:" + group.ID, nil, both},
		{"group:" + group.ID, []string{s.page.ID}, both},
		{"group:" + group.ID, all, []string{other.ID}},
		{"network:facebook", []string{other.ID}, []string{other.ID, s.page.ID}},
		{"network:facebook", []string{s.page.ID}, nil},
	} {
		pairs := []string{"text", "hello", "when", "now", "pick", c.pick}
		for _, id := range c.before {
			pairs = append(pairs, "account", id)
		}
		slices.Sort(c.want)
		if got := s.b.post("/compose/plan", pairs...).is(t, http.StatusOK).picked(); !slices.Equal(got, c.want) {
			t.Errorf("%s with %v chooses %v, want %v", c.pick, c.before, got, c.want)
		}
	}
	s.b.get("/compose").one(t, `button[name=pick][value="group:`+group.ID+`"]`)
}

func TestTheSameProblemOfSeveralAccountsIsToldOnce(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	other := s.ws.Account("threads")
	part := s.b.part(http.MethodPost, "/compose/plan", "account", s.threads.ID, "account", other.ID, "account", s.page.ID,
		"text", strings.Repeat("x", 501), "when", "now").is(t, http.StatusOK)
	issue := textOf(part.one(t, testid("issue")))
	if !strings.Contains(issue, "more than Threads allows") || !strings.Contains(issue, "2 accounts") {
		t.Errorf("the plan says %q", issue)
	}
	part.one(t, testid("text-error")+" [data-code=caption_too_long]")
	part.says(t, "1 problem to fix.", "too long by 1 character")

	// It is about the network's own text if it has one.
	part = s.b.part(http.MethodPost, "/compose/plan", "account", s.threads.ID, "account", s.page.ID, "text", "short",
		"override.threads.text", strings.Repeat("x", 501), "when", "now")
	part.one(t, testid("override-threads-error")+" [data-code=caption_too_long]")
	if len(part.all(testid("text-error"))) != 0 {
		t.Error("the text of all networks is called too long")
	}
}

func TestNetworksHaveTheirOwnTitleAndTags(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	channel, clip := s.ws.Account("youtube"), s.ws.File("clip.mp4", mediatest.MP4(mediatest.Movie{}))
	s.b.post("/posts", "account", channel.ID, "account", s.page.ID, "text", "hello", "title", "Both", "tags", "rye, bread",
		"override.youtube.title", "One", "override.youtube.tags", "bells", "media", clip.ID, "when", "draft").
		is(t, http.StatusSeeOther)
	for _, p := range s.all() {
		title, tags := "Both", []string{"rye", "bread"}
		if p.AccountID == channel.ID {
			title, tags = "One", []string{"bells"}
		}
		if p.Title == nil || *p.Title != title || !slices.Equal(p.Tags, tags) {
			t.Errorf("the post on %s has the title %v and the tags %v", p.Platform, p.Title, p.Tags)
		}
	}
	draft := s.all()[0]
	page := s.b.get("/posts/" + draft.ID + "/edit")
	if got := page.value(t, "tags"); got != strings.Join(draft.Tags, ", ") {
		t.Errorf("the draft's form has the tags %q", got)
	}
	s.submit(page, "#compose", "tags", "rolls").is(t, http.StatusSeeOther)
	changed, err := s.App.GetPost(t.Context(), s.ws.Owner, draft.ID)
	must(t, err)
	if !slices.Equal(changed.Tags, []string{"rolls"}) {
		t.Errorf("the draft has the tags %v", changed.Tags)
	}
}

func TestADescriptionOfAPictureIsSentAndKeptWithIt(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	photo := s.ws.File("bridge.jpg", mediatest.JPEG(640, 640))
	pairs := []string{"account", s.threads.ID, "account", s.page.ID, "text", "hello", "when", "draft", "media", photo.ID}
	s.b.post("/posts", append(pairs, "alt."+photo.ID, "A long bridge")...).is(t, http.StatusSeeOther)
	for _, p := range s.all() {
		if got := strings.Contains(string(p.Settings), `"A long bridge"`); got != (p.AccountID == s.threads.ID) {
			t.Errorf("%s has the settings %s", p.Platform, p.Settings)
		}
	}
	file, err := s.App.GetMedia(t.Context(), s.ws.Owner, photo.ID)
	must(t, err)
	if file.Description == nil || *file.Description != "A long bridge" {
		t.Errorf("the file is described as %v", file.Description)
	}
	page := s.b.post("/compose/plan", pairs...)
	if got := page.value(t, "alt."+photo.ID); got != "A long bridge" {
		t.Errorf("the next post describes it as %q", got)
	}
	page = s.b.post("/compose/plan", append(pairs, "settings.threads.altText", "For Threads")...)
	if got := page.value(t, "settings.threads.altText"); got != "For Threads" {
		t.Errorf("the network's own description is %q", got)
	}
}

// What a person entered for a network came back empty after its account was chosen again.
func TestInputsOfNetworksThatAreNotChosenAreKept(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	page := s.b.post("/compose/plan", "account", s.page.ID, "text", "hello", "when", "now", "title", "A title",
		"override.threads.text", "Its own", "settings.threads.topicTag", "bells").is(t, http.StatusOK)
	for name, want := range map[string]string{
		"override.threads.text": "Its own", "settings.threads.topicTag": "bells", "title": "A title",
	} {
		if got := attribute(page.one(t, `[type=hidden][name="`+name+`"]`), "value"); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
}

// The accounts changed their order whenever some of them were chosen.
func TestAFewAccountsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	order := func(page *page) (ids []string) {
		for _, box := range page.all("[data-chips] input[name=account]") {
			ids = append(ids, attribute(box, "value"))
		}
		return ids
	}
	before := order(s.b.get("/compose"))
	if after := order(s.b.get("/compose?account=" + before[len(before)-1])); !slices.Equal(before, after) {
		t.Errorf("the accounts are %q, then %q", before, after)
	}
}
