package restore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"belfry/internal/core"
	"belfry/internal/queue"
	"belfry/internal/store"
)

const (
	// receiptsKept is how long receipts are kept: a backup that is older restores without their help.
	receiptsKept = 90 * 24 * time.Hour
	// readBack is how long a post may have been on its way at the last sign of life.
	readBack = time.Hour
	// listed is how many of the posts concerned the log names.
	listed = 20
)

// Guard watches for a database that was rewound: restored from a backup, or failed over to a copy that had not caught
// up. Every field is required.
type Guard struct {
	Store    *store.Store
	Receipts *Receipts
	Log      *slog.Logger
	Now      func() time.Time
}

// HoldIfRewound holds publishing when the receipts or the mark are ahead of the database. It must be called before any
// worker reports or publishes.
func (g *Guard) HoldIfRewound(ctx context.Context) error {
	before, err := g.Store.ReadLineage(ctx)
	if err != nil {
		return fmt.Errorf("read the database's lineage: %w", err)
	}
	var receipts []Receipt
	newest := int64(0)
	err = g.Receipts.EachSince(ctx, before.SeenAt.Add(-readBack), func(r Receipt) error {
		receipts = append(receipts, r)
		newest = max(newest, r.Step)
		return nil
	})
	if err != nil {
		return err
	}
	reason, err := g.checkAndUpdateMark(ctx, newest)
	if err != nil || reason == "" {
		return err
	}
	unproved, err := g.findUnprovedSince(ctx, before, receipts)
	if err != nil {
		return err
	}
	return g.holdPublishing(ctx, reason, unproved, selectForgotten(receipts, before.Step))
}

// findUnprovedSince returns since when a post that was due may have been published without a receipt in this storage,
// zero for never. Beside another copy of the database the storage may be a copy too, which ends with its last record.
// Posts that were due shortly before may still have been on their way.
func (g *Guard) findUnprovedSince(ctx context.Context, db store.Lineage, receipts []Receipt) (time.Time, error) {
	mark, err := g.Receipts.ReadMark(ctx)
	if err != nil || mark.System == db.System && mark.Timeline == db.Timeline {
		return time.Time{}, err
	}
	last := db.SeenAt
	for _, r := range append(receipts, Receipt{ArmedAt: mark.At}) {
		if r.ArmedAt.After(last) {
			last = r.ArmedAt
		}
	}
	return last.Add(-readBack), nil
}

// UpdateMarkOrHold writes how far the database has come, or holds publishing when the mark is ahead of it. It does
// nothing during a hold: Confirm, which ends the hold, brings the mark up to date.
func (g *Guard) UpdateMarkOrHold(ctx context.Context) error {
	if _, err := g.Store.PublishingHold(ctx); !errors.Is(err, store.ErrNotFound) {
		return err
	}
	reason, err := g.checkAndUpdateMark(ctx, 0)
	if err != nil || reason == "" {
		return err
	}
	return g.HoldIfRewound(ctx)
}

// checkAndUpdateMark returns why publishing must be held, "" when it need not, and then brings the mark up to date.
// newest is the highest step of any receipt.
func (g *Guard) checkAndUpdateMark(ctx context.Context, newestStep int64) (holdReason string, err error) {
	mark, err := g.Receipts.ReadMark(ctx)
	if err != nil {
		return "", err
	}
	// Read after the receipts and the mark: what they tell of was committed before they were written.
	now, err := g.Store.ReadDurableLineage(ctx)
	if err != nil {
		return "", fmt.Errorf("read the database's lineage: %w", err)
	}
	switch newestStep = max(newestStep, mark.Step); {
	case now.Empty && newestStep > now.Step:
		if now, err = g.advanceBeyondReceipts(ctx, newestStep); err != nil {
			return "", err
		}
	case now.Empty || newestStep == 0 && now.Step == 0: // nothing was ever sent
	case mark == (Mark{}):
		holdReason = "the file storage has no record of what this database published"
	case mark.System != now.System:
		holdReason = "the database is not the one that published most recently"
	case mark.Timeline != now.Timeline:
		holdReason = "the database failed over or was restored to an earlier time"
	case newestStep > now.Step:
		holdReason = "the database is older than the last published post"
	}
	next := Mark{System: now.System, Timeline: now.Timeline, Step: now.Step}
	if holdReason != "" || mark.equalsIgnoringTime(next) {
		return holdReason, nil
	}
	next.At = g.Now().UTC()
	return "", g.Receipts.WriteMark(ctx, next)
}

// advanceBeyondReceipts lets a database without posts publish beside the receipts of another: it has nothing that could
// be published a second time. Its steps go on above those of the receipts, which would hold publishing later otherwise.
func (g *Guard) advanceBeyondReceipts(ctx context.Context, newestStep int64) (store.Lineage, error) {
	g.Log.WarnContext(ctx, "the file storage has receipts of another database, and there are no posts in this one: "+
		"it is treated as a new installation. If you meant to restore a backup, stop the service and restore it now")
	if err := g.Store.AdvanceStepIDs(ctx, newestStep); err != nil {
		return store.Lineage{}, fmt.Errorf("continue beside the receipts of another database: %w", err)
	}
	return g.Store.ReadDurableLineage(ctx)
}

func (m Mark) equalsIgnoringTime(other Mark) bool {
	m.At, other.At = time.Time{}, time.Time{}
	return m == other
}

// selectForgotten returns the last receipt of each post whose call, or whose success, the ledger may not know.
func selectForgotten(receipts []Receipt, lastKnownStep int64) map[string]Receipt {
	last := map[string]Receipt{}
	for _, r := range receipts {
		if r.Live || r.Step > lastKnownStep && !last[r.Post].Live {
			last[r.Post] = r
		}
	}
	return last
}

func (g *Guard) holdPublishing(ctx context.Context, reason string, unprovedSince time.Time,
	receipts map[string]Receipt,
) error {
	var known []store.RestoredReceipt
	for _, r := range receipts {
		post, err := core.ParseID[core.PostKind](r.Post)
		workspace, errWorkspace := core.ParseID[core.WorkspaceKind](r.Workspace)
		if err = errors.Join(err, errWorkspace); err != nil {
			return fmt.Errorf("read the receipt of post %q: %w", r.Post, err)
		}
		known = append(known, store.RestoredReceipt{
			Workspace: workspace, Post: post, Handle: r.Handle, ArmedAt: r.ArmedAt,
			Live: r.Live, ExternalID: r.ExternalID, ExternalURL: r.ExternalURL,
		})
	}
	if err := g.Store.HoldPublishing(ctx, reason, unprovedSince, known); err != nil {
		return fmt.Errorf("hold publishing: %w", err)
	}
	return nil
}

// LogHold logs that publishing is on hold, and which posts are affected. It logs nothing if publishing is not on hold.
func (g *Guard) LogHold(ctx context.Context) error {
	hold, err := g.Store.PublishingHold(ctx)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the publishing hold: %w", err)
	}
	posts, err := g.Store.HeldPosts(ctx, listed)
	if err != nil {
		return fmt.Errorf("list the posts on hold: %w", err)
	}
	g.Log.Warn("publishing is on hold; check the posts, then run `belfry restore confirm`", "reason", hold.Reason, "since",
		hold.Since)
	for _, p := range posts {
		log := g.Log.With("workspace", p.Slug, "post", p.Post, "network", p.Platform, "account", p.AccountName)
		if p.ExternalURL != "" {
			log = log.With("link", p.ExternalURL)
		}
		log.Warn("post on hold", "what_happens", p.FateInWords())
	}
	return nil
}

// ErrNoHold says that posts go out as usual.
var ErrNoHold = errors.New("publishing is not on hold")

// UnprovedError says that publishing stays on hold, because these posts may be published already.
type UnprovedError struct{ Posts []store.HeldPost }

func (e *UnprovedError) Error() string {
	return fmt.Sprintf("%d posts may be published already", len(e.Posts))
}

// EndHold ends the hold: posts that a receipt shows as published become live, those that may have been published are
// looked for at their network, and the others go out. It returns how many posts there are of each kind, or ErrNoHold.
// While there are unproved posts it returns an UnprovedError, unless they are to go out as well.
func (g *Guard) EndHold(ctx context.Context, publishUnproved bool) (HoldResult, error) {
	var done HoldResult
	switch _, err := g.Store.PublishingHold(ctx); {
	case errors.Is(err, store.ErrNotFound):
		return done, ErrNoHold
	case err != nil:
		return done, fmt.Errorf("read the publishing hold: %w", err)
	}
	if !publishUnproved {
		switch posts, err := g.Store.UnprovedPosts(ctx); {
		case err != nil:
			return done, fmt.Errorf("list the unproved posts: %w", err)
		case len(posts) > 0:
			return done, &UnprovedError{posts}
		}
	}
	receipts, err := g.Store.RestoredReceipts(ctx)
	if err != nil {
		return done, err
	}
	newest, err := g.readNewestStep(ctx)
	if err != nil {
		return done, err
	}
	for attempt := 1; ; attempt++ {
		done, err = g.applyReceiptsAndEndHold(ctx, receipts, newest)
		switch {
		case err == nil:
			return done, nil
		case !store.IsDeadlock(err) || attempt == confirmAttempts:
			return done, fmt.Errorf("end the publishing hold: %w", err)
		}
	}
}

// confirmAttempts is how often a confirmation is tried that PostgreSQL breaks off because somebody changes a post.
const confirmAttempts = 10

// applyReceiptsAndEndHold ends the hold in one transaction: receipts of live posts make them live, the others ask the
// network, and the ids of steps go on above newest.
func (g *Guard) applyReceiptsAndEndHold(ctx context.Context, receipts []store.RestoredReceipt,
	newestStep int64,
) (done HoldResult, err error) {
	err = g.Store.Tx(ctx, func(s *store.Store) error {
		for _, r := range receipts {
			if !r.Live {
				rearmed, err := s.In(r.Workspace).RearmPublication(ctx, r)
				if err != nil {
					return err
				}
				if rearmed {
					done.LookedFor++
				}
				continue
			}
			done.Live++
			if err := makeLiveFromReceipt(ctx, s.In(r.Workspace), r, g.Now()); err != nil {
				return err
			}
		}
		if err := s.EndPublishingHold(ctx, newestStep); err != nil {
			return err
		}
		if err := s.AddAuditEntry(ctx, core.AuditEntry{Action: core.AuditRestoreConfirmed, After: done}); err != nil {
			return err
		}
		// Before the commit: once no hold is to be seen, the mark that UpdateMarkOrHold reads is the new one.
		now, err := s.ReadDurableLineage(ctx)
		if err != nil {
			return err
		}
		return g.Receipts.WriteMark(ctx, Mark{now.System, now.Timeline, now.Step, g.Now().UTC()})
	})
	return done, err
}

func makeLiveFromReceipt(ctx context.Context, t store.Tenant, r store.RestoredReceipt, now time.Time) error {
	err := t.MarkLiveFromReceipt(ctx, r, now)
	if err == nil {
		err = t.SetMediaPublishedAt(ctx, r.Post, now)
	}
	if err != nil || r.ExternalID == "" || r.ExternalURL != "" {
		return err
	}
	return t.Enqueue(ctx, queue.Link{Workspace: r.Workspace, Post: r.Post}, time.Time{})
}

// HoldResult counts what became of the posts whose receipts were found.
type HoldResult struct {
	Live      int `json:"live"`
	LookedFor int `json:"lookedFor"`
}

// readNewestStep is the highest step that the mark or a receipt names.
func (g *Guard) readNewestStep(ctx context.Context) (int64, error) {
	mark, err := g.Receipts.ReadMark(ctx)
	if err != nil {
		return 0, err
	}
	newest := mark.Step
	err = g.Receipts.EachSince(ctx, time.Time{}, func(r Receipt) error {
		newest = max(newest, r.Step)
		return nil
	})
	return newest, err
}

// DeleteOldReceipts deletes the receipts that no backup in use needs.
func (g *Guard) DeleteOldReceipts(ctx context.Context) error {
	return g.Receipts.DeleteBefore(ctx, g.Now().Add(-receiptsKept))
}
