package app_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
)

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
	b.Fault(fault("create", "drop_before_accept"))
	p = b.ws.Work(p)
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
	if got := b.ws.Post(p).MediaIDs; !slices.Equal(got, ids(file)) || charged(t, b.Harness, b.ws) != 0 {
		t.Errorf("the failed post has %v", got)
	}
	_, err = b.App.RetryPost(b.Context(), b.ws.Owner, contract.RetryPost{ID: p.ID})
	want(t, core.CodeMediaPurged, err)
	if got := b.ws.Post(p); got.Status != "failed" {
		t.Errorf("it is %s", got.Status)
	}
	must(t, b.App.DeletePost(b.Context(), b.ws.Owner, p.ID))
	must(t, b.App.Intake().DeleteRowsOfDeletedFiles(b.Context()))
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
	p, err = b.App.ResolveOutcome(b.Context(), b.ws.Owner, p.ID, contract.ResolveOutcome{Live: true})
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
	_, err := b.App.EditMedia(b.Context(), b.ws.Owner, contract.EditMedia{ID: pinned.ID, Pinned: &yes})
	must(t, err)
	b.live(account, plain, pinned, drafted, queued, retried)
	sketch := b.post(request("a", draft(), account), drafted)
	waits := b.post(request("a", local("2026-12-01T10:00", "UTC"), account), queued)
	purged := func(want ...contract.Media) {
		t.Helper()
		must(t, b.App.Intake().PurgeFilesPastRetention(b.Context()))
		b.WorkDiscards()
		kept := 2 * 6
		for name, f := range map[string]contract.Media{"plain": plain, "pinned": pinned, "drafted": drafted, "queued": queued, "retried": retried, "unused": unused} {
			gone := slices.Contains(ids(want...), f.ID)
			got := b.ws.Media(f.ID)
			if (got.PurgedAt != nil) != gone || got.OriginalName != "photo.jpg" || *got.Width != 640 || got.Status != "ready" ||
				(got.ThumbnailURL == nil) != gone {
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
	b.Fault(fault("create", "drop_before_accept"))
	again := b.ws.Work(b.post(request("b", now(), account), retried))
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
	_, err = b.App.EditMedia(b.Context(), b.ws.Owner, contract.EditMedia{ID: pinned.ID, Pinned: &no})
	must(t, err)
	purged(plain, drafted, queued, pinned)
	b.Clock.Advance(72 * time.Hour)
	purged(plain, drafted, queued, pinned, retried)
	var e *core.Error
	if _, err := b.App.CreatePosts(b.Context(), b.ws.Owner, with(request("a", now(), account), plain)); !errors.As(err,
		&e) || e.Code != core.CodeMediaPurged {
		t.Errorf("a post with a removed file: %v", err)
	}
}

// A file that cannot be purged, here since too few bytes are counted in its workspace, holds up no other.
func TestOneFileHoldsUpNoOthersPurge(t *testing.T) {
	b := newBench(t)
	stuck := b.photo()
	b.live(b.ws.Account("threads"), stuck)
	_, err := b.Pool.Exec(t.Context(), `UPDATE usage_storage SET used = 0`)
	must(t, err)
	other := &bench{b.Harness, t, b.Workspace("two")}
	plain := other.photo()
	b.Clock.Advance(time.Minute)
	other.live(other.ws.Account("threads"), plain)
	b.Clock.Advance(73 * time.Hour)
	if err := b.App.Intake().PurgeFilesPastRetention(t.Context()); err == nil {
		t.Error("nobody is told")
	}
	if b.ws.Media(stuck.ID).PurgedAt != nil || other.ws.Media(plain.ID).PurgedAt == nil {
		t.Error("the wrong one is purged")
	}
}
