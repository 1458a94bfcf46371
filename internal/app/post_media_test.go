package app_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/media/mediatest"
	"belfry/internal/network"
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

// goesLive lets a worker carry a post on until the network has looked at its files.
func (b *bench) goesLive(p contract.Post) contract.Post {
	b.t.Helper()
	for range 5 {
		if p = b.work(p); p.Status == "live" {
			return p
		}
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
	must(b.t, b.App.PurgeMedia(b.Context()))
	file = b.ws.Media(file.ID)
	if file.PurgedAt == nil {
		b.t.Fatalf("the file is still there: %+v", file)
	}
	return file
}

func (b *bench) change(p contract.Post, in contract.EditPost) (contract.Post, error) {
	return b.App.EditPost(b.Context(), b.ws.Owner, p.ID, in)
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
	for name, c := range map[string]struct {
		in   contract.CreatePosts
		want [][]string
		code core.Code
	}{
		"a photo":            {with(request("", now(), threads, facebook), photo), [][]string{nil, nil}, ""},
		"a photo in a draft": {with(request("", draft(), threads), photo), [][]string{nil}, ""},
		"photos":             {with(request("a", now(), threads, facebook), photo, photo), [][]string{nil, nil}, ""},
		"a format that one network does not take": {
			with(request("a", now(), threads, facebook), webp), [][]string{{"format_unsupported"}, {"format_unsupported"}}, core.CodePlanHasIssues,
		},
		"photo and film": {
			with(request("a", now(), threads, facebook), photo, film), [][]string{nil, {"media_mixed_unsupported"}}, core.CodePlanHasIssues,
		},
		"too many": {
			with(request("a", draft(), threads), slices.Repeat([]contract.Media{photo}, 21)...), [][]string{{"media_count_unsupported"}}, core.CodePlanHasIssues,
		},
		"not looked at":       {with(request("a", now(), threads), waiting), [][]string{{"media_not_ready"}}, core.CodePlanHasIssues},
		"not brought":         {with(request("a", draft(), threads), reserved), [][]string{{"media_not_ready"}}, core.CodePlanHasIssues},
		"failed":              {with(request("a", now(), threads), failed), [][]string{{"media_failed"}}, core.CodePlanHasIssues},
		"removed":             {with(request("a", now(), threads), removed), [][]string{{"media_purged"}}, core.CodeMediaPurged},
		"removed, in a draft": {with(request("a", draft(), threads), removed), [][]string{{"media_purged"}}, core.CodeMediaPurged},
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
				if !slices.Equal(p.MediaIDs, c.in.MediaIDs) || !slices.Equal(b.get(p).MediaIDs, c.in.MediaIDs) {
					t.Errorf("the post has %v", b.get(p).MediaIDs)
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
	first := contract.ErrorOf(core.NotFound(), "")
	for name, id := range map[string]string{
		"foreign": theirs.ID, "unknown": unknown, "deleted": deleted.ID, "malformed": "med_1", "empty": "", "of another kind": account.ID,
		"in capitals": strings.ToUpper(unknown),
	} {
		in := with(request("a", now(), account), photo)
		in.MediaIDs = append(in.MediaIDs, id)
		_, planned := b.App.PlanPosts(b.Context(), b.ws.Owner, in.PlanPosts)
		_, created := b.App.CreatePosts(b.Context(), b.ws.Owner, in)
		_, edited := b.change(sketch, contract.EditPost{MediaIDs: &in.MediaIDs})
		_, on := b.change(queued, contract.EditPost{MediaIDs: &in.MediaIDs})
		for verb, err := range map[string]error{"plan": planned, "create": created, "edit": edited, "edit of a queued post": on} {
			if got := contract.ErrorOf(err, ""); got.Code != first.Code || got.Message != first.Message || got.Hint != first.Hint {
				t.Errorf("%s id, %s: %+v", name, verb, got)
			}
		}
	}
	if got := b.get(used).MediaIDs; !slices.Equal(got, []string{deleted.ID}) {
		t.Errorf("the post that went out with it has %v", got)
	}
	if got := b.get(sketch).MediaIDs; !slices.Equal(got, []string{photo.ID}) {
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
	if e := want(t, core.CodeMediaPurged, err); len(e.Rows) != 1 || e.Rows[0].Issues[0].Code != core.IssueMediaPurged.Code {
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
	if err != nil || !slices.Equal(copied.MediaIDs, ids(one, two)) || !slices.Equal(b.get(copied).MediaIDs, ids(one, two)) {
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
	must(t, b.App.PurgeMedia(b.Context()))
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

// recorder remembers what was asked to go out.
type recorder struct {
	network.Network
	sent *[]network.Item
}

func (r recorder) Create(ctx context.Context, it network.Item) (string, error) {
	*r.sent = append(*r.sent, it)
	return r.Network.Create(ctx, it)
}

func (r recorder) Publish(ctx context.Context, it network.Item, handle string) (string, error) {
	*r.sent = append(*r.sent, it)
	return r.Network.Publish(ctx, it, handle)
}

// recording is the App with networks whose calls are remembered.
func (b *bench) recording() (*app.App, *[]network.Item) {
	b.t.Helper()
	var sent []network.Item
	return b.Replica(func(c *app.Config) {
		var drivers []network.Driver
		for _, n := range c.Networks.List() {
			drivers = append(drivers, network.Driver{ID: n.Describe().ID, New: func(network.Environment) (network.Network, error) {
				return recorder{n, &sent}, nil
			}})
		}
		set, err := network.NewSet(drivers, network.Environment{})
		must(b.t, err)
		c.Networks = set
	}), &sent
}

func TestTheNetworkGetsTheFilesWithAddressesThatLast(t *testing.T) {
	for _, name := range []string{"threads", "facebook"} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			one, two := b.photo(), b.ws.File("two.png", mediatest.PNG(320, 320))
			p := b.post(request("a", now(), b.ws.Account(name)), two, one, two)
			worker, sent := b.recording()
			id, err := core.ParseID[core.PostKind](p.ID)
			must(t, err)
			must(t, worker.Publish(b.Context(), "a worker", b.ws.ID, id))
			if p = b.get(p); len(*sent) == 0 || p.Error != nil {
				t.Fatalf("%d calls; the post is %s: %+v", len(*sent), p.Status, p.Error)
			}
			files := (*sent)[0].Files
			if len(files) != 3 || files[0].ID.String() != two.ID || files[1].ID.String() != one.ID || files[2].ID.String() != two.ID {
				t.Fatalf("sent: %+v", files)
			}
			b.Clock.Advance(24 * time.Hour)
			for i, f := range files {
				if got := serve(t, b.Harness, f.URL); got.Mime != f.Mime || int64(len(got.bytes)) != f.Bytes || f.Bytes == 0 {
					t.Errorf("file %d is served as %s with %d bytes", i, got.Mime, len(got.bytes))
				}
			}
		})
	}
}

// From the upload to the network's page: what everybody sees are the bytes that were brought, in their order.
func TestAPostGoesLiveWithItsFiles(t *testing.T) {
	for _, name := range []string{"threads", "facebook"} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			account := b.ws.Account(name)
			one, two := b.photo(), b.ws.File("two.png", mediatest.PNG(640, 320))
			film := b.ws.File("clip.mp4", mediatest.MP4(mediatest.Movie{}))
			for text, files := range map[string][]contract.Media{"one": {one}, "some": {two, one, two}, "a film": {film}} {
				b.goesLive(b.post(request(text, now(), account), files...))
				var shown []int64
				for _, p := range b.Sim.Posts.All() {
					if p.Text == text {
						for _, m := range p.Media {
							shown = append(shown, m.Bytes)
						}
					}
				}
				var sent []int64
				for _, f := range files {
					sent = append(sent, f.Size)
				}
				if !slices.Equal(shown, sent) {
					t.Errorf("%s: %v bytes are shown; want %v", text, shown, sent)
				}
			}
		})
	}
}

// Whatever became of the bytes: the post fails and says so, and the network is not asked for anything.
func TestAPostWhoseFileIsLostFailsUnsent(t *testing.T) {
	for _, name := range []string{"threads", "facebook"} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			file := b.photo()
			p := b.post(request("a", now(), b.ws.Account(name)), file)
			for _, key := range blobs(t, b.Harness) {
				must(t, b.Config.Blobs.Delete(t.Context(), key))
			}
			calls := len(b.Sim.Calls.Recent(0))
			p = b.work(p)
			if p.Status != "failed" || p.Error.Code != "media_purged" || !strings.Contains(p.Error.Message, "photo.jpg") || p.Error.Hint == nil {
				t.Errorf("the post is %s: %+v", p.Status, p.Error)
			}
			if n := len(b.Sim.Calls.Recent(0)); n != calls || b.visible("a") != 0 {
				t.Errorf("the network was called %d times", n-calls)
			}
			if p = b.after(time.Hour, p); p.Status != "failed" || p.Attempts != 1 {
				t.Errorf("it was tried again: %s after %d", p.Status, p.Attempts)
			}
		})
	}
}

// A store that does not answer is no reason to give up.
func TestAPostWaitsForAStoreThatDoesNotAnswer(t *testing.T) {
	b := newBench(t)
	p := b.post(request("a", now(), b.ws.Account("threads")), b.photo())
	id, err := core.ParseID[core.PostKind](p.ID)
	must(t, err)
	left := 1
	worker := b.Replica(func(c *app.Config) { c.Blobs = flaky{c.Blobs, &left} })
	must(t, worker.Publish(b.Context(), "a worker", b.ws.ID, id))
	if p = b.get(p); p.Status != "failed" || p.Error.Code != "network_unreachable" || !strings.Contains(p.Error.Message, "photo.jpg") {
		t.Errorf("the post is %s: %+v", p.Status, p.Error)
	}
	if p = b.after(time.Minute, p); p.Error != nil {
		t.Errorf("afterwards it is %s: %+v", p.Status, p.Error)
	}
}

func TestAFileInUseIsNotDeleted(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	file := b.photo()
	deletes := func(code core.Code) {
		t.Helper()
		err := b.App.DeleteMedia(b.Context(), b.ws.Owner, file.ID)
		if code == "" {
			must(t, err)
		} else {
			want(t, code, err)
		}
	}
	p := b.post(request("a", draft(), account), file)
	deletes(core.CodeConflict)
	soon := now()
	p, err := b.change(p, contract.EditPost{When: &soon, Status: "queued"})
	must(t, err)
	deletes(core.CodeConflict)
	b.Fault(fault("threads", "create", "drop_before_accept"))
	p = b.work(p)
	if p.Status != "failed" {
		t.Fatalf("the post is %s", p.Status)
	}
	deletes(core.CodeConflict) // the worker will try again
	p, err = b.App.CancelPost(b.Context(), b.ws.Owner, p.ID)
	must(t, err)
	copied, err := b.App.DuplicatePost(b.Context(), b.ws.Owner, p.ID)
	must(t, err)
	deletes(core.CodeConflict)
	must(t, b.App.DeletePost(b.Context(), b.ws.Owner, copied.ID))
	deletes("")
	if got := b.get(p).MediaIDs; !slices.Equal(got, ids(file)) || charged(t, b.Harness, b.ws) != 0 {
		t.Errorf("the failed post has %v", got)
	}
	_, err = b.App.RetryPost(b.Context(), b.ws.Owner, p.ID, contract.RetryPost{})
	want(t, core.CodeMediaPurged, err)
	if got := b.get(p); got.Status != "failed" {
		t.Errorf("it is %s", got.Status)
	}
	must(t, b.App.DeletePost(b.Context(), b.ws.Owner, p.ID))
	must(t, b.App.PurgeMedia(b.Context()))
	var rows int
	must(t, b.Pool.QueryRow(t.Context(), `SELECT count(*) FROM media`).Scan(&rows))
	if rows != 0 {
		t.Errorf("%d rows are left", rows)
	}
}

func TestAFileIsPublishedWhenItsLastPostWentLive(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	one, two, other := b.photo(), b.photo(), b.photo()
	b.live(account, one, two, one)
	first := b.Clock.Now()
	b.Clock.Advance(time.Hour)
	b.live(account, one)
	b.post(request("waits", local("2026-12-01T10:00", "UTC"), account), two)
	for file, at := range map[string]time.Time{one.ID: b.Clock.Now(), two.ID: first} {
		if got := b.ws.Media(file).PublishedAt; got == nil || !got.Equal(at) {
			t.Errorf("published at %v; want %v", got, at)
		}
	}
	if got := b.ws.Media(other.ID).PublishedAt; got != nil {
		t.Errorf("published at %v", got)
	}
}

// What a person says counts as what the network says.
func TestAFileIsPublishedByAPersonsWord(t *testing.T) {
	b := newBench(t)
	file := b.photo()
	p := b.post(request("a", now(), b.ws.Account("threads")), file)
	_, err := b.Pool.Exec(t.Context(), `UPDATE posts SET status = 'failed', error_code = 'outcome_unknown'`)
	must(t, err)
	p, err = b.App.SettlePost(b.Context(), b.ws.Owner, p.ID, contract.SettlePost{Live: true})
	if err != nil || p.Status != "live" {
		t.Fatalf("the post is %s, %v", p.Status, err)
	}
	if got := b.ws.Media(file.ID).PublishedAt; got == nil || !got.Equal(b.Clock.Now()) {
		t.Errorf("published at %v", got)
	}
}

// Spec §1.8, §8: after 72 hours, unless it is pinned or used by a draft or a queued post.
func TestBytesAreRemovedAfterTheirLastPost(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	plain, pinned, drafted, queued, retried, unused := b.photo(), b.photo(), b.photo(), b.photo(), b.photo(), b.photo()
	yes, no := true, false
	_, err := b.App.EditMedia(b.Context(), b.ws.Owner, pinned.ID, contract.EditMedia{Pinned: &yes})
	must(t, err)
	b.live(account, plain, pinned, drafted, queued, retried)
	sketch := b.post(request("a", draft(), account), drafted)
	waits := b.post(request("a", local("2026-12-01T10:00", "UTC"), account), queued)
	purged := func(want ...contract.Media) {
		t.Helper()
		must(t, b.App.PurgeMedia(b.Context()))
		b.WorkDiscards()
		kept := 2 * 6
		for name, f := range map[string]contract.Media{"plain": plain, "pinned": pinned, "drafted": drafted, "queued": queued, "retried": retried, "unused": unused} {
			gone := slices.Contains(ids(want...), f.ID)
			got := b.ws.Media(f.ID)
			if (got.PurgedAt != nil) != gone || got.OriginalName != "photo.jpg" || *got.Width != 640 || got.Status != "ready" || (got.ThumbnailURL == nil) != gone {
				t.Errorf("the %s file: %+v", name, got)
			}
			if gone {
				kept -= 2
			}
		}
		if keys := blobs(t, b.Harness); len(keys) != kept || charged(t, b.Harness, b.ws) != int64(kept/2)*plain.Size {
			t.Errorf("%d are kept; want %d", len(keys), kept)
		}
	}
	b.Clock.Advance(72*time.Hour - time.Minute)
	b.Fault(fault("threads", "create", "drop_before_accept"))
	again := b.work(b.post(request("b", now(), account), retried))
	purged()
	b.Clock.Advance(time.Minute)
	purged(plain)
	b.Clock.Advance(time.Minute)
	b.goesLive(again)
	must(t, b.App.DeletePost(b.Context(), b.ws.Owner, sketch.ID))
	purged(plain, drafted)
	_, err = b.App.CancelPost(b.Context(), b.ws.Owner, waits.ID)
	must(t, err)
	purged(plain, drafted)
	_, err = b.change(waits, contract.EditPost{MediaIDs: &[]string{}})
	must(t, err)
	_, err = b.App.EditMedia(b.Context(), b.ws.Owner, pinned.ID, contract.EditMedia{Pinned: &no})
	must(t, err)
	purged(plain, drafted, queued, pinned)
	b.Clock.Advance(72 * time.Hour)
	purged(plain, drafted, queued, pinned, retried)
	var e *core.Error
	if _, err := b.App.CreatePosts(b.Context(), b.ws.Owner, with(request("a", now(), account), plain)); !errors.As(err, &e) || e.Code != core.CodeMediaPurged {
		t.Errorf("a post with a removed file: %v", err)
	}
}
