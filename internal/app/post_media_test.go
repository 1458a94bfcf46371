package app_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/media/mediatest"
)

// photo brings a file that every network takes.
func (b *bench) photo() contract.Media {
	b.t.Helper()
	return b.ws.File("photo.jpg", mediatest.JPEG(640, 640))
}

// with is a request with files.
func with(in contract.CreatePosts, files ...contract.Media) contract.CreatePosts {
	in.MediaIDs = ids(files...)
	return in
}

func ids(files ...contract.Media) []string {
	list := []string{}
	for _, f := range files {
		list = append(list, f.ID)
	}
	return list
}

// post makes one post with files.
func (b *bench) post(in contract.CreatePosts, files ...contract.Media) contract.Post {
	b.t.Helper()
	made, err := b.App.CreatePosts(b.Context(), b.ws.Owner, with(in, files...))
	must(b.t, err)
	return made.Posts[0]
}

// live makes a post with files that has gone live.
func (b *bench) live(account contract.Account, files ...contract.Media) contract.Post {
	b.t.Helper()
	return b.goesLive(b.post(request("live", now(), account), files...))
}

// goesLive lets a worker carry a post on until the network has looked at its files, however long that takes it.
func (b *bench) goesLive(p contract.Post) contract.Post {
	b.t.Helper()
	for range 5 {
		if p = b.ws.Work(p); p.Status == "live" {
			return p
		}
		must(b.t, b.Sim.WaitIdle(b.Context()))
		b.Clock.Advance(time.Minute)
	}
	b.t.Fatalf("the post is %s: %+v", p.Status, p.Error)
	return p
}

// purged brings a file whose bytes were removed since a post with it went live.
func (b *bench) purged(account contract.Account) contract.Media {
	b.t.Helper()
	file := b.photo()
	b.live(account, file)
	b.Clock.Advance(72 * time.Hour)
	must(b.t, b.App.Intake().PurgeFilesPastRetention(b.Context()))
	file = b.ws.Media(file.ID)
	if file.PurgedAt == nil {
		b.t.Fatalf("the file is still there: %+v", file)
	}
	return file
}

func (b *bench) change(p contract.Post, in contract.EditPost) (contract.Post, error) {
	in.ID = p.ID
	return b.App.EditPost(b.Context(), b.ws.Owner, in)
}

func TestFilesStandAgainstARow(t *testing.T) {
	b := newBench(t)
	threads, facebook := b.ws.Account("threads"), b.ws.Account("facebook")
	removed := b.purged(threads)
	photo, film := b.photo(), b.ws.File("clip.mp4", mediatest.MP4(mediatest.Movie{}))
	waiting := b.ws.Upload("photo.jpg", mediatest.JPEG(64, 64))
	reserved := b.ws.Media(reserve(t, b.Harness, b.ws.Owner, 5).MediaID)
	failed := b.ws.File("paper.pdf", []byte("%PDF-1.7\n"))
	webp := b.ws.File("photo.webp", mediatest.WebP(64, 64))
	gif := b.ws.File("photo.gif", mediatest.GIF(64, 64, 1))
	for name, c := range map[string]struct {
		in   contract.CreatePosts
		want [][]string
		code core.Code
	}{
		"a photo":            {with(request("", now(), threads, facebook), photo), [][]string{nil, nil}, ""},
		"a photo in a draft": {with(request("", draft(), threads), photo), [][]string{nil}, ""},
		"photos":             {with(request("a", now(), threads, facebook), photo, photo), [][]string{nil, nil}, ""},
		"a format that one network does not take": {
			with(request("a", now(), threads, facebook), gif),
			[][]string{{"format_unsupported"}, nil},
			core.CodePlanHasIssues,
		},
		"a format that is sent as another": {with(request("a", now(), threads, facebook), webp), [][]string{nil, nil}, ""},
		"photo and film": {
			with(request("a", now(), threads, facebook), photo, film),
			[][]string{nil, {"media_mixed_unsupported"}},
			core.CodePlanHasIssues,
		},
		"too many": {
			with(request("a", draft(), threads), slices.Repeat([]contract.Media{photo}, 21)...),
			[][]string{{"media_count_unsupported"}},
			core.CodePlanHasIssues,
		},
		"not looked at": {
			with(request("a", now(), threads), waiting),
			[][]string{{"media_not_ready"}},
			core.CodePlanHasIssues,
		},
		"not brought": {
			with(request("a", draft(), threads), reserved),
			[][]string{{"media_not_ready"}},
			core.CodePlanHasIssues,
		},
		"failed": {
			with(request("a", now(), threads), failed),
			[][]string{{"media_failed"}},
			core.CodePlanHasIssues,
		},
		"removed": {
			with(request("a", now(), threads), removed),
			[][]string{{"media_purged"}},
			core.CodeMediaPurged,
		},
		"removed, in a draft": {
			with(request("a", draft(), threads), removed),
			[][]string{{"media_purged"}},
			core.CodeMediaPurged,
		},
		"removed and more": {
			with(request(strings.Repeat("x", 501), now(), threads), removed, failed, removed),
			[][]string{{"caption_too_long", "media_purged", "media_failed"}},
			core.CodeMediaPurged,
		},
	} {
		t.Run(name, func(t *testing.T) {
			plan, err := b.App.PlanPosts(b.Context(), b.ws.Key(core.Read).Caller, c.in.PlanPosts)
			must(t, err)
			for i, row := range plan.Rows {
				got := slices.DeleteFunc(codes(row), func(s string) bool { return strings.HasPrefix(s, "warning") })
				if !slices.Equal(got, c.want[i]) {
					t.Errorf("row %d has %v; want %v", i, got, c.want[i])
				}
			}
			if plan.OK != (c.code == "") {
				t.Errorf("ok is %v", plan.OK)
			}
			made, err := b.App.CreatePosts(b.Context(), b.ws.Owner, c.in)
			if c.code != "" {
				if e := want(t, c.code, err); len(e.Rows) != len(plan.Rows) {
					t.Errorf("the refusal has %d rows", len(e.Rows))
				}
				return
			}
			must(t, err)
			for _, p := range made.Posts {
				if !slices.Equal(p.MediaIDs, c.in.MediaIDs) || !slices.Equal(b.ws.Post(p).MediaIDs, c.in.MediaIDs) {
					t.Errorf("the post has %v", b.ws.Post(p).MediaIDs)
				}
			}
		})
	}
}

// Nothing tells whether a file is another's, was deleted, or never was.
func TestFilesThatAreNotThereAnswerAlike(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	theirs := b.Workspace("two").File("photo.jpg", mediatest.JPEG(64, 64))
	deleted, photo := b.photo(), b.photo()
	used := b.live(account, deleted) // so that its row stays
	must(t, b.App.DeleteMedia(b.Context(), b.ws.Owner, deleted.ID))
	sketch := b.post(request("a", draft(), account), photo)
	queued := b.post(request("a", local("2026-12-01T10:00", "UTC"), account), photo)
	unknown := core.NewID[core.MediaKind]().String()
	first := contract.ErrorOf(core.NotFoundAt("mediaIds[1]"), "")
	for name, id := range map[string]string{
		"foreign": theirs.ID, "unknown": unknown, "deleted": deleted.ID, "malformed": "med_1", "empty": "",
		"of another kind": account.ID,
		"in capitals":     strings.ToUpper(unknown),
	} {
		in := with(request("a", now(), account), photo)
		in.MediaIDs = append(in.MediaIDs, id)
		_, planned := b.App.PlanPosts(b.Context(), b.ws.Owner, in.PlanPosts)
		_, created := b.App.CreatePosts(b.Context(), b.ws.Owner, in)
		_, edited := b.change(sketch, contract.EditPost{MediaIDs: &in.MediaIDs})
		_, on := b.change(queued, contract.EditPost{MediaIDs: &in.MediaIDs})
		for verb, err := range map[string]error{"plan": planned, "create": created, "edit": edited, "edit of a queued post": on} {
			if got := contract.ErrorOf(err, ""); got.Code != first.Code || got.Message != first.Message ||
				got.Hint != first.Hint {
				t.Errorf("%s id, %s: %+v", name, verb, got)
			}
		}
	}
	if got := b.ws.Post(used).MediaIDs; !slices.Equal(got, []string{deleted.ID}) {
		t.Errorf("the post that went out with it has %v", got)
	}
	if got := b.ws.Post(sketch).MediaIDs; !slices.Equal(got, []string{photo.ID}) {
		t.Errorf("the draft has %v", got)
	}
}

func TestADraftsFilesAreReplacedAndCopied(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	one, two, removed := b.photo(), b.photo(), b.purged(account)
	p := b.post(request("a", draft(), account), one, two, one)
	text := "b"
	step := func(in contract.EditPost, files ...contract.Media) {
		t.Helper()
		got, err := b.change(p, in)
		if err != nil || !slices.Equal(got.MediaIDs, ids(files...)) {
			t.Errorf("it has %v, %v", got.MediaIDs, err)
		}
	}
	step(contract.EditPost{Text: &text}, one, two, one)
	step(contract.EditPost{MediaIDs: &[]string{two.ID, one.ID}}, two, one)
	_, err := b.change(p, contract.EditPost{MediaIDs: &[]string{removed.ID}, Text: new("c")})
	if e := want(t, core.CodeMediaPurged, err); len(e.Rows) != 1 ||
		e.Rows[0].Issues[0].Code != core.IssueMediaPurged.Code {
		t.Errorf("refused with %+v", e.Rows)
	}
	waiting := b.ws.Upload("photo.jpg", mediatest.JPEG(64, 64))
	step(contract.EditPost{MediaIDs: &[]string{waiting.ID}}, waiting) // a draft may wait for its file
	soon := now()
	_, err = b.change(p, contract.EditPost{When: &soon, Status: "queued"})
	want(t, core.CodePlanHasIssues, err)
	step(contract.EditPost{MediaIDs: &[]string{}, Text: new("")})
	_, err = b.change(p, contract.EditPost{When: &soon, Status: "queued"})
	if e := want(t, core.CodePlanHasIssues, err); e.Rows[0].Issues[0].Code != core.IssueTextRequired.Code {
		t.Errorf("refused with %+v", e.Rows)
	}
	step(contract.EditPost{MediaIDs: &[]string{one.ID, two.ID}, When: &soon, Status: "queued"}, one, two)
	_, err = b.change(p, contract.EditPost{MediaIDs: &[]string{}})
	want(t, core.CodeConflict, err)
	copied, err := b.App.DuplicatePost(b.Context(), b.ws.Owner, p.ID)
	if err != nil || !slices.Equal(copied.MediaIDs, ids(one, two)) ||
		!slices.Equal(b.ws.Post(copied).MediaIDs, ids(one, two)) {
		t.Errorf("the copy has %v, %v", copied.MediaIDs, err)
	}
	list, err := b.App.ListPosts(b.Context(), b.ws.Owner, contract.ListPosts{Status: "queued"})
	if err != nil || !slices.Equal(list.Posts[0].MediaIDs, ids(one, two)) {
		t.Errorf("the list has %+v, %v", list, err)
	}
}

// A copy of a post may name files that are gone. It says so, and goes nowhere until they are taken away.
func TestACopyNamesWhatIsGone(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	deleted, removed := b.photo(), b.photo()
	p := b.live(account, deleted, removed)
	must(t, b.App.DeleteMedia(b.Context(), b.ws.Owner, deleted.ID))
	b.Clock.Advance(72 * time.Hour)
	must(t, b.App.Intake().PurgeFilesPastRetention(b.Context()))
	copied, err := b.App.DuplicatePost(b.Context(), b.ws.Owner, p.ID)
	if err != nil || !slices.Equal(copied.MediaIDs, ids(deleted, removed)) {
		t.Fatalf("the copy has %v, %v", copied.MediaIDs, err)
	}
	soon := now()
	_, err = b.change(copied, contract.EditPost{When: &soon, Status: "queued"})
	if e := want(t, core.CodeMediaPurged, err); len(e.Rows[0].Issues) != 2 {
		t.Errorf("refused with %+v", e.Rows)
	}
	photo := b.photo()
	if _, err := b.change(copied, contract.EditPost{MediaIDs: &[]string{photo.ID}, When: &soon, Status: "queued"}); err != nil {
		t.Error(err)
	}
}
