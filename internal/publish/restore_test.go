package publish_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"belfry/internal/app/apptest"
	"belfry/internal/blob"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/restore"
	"belfry/internal/store"
)

// rewind restores the data of snapshot, as restoring a backup does: posts and calls made since are lost.
const (
	snapshot = `
		CREATE TABLE snapshot_posts AS TABLE posts;
		CREATE TABLE snapshot_publications AS TABLE publications;
		CREATE TABLE snapshot_steps AS TABLE publish_steps`
	rewind = `
		DELETE FROM settled_receipts;
		DELETE FROM publish_steps WHERE id NOT IN (SELECT id FROM snapshot_steps);
		DELETE FROM publications;
		DELETE FROM posts WHERE id NOT IN (SELECT id FROM snapshot_posts);
		UPDATE posts p SET status = s.status, external_id = s.external_id, external_url = s.external_url,
			attempts = s.attempts, publish_at = s.publish_at, error_code = s.error_code, error_message = s.error_message, error_hint = s.error_hint,
			error_from_network = s.error_from_network
			FROM snapshot_posts s WHERE s.id = p.id;
		INSERT INTO publications SELECT * FROM snapshot_publications;
		SELECT setval('publish_steps_id_seq', 1, false)`
)

// restoreSnapshot restores the data of snapshot, and starts the service.
func (b *bench) restoreSnapshot() {
	b.t.Helper()
	b.exec(rewind)
	must(b.t, b.App.GuardOrNil().HoldPublishingIfRewoundElseUpdateMark(b.t.Context()))
}

// A restored database had the post on its queue, although the network had taken it. Threads tells at once what became
// of a call whose answer was lost, Facebook only after a while.
func TestAfterARestoreAPostThatMayBePublishedIsNotSentAgain(t *testing.T) {
	for network, live := range map[string]bool{"threads": true, "facebook": false} {
		t.Run(network, func(t *testing.T) {
			b := newBench(t)
			guard := b.App.GuardOrNil()
			must(t, guard.HoldPublishingIfRewoundElseUpdateMark(t.Context()))
			post := b.ws.Now("sent before the restore", b.ws.Account(network))
			b.exec(snapshot)
			b.Fault(fault(network, "publish", "drop_after_accept"))
			if post = b.ws.Work(post); b.Visible(post.Text) != 1 {
				t.Fatalf("the network shows %d posts before the restore, want 1", b.Visible(post.Text))
			}
			b.restoreSnapshot()
			held, err := b.Store.PostsUnderPublishingHold(t.Context(), 10)
			must(t, err)
			if len(held) != 1 || held[0].Post.String() != post.ID || !held[0].Armed || held[0].Live != live || held[0].Unproved {
				t.Fatalf("on hold are %+v", held)
			}
			if post = b.after(time.Hour, post); post.Status != "queued" || b.calls("publish") != 1 {
				t.Fatalf("during the hold the post is %s after %d calls", post.Status, b.calls("publish"))
			}
			done, err := guard.EndHoldUnlessUnproved(t.Context())
			must(t, err)
			if done.LookedFor+done.Live != 1 || live != (done.Live == 1) {
				t.Errorf("confirmed: %+v", done)
			}
			if post = b.after(time.Hour, post); post.Status != "live" || b.Visible(post.Text) != 1 || b.calls("publish") != 1 {
				t.Errorf("the post is %s (%+v), visible %d times, after %d calls that publish",
					post.Status, post.Error, b.Visible(post.Text), b.calls("publish"))
			}
			must(t, guard.HoldPublishingIfRewoundElseUpdateMark(t.Context()))
			if _, err := b.Store.PublishingHold(t.Context()); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("the start after the confirmation holds publishing again: %v", err)
			}
		})
	}
}

// publishWhileHoldBegins lets a worker publish the only post. While it prepares the post, publishing is put on hold.
func (b *bench) publishWhileHoldBegins(p contract.Post, holdPublishing func()) contract.Post {
	b.t.Helper()
	id, err := core.ParseID[core.PostKind](p.ID)
	must(b.t, err)
	worker := b.through(func(n network.Network) network.Network { return meanwhile{Network: n, asking: holdPublishing} })
	must(b.t, worker.Engine().PublishOrPrepare(b.Context(), "a worker", b.ws.ID, id))
	var armed bool
	must(b.t, b.Pool.QueryRow(b.Context(), `SELECT armed FROM publications`).Scan(&armed))
	if armed || !b.due() || !b.isPublishingHeld() {
		b.t.Errorf("armed: %v; due: %v; publishing is on hold: %v", armed, b.due(), b.isPublishingHeld())
	}
	return b.ws.Post(p)
}

// The database that took over did not know that a post was published. A worker had claimed the post there before
// another replica noticed the failover, and the hold did not stop that claim: the post was published a second time.
func TestAHoldStopsTheClaimOfAPostThatAFailoverLost(t *testing.T) {
	for _, name := range []string{"Threads text", "Facebook text", "Facebook photos"} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			must(t, b.Sim.SetOption("facebook.refuse_duplicates", "off"))
			guard, kind := b.App.GuardOrNil(), apptest.KindNamed(t, name)
			must(t, guard.HoldPublishingIfRewoundElseUpdateMark(t.Context()))
			post := b.ws.PostOf(kind, "sent before the failover", b.ws.Account(kind.Network), now())
			b.exec(snapshot)
			b.goesLive(post)
			must(t, guard.UpdateMarkOrHoldPublishingUnlessOnHold(t.Context()))
			b.exec(rewind)
			post = b.publishWhileHoldBegins(post, func() {
				must(t, guard.UpdateMarkOrHoldPublishingUnlessOnHold(t.Context()))
			})
			b.wants(post, "queued", 1, "created", "queued", "publishing", "live", "publishing")
			_, err := guard.EndHoldUnlessUnproved(t.Context())
			must(t, err)
			if post = b.ws.Post(post); post.Status != "live" || b.Visible(post.Text) != 1 {
				t.Errorf("after the hold, the post is %s, visible %d times", post.StatusLine, b.Visible(post.Text))
			}
		})
	}
}

// The claim that a hold ends loses nothing, and does not count as another attempt.
func TestAPostWhoseClaimAHoldEndedIsPublishedAfterTheHold(t *testing.T) {
	for _, name := range []string{"Threads text", "Facebook text", "Facebook photos", "TikTok photos"} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			kind := apptest.KindNamed(t, name)
			post := b.ws.PostOf(kind, "not sent yet", b.ws.Account(kind.Network), now())
			post = b.publishWhileHoldBegins(post, func() {
				must(t, b.Store.HoldPublishingAndDeleteSessionsAndEmails(t.Context(), "a test", time.Time{}, nil))
			})
			b.wants(post, "queued", 0, "created", "queued", "publishing")
			b.says(post, "")
			_, err := b.App.GuardOrNil().EndHoldUnlessUnproved(t.Context())
			must(t, err)
			b.goesLive(post)
			b.wants(b.ws.Post(post), "live", 1, "created", "queued", "publishing", "live")
		})
	}
}

// Whatever a worker believes, the database saves no call that publishes during a hold, but lets it ask the network.
func TestTheDatabaseSavesNoIrreversibleCallDuringAHold(t *testing.T) {
	b := newBench(t)
	claimed := b.claimNow(b.ws.Now("claimed before the hold", b.ws.Account("threads")))
	save := func(do core.Action) error {
		call := store.Call{Seq: 1, Do: do, Deadline: time.Second, TakesTurn: true}
		_, err := b.Store.In(b.ws.ID).SaveStepBeforeCall(b.Context(), claimed, nil, call, time.Minute, time.Minute)
		return err
	}
	must(t, b.Store.HoldPublishingAndDeleteSessionsAndEmails(t.Context(), "a test", time.Time{}, nil))
	for _, do := range []core.Action{core.DoPublish, core.DoCreate} { // which takes the turn because its files are gated
		if err := save(do); !errors.Is(err, store.ErrPublishingHeld) {
			t.Errorf("%s: %v", do, err)
		}
	}
	var turns, steps int
	must(t, b.Pool.QueryRow(t.Context(),
		`SELECT (SELECT count(*) FROM account_turns), (SELECT count(*) FROM publish_steps)`).Scan(&turns, &steps))
	if turns != 0 || steps != 0 {
		t.Errorf("%d turns and %d calls are saved", turns, steps)
	}
	must(t, save(core.DoFind))
	claimed.Epoch++
	if err := save(core.DoPublish); !errors.Is(err, store.ErrFenced) {
		t.Errorf("with the claim of another worker: %v", err)
	}
}

// restoreWithoutAnswer restores the backup. Of the post's receipts, only that of the call that publishes is left.
func (b *bench) restoreWithoutAnswer(post contract.Post) restore.HoldResult {
	b.t.Helper()
	id, err := core.ParseID[core.PostKind](post.ID)
	must(b.t, err)
	receipt := store.RestoredReceipt{Workspace: b.ws.ID, Post: id}
	must(b.t, b.App.GuardOrNil().Receipts.EachSince(b.t.Context(), time.Time{}, func(r restore.Receipt) error {
		if r.Post == post.ID && !r.Live {
			receipt.Handle, receipt.ArmedAt = r.Handle, r.ArmedAt
		}
		return nil
	}))
	if receipt.ArmedAt.IsZero() {
		b.t.Fatal("the post has no receipt")
	}
	_, err = b.Pool.Exec(b.t.Context(), rewind)
	must(b.t, err)
	receipts := []store.RestoredReceipt{receipt}
	must(b.t, b.Store.HoldPublishingAndDeleteSessionsAndEmails(b.t.Context(), "a test", time.Time{}, receipts))
	done, err := b.App.GuardOrNil().EndHoldUnlessUnproved(b.t.Context())
	must(b.t, err)
	return done
}

// A person retried a failed post after the backup. In the restored database, it must not be sent a second time.
func TestAFailedPostThatWasRetriedAfterTheBackupIsNotSentAgain(t *testing.T) {
	for network, call := range map[string]string{"threads": "create", "facebook": "photos"} {
		t.Run(network, func(t *testing.T) {
			b := newBench(t)
			f := fault(network, call, "reject")
			f.Code, f.Status, f.Message = 100, 400, "No"
			b.Fault(f)
			post := b.ws.Work(b.post(request("retried", now(), b.ws.Account(network)), b.photo()))
			b.wants(post, "failed", 0, "created", "queued", "publishing", "failed")
			b.exec(snapshot)
			b.goesLive(b.ws.Retry(post))

			if done := b.restoreWithoutAnswer(post); done.LookedFor != 1 {
				t.Errorf("confirmed: %+v", done)
			}
			if post = b.ws.Work(post); post.Status != "live" || b.Visible(post.Text) != 1 || b.calls("publish") != 1 {
				t.Errorf("the post is %s (%+v), visible %d times, after %d calls that publish",
					post.Status, post.Error, b.Visible(post.Text), b.calls("publish"))
			}
		})
	}
}

// A search that does not find a post proves nothing: before the restore, its outcome was unknown.
func TestAFailedPostThatMayBeLiveAfterARestoreIsNotRetriedWithoutAPersonsWord(t *testing.T) {
	b := newBench(t)
	must(t, b.Sim.SetOption("facebook.refuse_duplicates", "off"))
	b.Fault(fault("facebook", "publish", "reject"))
	account := b.ws.Account("facebook")
	post := b.refuse(b.ws.Now("retried", account))
	b.exec(snapshot)
	must(t, b.Sim.SetOption("facebook.list_delay_seconds", "360000"))
	b.Fault(fault("facebook", "publish", "drop_after_accept"))
	post = b.after(5*time.Minute, b.ws.Retry(post))
	b.restoreWithoutAnswer(post)
	post = b.after(time.Hour, post)
	_, err := b.App.RetryPost(t.Context(), b.ws.Owner, contract.RetryPost{ID: post.ID})
	if core.CodeOf(err) != core.CodeOutcomeUnknown {
		t.Errorf("a retry of a post that is %s (%+v): %v", post.Status, post.Error, err)
	}
	if post.Error == nil || post.Error.Hint == nil || !strings.Contains(*post.Error.Hint, account.DisplayName) {
		t.Errorf("its error is %+v", post.Error)
	}
}

// If the network does not show it, the post stays failed, and only a person sends it again.
func TestAFailedPostThatTheNetworkDoesNotShowAfterARestoreStaysFailed(t *testing.T) {
	b := newBench(t)
	f := fault("threads", "create", "reject")
	f.Code, f.Status, f.Message = 100, 400, "No"
	b.Fault(f)
	post := b.ws.Work(b.ws.Now("retried in vain", b.ws.Account("threads")))
	b.exec(snapshot)
	b.Fault(fault("threads", "publish", "drop_before_accept"))
	b.ws.Work(b.ws.Retry(post))

	b.restoreWithoutAnswer(post)
	if post = b.after(time.Hour, b.ws.Work(post)); post.Status != "failed" || b.Visible(post.Text) != 0 {
		t.Errorf("the post is %s, visible %d times", post.Status, b.Visible(post.Text))
	}
	post, err := b.App.RetryPost(t.Context(), b.ws.Owner, contract.RetryPost{ID: post.ID, ConfirmNotPublished: true})
	must(t, err)
	if post = b.ws.Work(post); post.Status != "live" || b.Visible(post.Text) != 1 || b.calls("create") != 2 {
		t.Errorf("after a retry the post is %s (%+v), visible %d times, after %d containers",
			post.Status, post.Error, b.Visible(post.Text), b.calls("create"))
	}
}

// queue schedules a draft.
func (b *bench) queue(p contract.Post, in time.Duration) error {
	_, err := b.App.EditPost(b.t.Context(), b.ws.Owner, contract.EditPost{
		ID: p.ID, When: &contract.When{Instant: b.Clock.Now().Add(in), Timezone: "UTC"}, Status: "queued",
	})
	return err
}

// A draft that was queued after the backup is nobody's to look for: its card says so.
func TestADraftOfTheBackupIsNotCountedAsLookedFor(t *testing.T) {
	b := newBench(t)
	post := b.ws.Queued("cancelled", b.ws.Account("threads"), b.Clock.Now().Add(time.Hour))
	post, err := b.App.CancelPost(t.Context(), b.ws.Owner, post.ID)
	must(t, err)
	b.exec(snapshot)
	when := now()
	b.goesLive(b.edit(post, contract.EditPost{When: &when, Status: "queued"}))

	if done := b.restoreWithoutAnswer(post); done.LookedFor != 0 {
		t.Errorf("confirmed: %+v", done)
	}
	if post = b.after(time.Hour, post); post.Status != "draft" {
		t.Errorf("the post is %s", post.Status)
	}
}

// A person moved a post to an earlier time after the backup, whose time for it is still to come.
func TestAPostThatWasMovedToAnEarlierTimeAfterTheBackupGoesOut(t *testing.T) {
	b := newBench(t)
	post := b.ahead("moved", b.ws.Account("threads"), b.photo())
	b.exec(snapshot)
	when := now()
	post, err := b.App.EditPost(t.Context(), b.ws.Owner, contract.EditPost{ID: post.ID, When: &when})
	must(t, err)
	b.Fault(fault("threads", "publish", "drop_before_accept"))
	for b.ws.Work(post); b.calls("publish") == 0; b.ws.Work(post) {
		must(t, b.Sim.WaitIdle(t.Context()))
		b.Clock.Set(b.next())
	}

	b.restoreWithoutAnswer(post)
	if post = b.ws.Work(post); post.Status != "live" || b.Visible(post.Text) != 1 || post.Attempts != 1 {
		t.Errorf("the post is %s (%+v), visible %d times, after %d attempts", post.Status, post.Error, b.Visible(post.Text),
			post.Attempts)
	}
	if post.PublishAt.After(b.Clock.Now()) {
		t.Errorf("the post was due at %s", post.PublishAt)
	}
}

// A person replaced a video by a text after the backup, and the answer to the call was lost. In the restored database,
// the post is a video again. The worker asked Facebook about a video without an id for a week, while nobody could
// change the post.
func TestAfterARestoreAPostThatWasSentWithoutAHandleIsSearchedFor(t *testing.T) {
	b := newBench(t)
	video := b.ws.Sample("video")
	later := contract.When{Instant: b.Clock.Now().Add(time.Hour), Timezone: "UTC"}
	post := b.post(request("once a video", later, b.ws.Account("facebook")), video)
	id, err := core.ParseID[core.PostKind](post.ID)
	must(t, err)
	b.exec(snapshot)
	when, none := now(), []string{}
	b.edit(post, contract.EditPost{InPlace: true, MediaIDs: &none, When: &when})
	b.Fault(fault("facebook", "publish", "drop_after_accept"))
	if post = b.ws.Work(post); b.Visible(post.Text) != 1 {
		t.Fatalf("before the restore, it is %s", post.StatusLine)
	}
	_, err = b.Pool.Exec(t.Context(), `UPDATE posts SET media_ids = ARRAY[$2::uuid] WHERE id = $1`, id, b.ws.MediaID(video))
	must(t, err)
	_, err = b.Pool.Exec(t.Context(), `INSERT INTO post_media (workspace_id, post_id, media_id) VALUES ($3, $1, $2)`,
		id, b.ws.MediaID(video), b.ws.ID)
	must(t, err)
	b.restoreWithoutAnswer(post)
	if post = b.after(10*time.Minute, post); post.Error == nil || post.Error.Code != "outcome_unknown" {
		t.Errorf("the post is %s", post.StatusLine)
	}
}

// A post that was sent earlier than planned in the backup kept its planned time, in the future.
func TestAPostThatWasSentEarlierThanPlannedIsLiveAtTheTimeOfItsCall(t *testing.T) {
	b := newBench(t)
	must(t, b.App.GuardOrNil().HoldPublishingIfRewoundElseUpdateMark(t.Context()))
	post := b.ahead("moved", b.ws.Account("threads"), b.photo())
	b.exec(snapshot)
	when := now()
	post, err := b.App.EditPost(t.Context(), b.ws.Owner, contract.EditPost{ID: post.ID, When: &when})
	must(t, err)
	b.goesLive(post)
	b.exec(rewind)
	must(t, b.App.GuardOrNil().HoldPublishingIfRewoundElseUpdateMark(t.Context()))
	_, err = b.App.GuardOrNil().EndHoldUnlessUnproved(t.Context())
	must(t, err)
	post, err = b.App.GetPost(t.Context(), b.ws.Owner, post.ID)
	must(t, err)
	if post.Status != "live" || post.PublishAt == nil || post.PublishAt.After(b.Clock.Now()) {
		t.Errorf("the post is %s at %v", post.Status, post.PublishAt)
	}
}

// The list of posts that the hold affects said of a post whose call had no answer that it would be published, for want
// of a receipt.
func TestAPostWhoseCallHadNoAnswerIsListedAsMaybePublished(t *testing.T) {
	b := newBench(t)
	b.Fault(fault("facebook", "publish", "drop_after_accept"))
	b.ws.Work(b.ws.Now("without an answer", b.ws.Account("facebook")))
	b.Clock.Set(b.next())
	must(t, b.Store.HoldPublishingAndDeleteSessionsAndEmails(t.Context(), "a test", time.Time{}, nil))
	held, err := b.Store.PostsUnderPublishingHold(t.Context(), 10)
	must(t, err)
	if len(held) != 1 || !strings.HasPrefix(held[0].FateInWords(), "may already be published; Belfry will ask the network") {
		t.Errorf("on hold are %+v", held)
	}
}

// A mark that was written by another copy of the database means that this one may have missed something.
func TestAnotherCopyOfTheDatabaseHoldsPublishing(t *testing.T) {
	b := newBench(t)
	guard := b.App.GuardOrNil()
	b.ws.Work(b.ws.Now("before the move", b.ws.Account("threads")))
	must(t, guard.UpdateMarkOrHoldPublishingUnlessOnHold(t.Context()))
	mark, err := guard.Receipts.ReadMarkOrZero(t.Context())
	must(t, err)
	for name, change := range map[string]func(){
		"another system":   func() { mark.System += "0" },
		"another timeline": func() { mark.Timeline++ },
		"an older ledger":  func() { mark.StepID += 1000 },
	} {
		kept := mark
		change()
		must(t, guard.Receipts.WriteMark(t.Context(), mark))
		must(t, guard.UpdateMarkOrHoldPublishingUnlessOnHold(t.Context()))
		if _, err := b.Store.PublishingHold(t.Context()); err != nil {
			t.Errorf("%s: publishing is not held: %v", name, err)
		}
		_, err := guard.EndHoldUnlessUnproved(t.Context())
		must(t, err)
		mark = kept
	}
	if _, err := b.Store.PublishingHold(t.Context()); err == nil {
		t.Error("publishing is held after all was confirmed")
	}
	live := b.ws.Work(b.ws.Now("after the confirmation", b.ws.Account("threads")))
	if live.Status != "live" {
		t.Errorf("a post after the confirmation is %s", live.Status)
	}
}

// All sessions of the time of the backup end with the restore.
func TestAHoldEndsAllSessions(t *testing.T) {
	b := newBench(t)
	_, err := b.Pool.Exec(t.Context(), `INSERT INTO sessions (token, data, expiry) VALUES ('old', '', clock() + '1 day'::interval)`)
	must(t, err)
	must(t, b.Store.HoldPublishingAndDeleteSessionsAndEmails(t.Context(), "a test", time.Time{}, []store.RestoredReceipt{}))
	var left int
	must(t, b.Pool.QueryRow(t.Context(), `SELECT count(*) FROM sessions`).Scan(&left))
	if left != 0 {
		t.Errorf("%d sessions are left", left)
	}
}

// hookedStore runs functions before each object is stored and opened.
type hookedStore struct {
	blob.Store
	beforePut  func()
	beforeOpen func(key string) error
}

func (s *hookedStore) Open(ctx context.Context, key string) (blob.Object, error) {
	if s.beforeOpen != nil {
		if err := s.beforeOpen(key); err != nil {
			return nil, err
		}
	}
	return s.Store.Open(ctx, key)
}

func (s *hookedStore) Put(ctx context.Context, key string, r io.Reader, size int64) error {
	if s.beforePut != nil {
		s.beforePut()
	}
	return s.Store.Put(ctx, key, r, size)
}

// A worker keeps the mark while an operator confirms, and must not take the old mark for a second restore.
func TestAWorkerBesideTheConfirmationDoesNotHoldPublishingAgain(t *testing.T) {
	b := newBench(t)
	files, err := blob.OpenAndCheck(t.Context(), "file:"+t.TempDir())
	must(t, err)
	t.Cleanup(func() { must(t, files.Close()) })
	hooked := &hookedStore{Store: files}
	guard := *b.App.GuardOrNil()
	guard.Receipts = restore.NewReceipts(hooked, b.Clock.Now)
	b.ws.Work(b.ws.Now("before the restore", b.ws.Account("threads")))
	must(t, guard.Receipts.WriteMark(t.Context(), restore.Mark{System: "another", StepID: 1}))
	must(t, guard.UpdateMarkOrHoldPublishingUnlessOnHold(t.Context()))
	worker := guard
	worker.Receipts = restore.NewReceipts(files, b.Clock.Now)
	hooked.beforePut = func() { must(t, worker.UpdateMarkOrHoldPublishingUnlessOnHold(t.Context())) }
	_, err = guard.EndHoldUnlessUnproved(t.Context())
	must(t, err)
	if hold, err := b.Store.PublishingHold(t.Context()); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("after the confirmation publishing is on hold: %+v, %v", hold, err)
	}
}

// The start decides on a hold while the confirmation is about to commit, and waits for its lock.
func TestAStartBesideTheConfirmationDoesNotHoldPublishingAgain(t *testing.T) {
	b := newBench(t)
	files, err := blob.OpenAndCheck(t.Context(), "file:"+t.TempDir())
	must(t, err)
	t.Cleanup(func() { must(t, files.Close()) })
	hooked := &hookedStore{Store: files}
	guard := *b.App.GuardOrNil()
	guard.Receipts = restore.NewReceipts(hooked, b.Clock.Now)
	b.queueWithUnknownReceipt(guard)
	must(t, guard.HoldPublishingIfRewoundElseUpdateMark(t.Context()))
	starting := guard
	starting.Receipts = restore.NewReceipts(files, b.Clock.Now)
	started := make(chan error, 1)
	hooked.beforePut = func() {
		go func() { started <- starting.HoldPublishingIfRewoundElseUpdateMark(t.Context()) }()
		b.Eventually("the start waits for the confirmation", func() (waits bool) {
			must(t, b.Pool.QueryRow(t.Context(), `
				SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')`,
			).Scan(&waits))
			return waits
		})
	}
	_, err = guard.EndHoldUnlessUnproved(t.Context())
	must(t, err)
	must(t, <-started)
	if b.isPublishingHeld() {
		t.Error("after the confirmation publishing is on hold")
	}
}

// The second confirmation would make a worker ask again about a post that the first has released.
func TestOfTwoConfirmationsAtTheSameTimeOnlyOneHasAnEffect(t *testing.T) {
	b := newBench(t)
	files, err := blob.OpenAndCheck(t.Context(), "file:"+t.TempDir())
	must(t, err)
	t.Cleanup(func() { must(t, files.Close()) })
	post := b.ws.Now("confirmed twice", b.ws.Account("facebook"))
	id, err := core.ParseID[core.PostKind](post.ID)
	must(t, err)
	must(t, b.Store.HoldPublishingAndDeleteSessionsAndEmails(t.Context(), "a test", time.Time{}, []store.RestoredReceipt{
		{Workspace: b.ws.ID, Post: id, ArmedAt: b.Clock.Now()},
	}))
	hooked := &hookedStore{Store: files}
	second := *b.App.GuardOrNil()
	second.Receipts = restore.NewReceipts(hooked, b.Clock.Now)
	hooked.beforeOpen = func(string) error {
		hooked.beforeOpen = nil
		_, err := b.App.GuardOrNil().EndHoldUnlessUnproved(t.Context())
		must(t, err)
		post = b.ws.Work(post)
		return nil
	}
	if done, err := second.EndHoldUnlessUnproved(t.Context()); !errors.Is(err, restore.ErrNoHold) {
		t.Errorf("the second confirmation says %+v, %v", done, err)
	}
	if post.Status != "failed" || b.due() {
		t.Errorf("the post is %s, and due: %v", post.Status, b.due())
	}
}

var errUnreachable = errors.New("the storage does not answer")

// failToOpenReceipts is a hookedStore.beforeOpen that lets only the mark be read.
func failToOpenReceipts(key string) error {
	if strings.HasSuffix(key, "/mark") {
		return nil
	}
	return errUnreachable
}

// queueWithUnknownReceipt queues a post that, according to its receipt, is published. The mark is of another database.
func (b *bench) queueWithUnknownReceipt(guard restore.Guard) contract.Post {
	b.t.Helper()
	post := b.ws.Queued("sent early", b.ws.Account("threads"), b.Clock.Now().Add(48*time.Hour))
	must(b.t, guard.Receipts.Write(b.t.Context(), restore.Receipt{
		Workspace: b.ws.ID.String(), Post: post.ID, StepID: 1, ArmedAt: b.Clock.Now(), Live: true, ExternalID: "17841",
	}))
	must(b.t, guard.Receipts.WriteMark(b.t.Context(), restore.Mark{System: "another", Timeline: 1, StepID: 1}))
	return post
}

// A standby that lags behind took over. Reading the receipts takes minutes, in which workers would publish.
func TestARunningServiceHoldsPublishingBeforeItReadsReceipts(t *testing.T) {
	b := newBench(t)
	files, err := blob.OpenAndCheck(t.Context(), "file:"+t.TempDir())
	must(t, err)
	t.Cleanup(func() { must(t, files.Close()) })
	hooked := &hookedStore{Store: files}
	guard := *b.App.GuardOrNil()
	guard.Receipts = restore.NewReceipts(hooked, b.Clock.Now)
	post := b.queueWithUnknownReceipt(guard)
	hooked.beforeOpen = failToOpenReceipts
	if err := guard.UpdateMarkOrHoldPublishingUnlessOnHold(t.Context()); !errors.Is(err, errUnreachable) {
		t.Errorf("reading the receipts says %v", err)
	}
	if !b.isPublishingHeld() {
		t.Fatal("publishing is not on hold")
	}
	hooked.beforeOpen = nil
	must(t, guard.UpdateMarkOrHoldPublishingUnlessOnHold(t.Context()))
	done, err := guard.EndHoldUnlessUnproved(t.Context())
	must(t, err)
	if post = b.ws.Post(post); post.Status != "live" || done.Live != 1 {
		t.Errorf("the post is %s after %+v", post.Status, done)
	}
}

// Confirmed, a hold that lacks older receipts would let workers publish their posts again.
func TestAStartWhoseReadingFailedLeavesAHoldThatCannotEnd(t *testing.T) {
	b := newBench(t)
	files, err := blob.OpenAndCheck(t.Context(), "file:"+t.TempDir())
	must(t, err)
	t.Cleanup(func() { must(t, files.Close()) })
	hooked := &hookedStore{Store: files}
	guard := *b.App.GuardOrNil()
	guard.Receipts = restore.NewReceipts(hooked, b.Clock.Now)
	b.queueWithUnknownReceipt(guard)
	b.Clock.Advance(3 * time.Hour)
	must(t, b.App.RecordHeartbeat(t.Context(), "a worker"))
	hooked.beforeOpen = failToOpenReceipts
	if err := guard.HoldPublishingIfRewoundElseUpdateMark(t.Context()); !errors.Is(err, errUnreachable) {
		t.Errorf("reading the older receipts says %v", err)
	}
	hooked.beforeOpen = nil
	if done, err := guard.EndHoldUnlessUnproved(t.Context()); !errors.Is(err, restore.ErrReceiptsUnread) {
		t.Errorf("a confirmation before all receipts were read says %+v, %v", done, err)
	}
	must(t, guard.HoldPublishingIfRewoundElseUpdateMark(t.Context()))
	done, err := guard.EndHoldUnlessUnproved(t.Context())
	must(t, err)
	if done.Live != 1 {
		t.Errorf("confirmed: %+v", done)
	}
}

// An operator makes a backup while publishing is on hold, confirms, and later restores that backup.
func TestABackupMadeDuringAHoldDoesNotPublishAgain(t *testing.T) {
	b := newBench(t)
	guard := b.App.GuardOrNil()
	must(t, guard.HoldPublishingIfRewoundElseUpdateMark(t.Context()))
	post := b.ws.Now("sent after the first restore", b.ws.Account("threads"))
	must(t, b.Store.HoldPublishingAndDeleteSessionsAndEmails(t.Context(), "the first restore", time.Time{}, nil))
	b.exec(snapshot)
	_, err := guard.EndHoldUnlessUnproved(t.Context())
	must(t, err)
	if post = b.ws.Work(post); post.Status != "live" {
		t.Fatalf("after the first confirmation the post is %s", post.Status)
	}
	b.exec(rewind)
	_, err = b.Pool.Exec(t.Context(), `INSERT INTO publishing_hold (reason, since) VALUES ('the first restore', clock())`)
	must(t, err)

	must(t, guard.HoldPublishingIfRewoundElseUpdateMark(t.Context()))
	_, err = guard.EndHoldUnlessUnproved(t.Context())
	must(t, err)
	if post = b.after(time.Hour, post); post.Status != "live" || b.calls("publish") != 1 {
		t.Errorf("after the second confirmation the post is %s, after %d calls that publish", post.Status, b.calls("publish"))
	}
}

// Whatever a receipt says, a confirmation must come to its end.
func TestAReceiptWithTheIDOfAnotherPostDoesNotStopTheConfirmation(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	first := b.ws.Work(b.ws.Now("has the id", account))
	post := b.ws.Queued("is said to have it too", account, b.Clock.Now().Add(time.Hour))
	id, err := core.ParseID[core.PostKind](post.ID)
	must(t, err)
	must(t, b.Store.HoldPublishingAndDeleteSessionsAndEmails(t.Context(), "a test", time.Time{}, []store.RestoredReceipt{
		{Workspace: b.ws.ID, Post: id, ArmedAt: b.Clock.Now(), Live: true, ExternalID: *first.ExternalID},
	}))
	_, err = b.App.GuardOrNil().EndHoldUnlessUnproved(t.Context())
	must(t, err)
	if post = b.ws.Post(post); post.Status != "live" || post.ExternalID != nil {
		t.Errorf("the post is %s with the id %v, want it live without one", post.Status, post.ExternalID)
	}
}

// Whoever cancels a post while the hold is confirmed may make PostgreSQL break the confirmation off. It is tried again.
func TestAConfirmationThatADeadlockBrokeOffIsTriedAgain(t *testing.T) {
	b := newBench(t)
	post := b.ws.Queued("went out after the backup", b.ws.Account("threads"), b.Clock.Now().Add(time.Hour))
	id, err := core.ParseID[core.PostKind](post.ID)
	must(t, err)
	must(t, b.Store.HoldPublishingAndDeleteSessionsAndEmails(t.Context(), "a test", time.Time{}, []store.RestoredReceipt{
		{Workspace: b.ws.ID, Post: id, ArmedAt: b.Clock.Now(), Live: true, ExternalID: "1"},
	}))
	_, err = b.Pool.Exec(t.Context(), `
		CREATE SEQUENCE attempts;
		CREATE FUNCTION break_off() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF nextval('attempts') = 1 THEN RAISE EXCEPTION 'deadlock detected' USING ERRCODE = '40P01'; END IF;
			RETURN NEW;
		END $$;
		CREATE TRIGGER break_off BEFORE UPDATE ON posts FOR EACH ROW EXECUTE FUNCTION break_off()`)
	must(t, err)
	done, err := b.App.GuardOrNil().EndHoldUnlessUnproved(t.Context())
	must(t, err)
	if post = b.ws.Post(post); post.Status != "live" || done.Live != 1 {
		t.Errorf("the post is %s after %+v", post.Status, done)
	}
}

// A new database beside the receipts of another, such as of a trial, was put on hold when it started again.
// Somebody may send a draft of the backup again that went live after it.
func TestABackupFromBeforeTheFirstPublicationIsHeld(t *testing.T) {
	b := newBench(t)
	guard := b.App.GuardOrNil()
	must(t, guard.HoldPublishingIfRewoundElseUpdateMark(t.Context()))
	draft := b.ws.Draft("published after the backup", b.ws.Account("threads"))
	must(t, guard.Receipts.Write(t.Context(), restore.Receipt{
		Workspace: b.ws.ID.String(), Post: draft.ID, StepID: 1, ArmedAt: b.Clock.Now(), Live: true, ExternalID: "17841",
	}))
	must(t, guard.HoldPublishingIfRewoundElseUpdateMark(t.Context()))
	if _, err := b.Store.PublishingHold(t.Context()); err != nil {
		t.Errorf("publishing is not on hold: %v", err)
	}
}

// A backup was restored beside an empty file storage: nothing there tells what was published after it.
func TestADatabaseWithoutItsReceiptsIsHeld(t *testing.T) {
	b := newBench(t)
	must(t, b.App.GuardOrNil().HoldPublishingIfRewoundElseUpdateMark(t.Context()))
	b.ws.Work(b.ws.Now("published before the backup", b.ws.Account("threads")))
	files, err := blob.OpenAndCheck(t.Context(), "file:"+t.TempDir())
	must(t, err)
	t.Cleanup(func() { must(t, files.Close()) })
	guard := *b.App.GuardOrNil()
	guard.Receipts = restore.NewReceipts(files, b.Clock.Now)
	must(t, guard.HoldPublishingIfRewoundElseUpdateMark(t.Context()))
	if _, err := b.Store.PublishingHold(t.Context()); err != nil {
		t.Errorf("publishing is not on hold: %v", err)
	}
}

// A copy of a database that never published may have another identity.
func TestACopyIsNotHeldBeforeTheFirstPublication(t *testing.T) {
	b := newBench(t)
	b.ws.Draft("a draft", b.ws.Account("threads"))
	guard := b.App.GuardOrNil()
	must(t, guard.Receipts.WriteMark(t.Context(), restore.Mark{System: "another", Timeline: 1}))
	must(t, guard.HoldPublishingIfRewoundElseUpdateMark(t.Context()))
	if hold, err := b.Store.PublishingHold(t.Context()); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("publishing is on hold: %+v, %v", hold, err)
	}
}

func TestANewDatabaseBesideOldReceiptsIsNotHeld(t *testing.T) {
	b := newBench(t)
	guard := b.App.GuardOrNil()
	must(t, guard.Receipts.Write(t.Context(), restore.Receipt{
		Workspace: b.ws.ID.String(), Post: core.NewID[core.PostKind]().String(), StepID: 1000, ArmedAt: b.Clock.Now(),
	}))
	must(t, guard.Receipts.WriteMark(t.Context(), restore.Mark{System: "another", Timeline: 1, StepID: 1000}))
	must(t, guard.HoldPublishingIfRewoundElseUpdateMark(t.Context()))
	must(t, b.App.RecordHeartbeat(t.Context(), "a worker"))
	b.wants(b.ws.Work(b.ws.Now("the first", b.ws.Account("threads"))), "live", 1, "created", "queued", "publishing", "live")
	must(t, guard.HoldPublishingIfRewoundElseUpdateMark(t.Context()))
	if hold, err := b.Store.PublishingHold(t.Context()); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("publishing is on hold: %+v, %v", hold, err)
	}
}

// restored is a workspace whose database and file storage were restored from a backup on another server.
type restored struct {
	*bench
	guard    restore.Guard
	sent     contract.Post // published after the backup, as was onItsWay, which was due before it
	onItsWay contract.Post
	later    contract.Post // due after the restore
}

// restoreElsewhere publishes posts after a backup. The copy of the storage has what write adds.
func restoreElsewhere(t *testing.T, write func(restored, *restore.Receipts, restore.Mark)) restored {
	t.Helper()
	b := newBench(t)
	r := restored{bench: b, guard: *b.App.GuardOrNil()}
	must(t, r.guard.HoldPublishingIfRewoundElseUpdateMark(t.Context()))
	account := b.ws.Account("threads")
	b.ws.Work(b.ws.Now("before the backup", account))
	must(t, r.guard.UpdateMarkOrHoldPublishingUnlessOnHold(t.Context()))
	mark, err := r.guard.Receipts.ReadMarkOrZero(t.Context())
	must(t, err)
	r.onItsWay = b.ws.Now("on its way", account)
	b.Clock.Advance(time.Second)
	must(t, b.App.RecordHeartbeat(t.Context(), "a worker"))
	r.sent = b.ws.Queued("sent", account, b.Clock.Now().Add(time.Hour))
	r.later = b.ws.Queued("later", account, b.Clock.Now().Add(48*time.Hour))
	b.exec(snapshot)
	b.Clock.Advance(24 * time.Hour)
	for _, p := range []contract.Post{r.sent, r.onItsWay} {
		if p = b.ws.Work(p); p.Status != "live" {
			t.Fatalf("before the restore %q is %s", p.Text, p.Status)
		}
	}
	b.exec(rewind)
	must(t, b.Store.AdvanceStepIDsBeyond(t.Context(), mark.StepID))

	files, err := blob.OpenAndCheck(t.Context(), "file:"+t.TempDir())
	must(t, err)
	t.Cleanup(func() { must(t, files.Close()) })
	r.guard.Receipts = restore.NewReceipts(files, b.Clock.Now)
	mark.System = "another"
	write(r, r.guard.Receipts, mark)
	must(t, r.guard.HoldPublishingIfRewoundElseUpdateMark(t.Context()))
	return r
}

func writeMark(r restored, copied *restore.Receipts, mark restore.Mark) {
	must(r.t, copied.WriteMark(r.t.Context(), mark))
}

// unproved lists the texts of the posts that may be published without a receipt.
func (r restored) unproved() (texts []string) {
	r.t.Helper()
	posts, err := r.Store.UnprovedPosts(r.t.Context())
	must(r.t, err)
	for _, p := range posts {
		texts = append(texts, p.Text)
	}
	return texts
}

// A storage that is as old as the backup has no receipt of what was published after it.
func TestPostsThatMayBePublishedWithoutAReceiptAreNotPublishedAgain(t *testing.T) {
	for name, write := range map[string]func(restored, *restore.Receipts, restore.Mark){
		"a storage as old as the backup": writeMark,
		"an empty storage":               func(restored, *restore.Receipts, restore.Mark) {},
	} {
		t.Run(name, func(t *testing.T) {
			r := restoreElsewhere(t, write)
			_, err := r.Pool.Exec(t.Context(), `
				UPDATE publications SET prepare_at = clock() - '1 hour'::interval WHERE due_at > clock()`) // prepared ahead
			must(t, err)
			if got := r.unproved(); !slices.Equal(got, []string{"on its way", "sent"}) {
				t.Errorf("unproved are %v", got)
			}
			held, err := r.Store.PostsUnderPublishingHold(t.Context(), 10)
			must(t, err)
			if len(held) != 2 {
				t.Errorf("before the third post is due, on hold are %+v", held)
			}
			r.Clock.Advance(48 * time.Hour)
			held, err = r.Store.PostsUnderPublishingHold(t.Context(), 10)
			must(t, err)
			if len(held) != 3 || !held[0].Unproved || held[2].Unproved || held[2].Text != "later" {
				t.Errorf("on hold are %+v", held)
			}
			_, err = r.guard.EndHoldUnlessUnproved(t.Context())
			if e, ok := errors.AsType[*restore.UnprovedError](err); !ok || len(e.Posts) != 2 {
				t.Fatalf("the confirmation says %v", err)
			}
			if r.later = r.ws.Work(r.later); r.later.Status != "queued" {
				t.Errorf("a refused confirmation ended the hold")
			}
			_, err = r.App.CancelUnprovedPosts(t.Context())
			must(t, err)
			_, err = r.guard.EndHoldUnlessUnproved(t.Context())
			must(t, err)
			r.sent, r.onItsWay, r.later = r.ws.Work(r.sent), r.ws.Work(r.onItsWay), r.ws.Work(r.later)
			if r.sent.Status != "draft" || r.onItsWay.Status != "draft" || r.later.Status != "live" {
				t.Errorf("after the confirmation the posts are %s, %s and %s", r.sent.Status, r.onItsWay.Status, r.later.Status)
			}
			if r.Visible("sent") != 1 || r.Visible("on its way") != 1 {
				t.Errorf("the posts are visible %d and %d times", r.Visible("sent"), r.Visible("on its way"))
			}
			who, err := r.App.Whoami(t.Context(), r.ws.Owner)
			must(t, err)
			if used := who.Usage.Posts.Used; used != 2 {
				t.Errorf("%d slots are used, want those of the two live posts", used)
			}
		})
	}
}

// The files are backed up after the database, so that their copy may have a few receipts more.
func TestAStorageCopiedAfterTheDatabaseProvesOnlyWhatItKnows(t *testing.T) {
	r := restoreElsewhere(t, func(r restored, copied *restore.Receipts, mark restore.Mark) {
		must(t, copied.Write(t.Context(), restore.Receipt{
			Workspace: r.ws.ID.String(), Post: r.onItsWay.ID, StepID: mark.StepID + 1,
			ArmedAt: r.Clock.Now().Add(-24 * time.Hour),
			Live:    true, ExternalID: "17841",
		}))
		writeMark(r, copied, mark)
	})
	if got := r.unproved(); !slices.Equal(got, []string{"sent"}) {
		t.Errorf("unproved are %v", got)
	}
	_, err := r.guard.EndHoldAndPublishUnproved(t.Context())
	must(t, err)
	r.sent, r.onItsWay = r.ws.Work(r.sent), r.ws.Work(r.onItsWay)
	if r.Visible("sent") != 2 || r.Visible("on its way") != 1 || r.onItsWay.Status != "live" {
		t.Errorf("the operator wants one post again: visible are %d, and %d of the other, which is %s",
			r.Visible("sent"), r.Visible("on its way"), r.onItsWay.Status)
	}
}

// Only a copy of the storage may lack receipts: the one that the same database used last has all of them.
func TestBesideItsOwnStorageADuePostIsNotUnproved(t *testing.T) {
	r := restoreElsewhere(t, func(r restored, own *restore.Receipts, mark restore.Mark) {
		db, err := r.Store.ReadLineage(r.t.Context())
		must(r.t, err)
		mark.System, mark.StepID = db.System, mark.StepID+1000
		writeMark(r, own, mark)
	})
	held, err := r.Store.PostsUnderPublishingHold(t.Context(), 10)
	must(t, err)
	if len(held) != 2 || r.unproved() != nil {
		t.Errorf("on hold are %+v", held)
	}
}

// A backup that was made during a hold has that hold, which says nothing of what was published after its end.
func TestAHoldThatCameWithTheBackupBeginsAnew(t *testing.T) {
	r := restoreElsewhere(t, func(r restored, copied *restore.Receipts, mark restore.Mark) {
		writeMark(r, copied, mark)
		_, err := r.Pool.Exec(r.t.Context(), `
			INSERT INTO publishing_hold (reason, since, system) VALUES ('the first restore', clock() - '1 day'::interval, 'another/1');
			INSERT INTO sessions (token, data, expiry) VALUES ('old', '', clock() + '1 day'::interval)`)
		must(r.t, err)
	})
	if got := r.unproved(); len(got) != 2 {
		t.Errorf("unproved are %v", got)
	}
	count := func() (sessions int) {
		must(t, r.Pool.QueryRow(t.Context(), `SELECT count(*) FROM sessions`).Scan(&sessions))
		return sessions
	}
	if n := count(); n != 0 {
		t.Errorf("%d sessions of the time of the backup are left", n)
	}
	_, err := r.Pool.Exec(t.Context(), `INSERT INTO sessions (token, data, expiry) VALUES ('new', '', clock() + '1 day'::interval)`)
	must(t, err)
	must(t, r.guard.HoldPublishingIfRewoundElseUpdateMark(t.Context()))
	if n := count(); n != 1 {
		t.Errorf("after another start during the hold %d sessions are left, want 1", n)
	}
}

func TestTheLogNamesLinksOfPostsThatHaveOne(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	var receipts []store.RestoredReceipt
	for _, url := range []string{"", "https://www.threads.net/@one/post/1"} {
		post := b.ws.Queued("on hold", account, b.Clock.Now().Add(time.Hour))
		id, err := core.ParseID[core.PostKind](post.ID)
		must(t, err)
		receipts = append(receipts, store.RestoredReceipt{
			Workspace: b.ws.ID, Post: id, ArmedAt: b.Clock.Now(), Live: true, ExternalURL: url,
		})
	}
	must(t, b.Store.HoldPublishingAndDeleteSessionsAndEmails(t.Context(), "a test", time.Time{}, receipts))
	var lines bytes.Buffer
	guard := *b.App.GuardOrNil()
	guard.Log = slog.New(slog.NewTextHandler(&lines, nil))
	must(t, guard.LogHoldIfAny(t.Context()))
	log := lines.String()
	if strings.Count(log, "post affected by the hold") != 2 || strings.Count(log, "link=") != 1 || strings.Contains(log, `link=""`) {
		t.Errorf("the log says %s", log)
	}
}

// A post that waited for its turn in the backup went on waiting once it was marked as live: every poll of every replica
// woke the workers and wrote to the database, for ever.
func TestAPostThatAReceiptMarksAsLiveDoesNotWaitForItsTurn(t *testing.T) {
	b := newBench(t)
	guard := b.App.GuardOrNil()
	must(t, guard.HoldPublishingIfRewoundElseUpdateMark(t.Context()))
	account := b.ws.Account("threads")
	one, two := b.ws.Now("one", account), b.ws.Now("two", account)
	app := b.App
	b.App = b.through(func(n network.Network) network.Network {
		return meanwhile{Network: n, publishing: func() {
			id, err := core.ParseID[core.PostKind](two.ID)
			must(t, err)
			must(t, app.Engine().PublishOrPrepare(b.Context(), "another worker", b.ws.ID, id))
			b.exec(snapshot)
		}}
	})
	b.ws.Work(one)
	b.App = app
	if two = b.ws.Work(two); two.Status != "live" {
		t.Fatalf("two is %s", two.StatusLine)
	}
	b.restoreSnapshot()
	_, err := guard.EndHoldUnlessUnproved(t.Context())
	must(t, err)
	b.ws.Work(one)
	must(t, b.Store.WakeNextPostsAwaitingTurn(t.Context()))
	work, err := b.Store.TimeUntilWork(t.Context(), time.Hour, true)
	must(t, err)
	if work.TurnEnded {
		t.Errorf("%s still waits for its turn", b.ws.Post(two).StatusLine)
	}
}

// The steps that follow once a post is live were jobs of the lost database.
func TestAPostThatAReceiptMarksAsLiveGetsItsFinalSteps(t *testing.T) {
	b := newBench(t)
	var fails error
	var calls []string
	b.App = b.through(func(n network.Network) network.Network { return finishing{n, &fails, &calls} })
	guard := b.App.GuardOrNil()
	must(t, guard.HoldPublishingIfRewoundElseUpdateMark(t.Context()))
	post := b.post(request("tied", now(), b.ws.Account("facebook")), b.photo())
	b.exec(snapshot)
	b.goesLive(post)
	if n := b.Jobs("finish"); n != 2 {
		t.Fatalf("%d jobs before the restore", n)
	}
	_, err := b.Pool.Exec(t.Context(), `DELETE FROM river_job WHERE kind = 'finish'`) // they are newer than the backup
	must(t, err)
	b.restoreSnapshot()
	done, err := guard.EndHoldUnlessUnproved(t.Context())
	must(t, err)
	if post = b.ws.Post(post); done.Live != 1 || post.Status != "live" || b.Jobs("finish") != 2 {
		t.Errorf("confirmed %+v: the post is %s and has %d final steps left, want 2", done, post.StatusLine, b.Jobs("finish"))
	}
}
