package restore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"belfry/internal/core"
	"belfry/internal/store"
)

const (
	// receiptsKept is how long receipts are kept. A restore of an older backup is not protected.
	receiptsKept = 90 * 24 * time.Hour
	// readBack is how long a post may have been in progress when the database last showed activity.
	readBack = time.Hour
	// listed is how many of the affected posts the log lists.
	listed = 20
)

// Guard detects a database that was rewound: restored from a backup, or failed over to a copy that lags behind. All
// fields are required.
type Guard struct {
	Store    *store.Store
	Receipts *Receipts
	Log      *slog.Logger
	Now      func() time.Time
	// StopOvertakenPost turns a queued post, which the caller has locked, into a draft, or cancels the pending retry of a
	// failed post. It writes the audit log.
	StopOvertakenPost func(context.Context, store.Tenant, core.PostID) error
	// EnqueueFollowUps enqueues what follows once a post is live; see publish.Engine.
	EnqueueFollowUps func(context.Context, store.Tenant, core.PostID) error
}

// HoldPublishingIfRewoundElseUpdateMark compares the receipts and the mark with the database. If they are ahead of it,
// it holds publishing, ends all sessions and deletes unsent emails. Otherwise, it updates the mark. During a hold, it
// returns only after all receipts have been read. It must be called at the start, before any worker reports or
// publishes.
func (g *Guard) HoldPublishingIfRewoundElseUpdateMark(ctx context.Context) error {
	before, err := g.Store.ReadLineage(ctx)
	if err != nil {
		return fmt.Errorf("read the database's identity and timeline: %w", err)
	}
	found, err := g.compareReceiptsWithLedger(ctx, before.SeenAt.Add(-readBack))
	if err != nil {
		return err
	}
	reason, err := g.updateMarkOrGetHoldReason(ctx, found)
	if err != nil {
		return err
	}
	if reason != "" {
		err := g.startHoldBeforeAllReceiptsAreRead(ctx, reason, before, found)
		if errors.Is(err, errHoldEnded) {
			return g.HoldPublishingIfRewoundElseUpdateMark(ctx)
		}
		if err != nil {
			return err
		}
	}
	switch hold, err := g.Store.PublishingHold(ctx); {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err != nil:
		return err
	default:
		return g.addReceiptsToHoldUnlessRead(ctx, hold)
	}
}

// addReceiptsToHoldUnlessRead adds all unknown receipts to the hold, and lets an operator end it. A worker may have
// reported to the rewound database, so even old receipts may be unknown.
func (g *Guard) addReceiptsToHoldUnlessRead(ctx context.Context, hold store.PublishingHold) error {
	if hold.ReceiptsRead {
		return nil
	}
	found, err := g.compareReceiptsWithLedger(ctx, time.Time{})
	if err != nil {
		return err
	}
	if err := g.Store.AddReceiptsAndLetHoldEnd(ctx, chooseReceiptPerPost(found.unknown)); err != nil {
		return fmt.Errorf("add receipts to the publishing hold: %w", err)
	}
	return nil
}

// storedReceipts is what the receipts in the file storage say.
type storedReceipts struct {
	newestStepID int64
	lastAt       time.Time               // the latest ArmedAt
	unknown      []store.RestoredReceipt // those that the ledger lacks, oldest first
}

// receiptsPerQuery is how many receipts are compared with the ledger at once.
const receiptsPerQuery = 1000

// compareReceiptsWithLedger reads the receipts that were written since a time, and finds those that the ledger lacks.
func (g *Guard) compareReceiptsWithLedger(ctx context.Context, since time.Time) (found storedReceipts, err error) {
	var batch []store.RestoredReceipt
	compare := func() error {
		unknown, err := g.Store.FindUnknownReceipts(ctx, batch)
		if err != nil {
			return fmt.Errorf("compare receipts with the ledger: %w", err)
		}
		found.unknown, batch = append(found.unknown, unknown...), batch[:0]
		return nil
	}
	err = g.Receipts.EachSince(ctx, since, func(r Receipt) error {
		parsed, err := parseReceipt(r)
		if err != nil {
			return err
		}
		batch, found.newestStepID = append(batch, parsed), max(found.newestStepID, r.StepID)
		if r.ArmedAt.After(found.lastAt) {
			found.lastAt = r.ArmedAt
		}
		if len(batch) < receiptsPerQuery {
			return nil
		}
		return compare()
	})
	if err == nil {
		err = compare()
	}
	return found, err
}

func parseReceipt(r Receipt) (store.RestoredReceipt, error) {
	post, err := core.ParseID[core.PostKind](r.Post)
	workspace, errWorkspace := core.ParseID[core.WorkspaceKind](r.Workspace)
	var copyOf core.PostID
	var errCopyOf error
	if r.CopyOf != "" {
		copyOf, errCopyOf = core.ParseID[core.PostKind](r.CopyOf)
	}
	if err = errors.Join(err, errWorkspace, errCopyOf); err != nil {
		return store.RestoredReceipt{}, fmt.Errorf("read the receipt of post %q: %w", r.Post, err)
	}
	return store.RestoredReceipt{
		Workspace: workspace, Post: post, CopyOf: copyOf, StepID: r.StepID, Handle: r.Handle, ArmedAt: r.ArmedAt,
		Live: r.Live, ExternalID: r.ExternalID, ExternalURL: r.ExternalURL,
	}, nil
}

// findUnprovedSince returns the time since which due posts may have been published without a receipt in this storage.
// It returns the zero time if the mark is of this database. If the mark is of a different database, the storage may
// also be a copy, which ends with its last record. Posts that were due shortly before that record may still have been
// in progress.
func (g *Guard) findUnprovedSince(ctx context.Context, lineage store.Lineage, lastReceiptAt time.Time,
) (sinceOrZero time.Time, err error) {
	mark, err := g.Receipts.ReadMarkOrZero(ctx)
	if err != nil || mark.System == lineage.System && mark.Timeline == lineage.Timeline {
		return time.Time{}, err
	}
	last := slices.MaxFunc([]time.Time{lineage.SeenAt, mark.At, lastReceiptAt}, time.Time.Compare)
	return last.Add(-readBack), nil
}

// UpdateMarkOrHoldPublishingUnlessOnHold updates the mark with how far the database has progressed. If the mark is
// ahead of the database, it instead holds publishing, as HoldPublishingIfRewoundElseUpdateMark does. During a hold, it
// only reads the receipts, unless all have been read: the end of the hold updates the mark.
func (g *Guard) UpdateMarkOrHoldPublishingUnlessOnHold(ctx context.Context) error {
	switch hold, err := g.Store.PublishingHold(ctx); {
	case err == nil:
		return g.addReceiptsToHoldUnlessRead(ctx, hold)
	case !errors.Is(err, store.ErrNotFound):
		return err
	}
	before, err := g.Store.ReadLineage(ctx)
	if err != nil {
		return fmt.Errorf("read the database's identity and timeline: %w", err)
	}
	reason, err := g.updateMarkOrGetHoldReason(ctx, storedReceipts{})
	if err != nil || reason == "" {
		return err
	}
	err = g.startHoldBeforeAllReceiptsAreRead(ctx, reason, before, storedReceipts{})
	if err != nil && !errors.Is(err, errHoldEnded) {
		return err
	}
	return g.HoldPublishingIfRewoundElseUpdateMark(ctx)
}

// updateMarkOrGetHoldReason returns the reason why publishing must be held. If there is none, it updates the mark and
// returns "". found is zero if the receipts were not read.
func (g *Guard) updateMarkOrGetHoldReason(
	ctx context.Context, found storedReceipts,
) (holdReasonOrEmpty string, err error) {
	mark, err := g.Receipts.ReadMarkOrZero(ctx)
	if err != nil {
		return "", err
	}
	// The lineage is read last, because a step is committed before its receipt and the mark are written.
	now, err := g.Store.ReadLineageAndMakeDurable(ctx)
	if err != nil {
		return "", fmt.Errorf("read the database's identity and timeline: %w", err)
	}
	switch newestStoredStepID := max(found.newestStepID, mark.StepID); {
	case now.Empty && newestStoredStepID > now.StepID:
		if now, err = g.advanceStepIDsOfEmptyDatabase(ctx, newestStoredStepID); err != nil {
			return "", err
		}
	case now.Empty || newestStoredStepID == 0 && now.StepID == 0: // nothing was ever published
	case mark == (Mark{}):
		holdReasonOrEmpty = "the file storage has no record of what Belfry published from this database"
	case mark.System != now.System:
		holdReasonOrEmpty = "Belfry last published posts from another database"
	case mark.Timeline != now.Timeline:
		holdReasonOrEmpty = "the database failed over or was restored to an earlier time"
	case newestStoredStepID > now.StepID:
		holdReasonOrEmpty = "the database is older than the last published post"
	case len(found.unknown) > 0:
		holdReasonOrEmpty = "the database has no record of a call that published, or may have published, a post"
	}
	next := Mark{System: now.System, Timeline: now.Timeline, StepID: now.StepID}
	if holdReasonOrEmpty != "" || mark.equalsIgnoringTime(next) {
		return holdReasonOrEmpty, nil
	}
	next.At = g.Now().UTC()
	return "", g.Receipts.WriteMark(ctx, next)
}

// advanceStepIDsOfEmptyDatabase lets a database without posts publish, although the storage has receipts of
// another database: an empty database has nothing that it could publish again. Its step ids continue above those of
// the receipts, because smaller ones would later cause a hold. It logs a warning.
func (g *Guard) advanceStepIDsOfEmptyDatabase(
	ctx context.Context, newestStoredStepID int64,
) (store.Lineage, error) {
	g.Log.WarnContext(ctx, "the file storage has receipts, but this database has no posts and is therefore treated as new; "+
		"to restore a backup instead, stop the service and restore the backup now")
	if err := g.Store.AdvanceStepIDsBeyond(ctx, newestStoredStepID); err != nil {
		return store.Lineage{}, fmt.Errorf("raise the step IDs above those of the receipts: %w", err)
	}
	return g.Store.ReadLineageAndMakeDurable(ctx)
}

// equalsIgnoringTime reports whether two marks are equal except for their times.
func (m Mark) equalsIgnoringTime(other Mark) bool {
	m.At, other.At = time.Time{}, time.Time{}
	return m == other
}

// chooseReceiptPerPost returns one of the receipts of each post: that of its success, or else the last.
func chooseReceiptPerPost(receipts []store.RestoredReceipt) []store.RestoredReceipt {
	chosen := map[core.PostID]store.RestoredReceipt{}
	for _, r := range receipts {
		if r.Live || !chosen[r.Post].Live {
			chosen[r.Post] = r
		}
	}
	return slices.Collect(maps.Values(chosen))
}

// errHoldEnded means that a hold has ended since the decision to hold publishing.
var errHoldEnded = errors.New("an operator has just ended a hold")

// startHoldBeforeAllReceiptsAreRead holds publishing with the unknown receipts that have been found so far. Reading the
// others takes minutes, in which workers would publish. Nobody can end the hold before addReceiptsToHoldUnlessRead
// has read them. The error is errHoldEnded if another hold has ended since before was read.
func (g *Guard) startHoldBeforeAllReceiptsAreRead(ctx context.Context, reason string, before store.Lineage,
	found storedReceipts,
) error {
	unprovedSince, err := g.findUnprovedSince(ctx, before, found.lastAt)
	if err != nil {
		return err
	}
	receipts := chooseReceiptPerPost(found.unknown)
	err = g.Store.Tx(ctx, func(s *store.Store) error {
		if err := s.HoldPublishingAndDeleteSessionsAndEmails(ctx, reason, unprovedSince, receipts); err != nil {
			return err
		}
		// The statement may have waited for the end of another hold, which settled the receipts.
		now, err := s.ReadLineage(ctx)
		if err != nil {
			return err
		}
		if now.SettledBy != before.SettledBy {
			return errHoldEnded
		}
		return s.KeepHoldUntilReceiptsAreAdded(ctx)
	})
	if err != nil {
		return fmt.Errorf("hold publishing: %w", err)
	}
	return nil
}

// LogHoldIfAny logs that publishing is on hold, with the affected posts. It logs nothing if publishing is not on hold.
func (g *Guard) LogHoldIfAny(ctx context.Context) error {
	hold, err := g.Store.PublishingHold(ctx)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the publishing hold: %w", err)
	}
	posts, err := g.Store.PostsUnderPublishingHold(ctx, listed)
	if err != nil {
		return fmt.Errorf("list the posts that the hold affects: %w", err)
	}
	g.Log.Warn("publishing is on hold; check the posts, and then run `belfry restore confirm`", "reason", hold.Reason, "since",
		hold.Since)
	for _, p := range posts {
		log := g.Log.With("workspace", p.Slug, "post", p.Post, "network", p.Platform, "account", p.AccountName)
		if p.ExternalURL != "" {
			log = log.With("link", p.ExternalURL)
		}
		log.Warn("post affected by the hold", "what_happens", p.FateInWords())
	}
	return nil
}

// ErrNoHold means that publishing is not on hold.
var ErrNoHold = errors.New("publishing is not on hold")

// ErrReceiptsUnread means that publishing stays on hold because not all receipts have been read.
var ErrReceiptsUnread = errors.New("the service has not yet read all receipts in the file storage; try again in a few minutes")

// UnprovedError means that publishing stays on hold because these posts may already be published.
type UnprovedError struct{ Posts []store.HeldPost }

func (e *UnprovedError) Error() string {
	return fmt.Sprintf("posts that may already be published: %d", len(e.Posts))
}

// EndHoldUnlessUnproved ends the hold as EndHoldAndPublishUnproved does, but only if there are no unproved posts. If
// there are, publishing stays on hold, and the error is an UnprovedError.
func (g *Guard) EndHoldUnlessUnproved(ctx context.Context) (HoldResult, error) {
	switch posts, err := g.Store.UnprovedPosts(ctx); {
	case err != nil:
		return HoldResult{}, fmt.Errorf("list the unproved posts: %w", err)
	case len(posts) > 0:
		return HoldResult{}, &UnprovedError{posts}
	}
	return g.EndHoldAndPublishUnproved(ctx)
}

// EndHoldAndPublishUnproved ends the hold. Posts become live if a receipt says that they were published. Overtaken
// posts are stopped. Workers ask the network about posts that may have been published according to their receipts, and
// publish all others, even unproved ones. The error is ErrNoHold if publishing is not on hold, and ErrReceiptsUnread if
// not all receipts have been read.
func (g *Guard) EndHoldAndPublishUnproved(ctx context.Context) (HoldResult, error) {
	newest, err := g.findNewestStepIDInMarkAndReceipts(ctx)
	if err != nil {
		return HoldResult{}, err
	}
	for attempt := 1; ; attempt++ {
		done, err := g.applyReceiptsAndEndHold(ctx, newest)
		switch {
		case err == nil:
			return done, nil
		case !store.IsDeadlock(err) || attempt == confirmAttempts:
			return done, fmt.Errorf("end the publishing hold: %w", err)
		}
	}
}

// confirmAttempts is how many times ending the hold is tried if PostgreSQL reports deadlocks with people who change
// posts.
const confirmAttempts = 10

// applyReceiptsAndEndHold ends the hold in one transaction. It marks the posts of live receipts as live, makes workers
// ask the network about the posts of the others, and stops the overtaken posts. The outcome of failed posts with lost
// copies becomes unknown. New step ids are greater than newestStoredStepID. The error is ErrNoHold if publishing is not
// on hold, and ErrReceiptsUnread if not all receipts have been read.
func (g *Guard) applyReceiptsAndEndHold(ctx context.Context, newestStoredStepID int64) (done HoldResult, err error) {
	err = g.Store.Tx(ctx, func(s *store.Store) error {
		hold, receipts, err := s.LockHoldAndListReceipts(ctx)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return ErrNoHold
		case err != nil:
			return err
		case !hold.ReceiptsRead:
			return ErrReceiptsUnread
		}
		if done.Stopped, err = g.stopOvertakenPosts(ctx, s); err != nil {
			return err
		}
		for _, r := range receipts {
			if !r.Live {
				rearmed, err := s.In(r.Workspace).RearmPublication(ctx, r, g.Now())
				if err != nil {
					return err
				}
				if rearmed {
					done.LookedFor++
				}
				continue
			}
			done.Live++
			if err := g.markLiveAndEnqueueFollowUps(ctx, s.In(r.Workspace), r); err != nil {
				return err
			}
		}
		if err := s.DoubtFailedPostsWithLostCopies(ctx, g.Now()); err != nil {
			return err
		}
		if err := s.EndPublishingHold(ctx, newestStoredStepID); err != nil {
			return err
		}
		if err := s.AddAuditEntry(ctx, core.AuditEntry{Action: core.AuditRestoreConfirmed, After: done}); err != nil {
			return err
		}
		// The mark is written before the commit, so that UpdateMarkOrHoldPublishingUnlessOnHold reads the new one once the
		// hold is gone.
		now, err := s.ReadLineageAndMakeDurable(ctx)
		if err != nil {
			return err
		}
		return g.Receipts.WriteMark(ctx, Mark{now.System, now.Timeline, now.StepID, g.Now().UTC()})
	})
	return done, err
}

// stopOvertakenPosts stops the posts that would publish a second one of a failed post and its copies (ADR 0049).
func (g *Guard) stopOvertakenPosts(ctx context.Context, s *store.Store) (stopped int, err error) {
	overtaken, err := s.LockOvertakenPosts(ctx)
	if err != nil {
		return 0, err
	}
	for _, p := range overtaken {
		if err := g.StopOvertakenPost(ctx, s.In(p.Workspace), p.Post); err != nil {
			return 0, err
		}
	}
	return len(overtaken), nil
}

// markLiveAndEnqueueFollowUps marks a post as live, and enqueues what follows: the jobs of the lost database are lost
// too.
func (g *Guard) markLiveAndEnqueueFollowUps(ctx context.Context, t store.Tenant, r store.RestoredReceipt) error {
	now := g.Now()
	if err := t.MarkLiveFromReceiptUnlessLive(ctx, r, now); err != nil {
		return err
	}
	if err := t.SetPublishedAtOfPostMedia(ctx, r.Post, now); err != nil {
		return err
	}
	return g.EnqueueFollowUps(ctx, t, r.Post)
}

// HoldResult counts what the end of a hold did to posts.
type HoldResult struct {
	Live      int `json:"live"`
	LookedFor int `json:"lookedFor"`
	Stopped   int `json:"stopped"` // because another copy was, or may have been, published
}

// findNewestStepIDInMarkAndReceipts returns the greatest step id in the mark and all receipts. It does not read the
// ledger.
func (g *Guard) findNewestStepIDInMarkAndReceipts(ctx context.Context) (newestOrZero int64, err error) {
	mark, err := g.Receipts.ReadMarkOrZero(ctx)
	if err != nil {
		return 0, err
	}
	newest := mark.StepID
	err = g.Receipts.EachSince(ctx, time.Time{}, func(r Receipt) error {
		newest = max(newest, r.StepID)
		return nil
	})
	return newest, err
}

// DeleteOldReceipts deletes receipts that are older than receiptsKept.
func (g *Guard) DeleteOldReceipts(ctx context.Context) error {
	return g.Receipts.DeleteBefore(ctx, g.Now().Add(-receiptsKept))
}
