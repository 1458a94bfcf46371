package app_test

import (
	"math/rand/v2"
	"sync"
	"testing"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/media/mediatest"
)

// due makes files look as if their last post had gone live long ago.
func (b *bench) due(files ...contract.Media) {
	b.t.Helper()
	_, err := b.Pool.Exec(b.Context(), `UPDATE media SET published_at = clock() - interval '72 hours' WHERE id = ANY($1)`, b.uuids(files...))
	must(b.t, err)
}

func (b *bench) uuids(files ...contract.Media) (list [][16]byte) {
	for _, f := range files {
		list = append(list, b.ws.MediaID(f).Bytes())
	}
	return list
}

// A post takes a file up at the very moment at which its bytes are removed: one of the two is first, and the
// other sees it. Never is there a post to go out whose bytes are gone.
func TestTakingAFileUpAndRemovingItExcludeEachOther(t *testing.T) {
	for name, remove := range map[string]func(*bench, contract.Media) error{
		"purge":  func(b *bench, _ contract.Media) error { return b.App.Intake().PurgeFilesPastRetention(b.Context()) },
		"delete": func(b *bench, m contract.Media) error { return b.App.DeleteMedia(b.Context(), b.ws.Owner, m.ID) },
	} {
		for what, prepare := range takers {
			t.Run(name+" and "+what, func(t *testing.T) {
				b := newBench(t)
				account := b.ws.Account("threads")
				kept, gone := 0, 0
				for range 24 {
					file := b.ws.File("photo.png", mediatest.PNG(8, 8))
					take := prepare(b, account, file)
					b.due(file)
					if b.contest(file, take, remove) {
						kept++
					} else {
						gone++
					}
				}
				if kept == 0 || gone == 0 {
					t.Logf("this was no race: %d kept, %d gone", kept, gone)
				}
			})
		}
	}
}

// contest lets both run at once, and tells whether the file is still there.
func (b *bench) contest(file contract.Media, take func() error, remove func(*bench, contract.Media) error) (kept bool) {
	b.t.Helper()
	var both sync.WaitGroup
	var taken, removed error
	run := func(f func() error, err *error) {
		ahead := rand.IntN(4)
		both.Go(func() {
			for range ahead { // so that now one begins first and now the other
				_, _ = b.App.Whoami(b.Context(), b.ws.Owner)
			}
			*err = f()
		})
	}
	run(take, &taken)
	run(func() error { return remove(b, file) }, &removed)
	both.Wait()
	_, gone := b.App.GetMedia(b.Context(), b.ws.Owner, file.ID)
	kept = gone == nil && b.ws.Media(file.ID).PurgedAt == nil
	for what, err := range map[string]error{"taking": taken, "removing": removed} {
		switch core.CodeOf(err) {
		case core.CodeMediaPurged, core.CodeNotFound, core.CodeConflict:
		default:
			if err != nil {
				b.t.Errorf("%s: %v", what, err)
			}
		}
	}
	if (taken == nil) != kept {
		b.t.Errorf("the file is kept: %v; taking it answered %v, removing it %v", kept, taken, removed)
	}
	var lost int
	must(b.t, b.Pool.QueryRow(b.Context(), `
		SELECT count(*) FROM posts p JOIN post_media pm ON pm.post_id = p.id JOIN media m ON m.id = pm.media_id
		WHERE p.status IN ('draft', 'queued') AND (m.blob = '' OR m.purged_at IS NOT NULL OR m.deleted_at IS NOT NULL)`).Scan(&lost))
	if lost != 0 {
		b.t.Errorf("%d posts wait for a file that is gone", lost)
	}
	return kept
}

// takers prepare an operation that makes a post use a file.
var takers = map[string]func(b *bench, account contract.Account, file contract.Media) func() error{
	"create": func(b *bench, account contract.Account, file contract.Media) func() error {
		return func() error {
			_, err := b.App.CreatePosts(b.Context(), b.ws.Owner, with(request("a", now(), account), file))
			return err
		}
	},
	"create of a draft": func(b *bench, account contract.Account, file contract.Media) func() error {
		return func() error {
			_, err := b.App.CreatePosts(b.Context(), b.ws.Owner, with(request("a", draft(), account), file))
			return err
		}
	},
	"edit": func(b *bench, account contract.Account, file contract.Media) func() error {
		p := b.ws.Draft("a", account)
		return func() error {
			_, err := b.change(p, contract.EditPost{MediaIDs: &[]string{file.ID}})
			return err
		}
	},
	"edit and queue": func(b *bench, account contract.Account, file contract.Media) func() error {
		p, soon := b.ws.Draft("a", account), now()
		return func() error {
			_, err := b.change(p, contract.EditPost{MediaIDs: &[]string{file.ID}, When: &soon, Status: "queued"})
			return err
		}
	},
	"retry": func(b *bench, account contract.Account, file contract.Media) func() error {
		p := b.post(request("a", now(), account), file)
		b.giveUp(p)
		return func() error {
			_, err := b.App.RetryPost(b.Context(), b.ws.Owner, contract.RetryPost{ID: p.ID})
			return err
		}
	},
}

// giveUp makes a post look as if the network had refused it.
func (b *bench) giveUp(p contract.Post) {
	b.t.Helper()
	id, err := core.ParseID[core.PostKind](p.ID)
	must(b.t, err)
	_, err = b.Pool.Exec(b.Context(), `UPDATE posts SET status = 'failed', error_code = 'rejected' WHERE id = $1`, id.Bytes())
	must(b.t, err)
	_, err = b.Pool.Exec(b.Context(), `UPDATE publications SET step = 'rejected', rest = 'fail', next_action_at = NULL WHERE post_id = $1`, id.Bytes())
	must(b.t, err)
}

// Posts that share files, in different orders, go live while others take them up, remove them and count their
// bytes: nobody waits for ever, and the newest time stands.
func TestFilesInManyHandsNeverLockEachOther(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	var files []contract.Media
	for range 6 {
		files = append(files, b.ws.File("photo.png", mediatest.PNG(8, 8)))
	}
	shuffled := func() []contract.Media {
		list := append([]contract.Media{}, files...)
		rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		return list[:2+rand.IntN(4)]
	}
	b.due(files...)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 12 {
				made, err := b.App.CreatePosts(b.Context(), b.ws.Owner, with(request("a", now(), account), shuffled()...))
				if code := core.CodeOf(err); code == core.CodeMediaPurged || code == core.CodeNotFound {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				id, _ := core.ParseID[core.PostKind](made.Posts[0].ID)
				if err := b.Store.In(b.ws.ID).SetPublishedAtOfPostMedia(b.Context(), id, b.Clock.Now()); err != nil {
					t.Error(err)
				}
				if _, err := b.App.DuplicatePost(b.Context(), b.ws.Owner, made.Posts[0].ID); err != nil {
					t.Error(err)
				}
				if _, err := b.change(made.Posts[0], contract.EditPost{When: new(draft())}); err != nil {
					t.Error(err)
				}
				list := ids(shuffled()...)
				if _, err := b.change(made.Posts[0], contract.EditPost{MediaIDs: &list}); err != nil &&
					core.CodeOf(err) == core.CodeInternal {
					t.Error(err)
				}
			}
		})
		all.Go(func() {
			for range 24 {
				if err := b.App.Intake().PurgeFilesPastRetention(b.Context()); err != nil {
					t.Error(err)
				}
				if err := b.App.Intake().DeleteRowsOfDeletedFiles(b.Context()); err != nil {
					t.Error(err)
				}
				if err := b.App.DeleteMedia(b.Context(), b.ws.Owner, files[0].ID); err != nil &&
					core.CodeOf(err) == core.CodeInternal {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	charged(t, b.Harness, b.ws)
}
