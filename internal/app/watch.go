package app

import (
	"context"
	"slices"
	"sync"
	"time"

	"belfry/internal/core"
	"belfry/internal/store"
)

// Changes contains the ids of a workspace's posts and files that now look different. All means that any of them may
// look different.
type Changes struct {
	Posts []string `json:"posts,omitempty"`
	Media []string `json:"media,omitempty"`
	All   bool     `json:"all,omitempty"`
}

// WatchRecentAndNewChanges reports changes in the caller's workspace until ctx ends, whichever process makes them. It
// begins with the changes of the last 15 seconds, so that a page that was just shown misses nothing. A slow receiver
// gets all changes since its last receive together. The channel is never closed.
//
// One query per second serves all watchers of a process. Without watchers, there are no queries.
func (a *App) WatchRecentAndNewChanges(ctx context.Context, c core.Caller) (neverClosed <-chan Changes, err error) {
	t, err := a.authorize(c, core.Read)
	if err != nil {
		return nil, err
	}
	w := &watcher{workspace: t.WorkspaceID(), changes: make(chan Changes, 1)}
	if a.watchers.addWatcher(w) {
		go a.pollChangesWhileWatched(context.WithoutCancel(ctx))
	}
	context.AfterFunc(ctx, func() { a.watchers.removeWatcher(w) })
	return w.changes, nil
}

const (
	watchEvery = time.Second     // how often the database is asked for changes
	lookTime   = 3 * time.Second // how long the database may take to answer
	mostFailed = 3               // after more failed queries in a row, some activity may be too old to be found
	mostNamed  = 1000            // more changes are reported as Changes.All
)

// pollChangesWhileWatched reads changes once a second and passes them to the watchers, until there are none.
func (a *App) pollChangesWhileWatched(ctx context.Context) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	failed := 0
	for range tick.C {
		workspaces := a.watchers.workspacesOrMarkStopped()
		if workspaces == nil {
			return
		}
		found, err := a.loadRecentAndOngoingActivity(ctx, workspaces)
		if err == nil {
			a.watchers.notifyWatchers(found, failed > mostFailed)
			failed = 0
			continue
		}
		if failed++; failed == 1 {
			a.cfg.Log.WarnContext(ctx, "could not read changes from the database; open pages do not show changes until a retry succeeds", "error", err)
		}
	}
}

// loadRecentAndOngoingActivity reads the activity in the workspaces. It gives up after lookTime if the database does
// not respond.
func (a *App) loadRecentAndOngoingActivity(ctx context.Context, workspaces []core.WorkspaceID,
) ([]store.Activity, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	return a.cfg.Store.RecentAndOngoingActivity(ctx, workspaces)
}

// watchers holds all watchers of a process.
type watchers struct {
	mu      sync.Mutex
	all     map[*watcher]struct{}
	looking bool // pollChangesWhileWatched is running
}

// watcher watches one workspace. seen is the activity that it has been notified about.
type watcher struct {
	workspace core.WorkspaceID
	changes   chan Changes
	seen      map[store.Activity]bool
}

// addWatcher adds a watcher. It reports whether the caller must start pollChangesWhileWatched.
func (w *watchers) addWatcher(one *watcher) (mustStartPolling bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.all == nil {
		w.all = map[*watcher]struct{}{}
	}
	w.all[one] = struct{}{}
	mustStartPolling, w.looking = !w.looking, true
	return mustStartPolling
}

func (w *watchers) removeWatcher(one *watcher) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.all, one)
}

// workspacesOrMarkStopped returns the workspaces with watchers. If there are none, it returns nil and records that
// pollChangesWhileWatched has stopped.
func (w *watchers) workspacesOrMarkStopped() (list []core.WorkspaceID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	known := map[core.WorkspaceID]bool{}
	for one := range w.all {
		if !known[one.workspace] {
			known[one.workspace] = true
			list = append(list, one.workspace)
		}
	}
	w.looking = list != nil
	return list
}

// notifyWatchers passes the changes since the last query to each watcher. missedSome says that some changes may have
// been missed; each watcher then gets Changes.All.
func (w *watchers) notifyWatchers(found []store.Activity, missedSome bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	byWorkspace := map[core.WorkspaceID]map[store.Activity]bool{}
	for _, activity := range found {
		if byWorkspace[activity.Workspace] == nil {
			byWorkspace[activity.Workspace] = map[store.Activity]bool{}
		}
		byWorkspace[activity.Workspace][activity] = true
	}
	for one := range w.all {
		one.compareAndDeliver(byWorkspace[one.workspace], missedSome)
	}
}

// compareAndDeliver compares the current activity with the activity seen before, remembers the current activity, and
// sends the changes, merged with those that have not been received yet. If some may have been missed, it sends
// Changes.All.
func (w *watcher) compareAndDeliver(current map[store.Activity]bool, missedSome bool) {
	changes := changedPostsAndFiles(w.seen, current)
	changes.All = missedSome
	w.seen = current
	if changes.isEmpty() {
		return
	}
	select {
	case waiting := <-w.changes:
		changes = waiting.mergedWith(changes)
	default:
	}
	w.changes <- changes // never blocks: only this function sends
}

func (c Changes) isEmpty() bool { return !c.All && len(c.Posts)+len(c.Media) == 0 }

// mergedWith returns the union of c and more, or Changes.All if that is too large.
func (c Changes) mergedWith(more Changes) Changes {
	sum := Changes{
		Posts: sortedUnion(c.Posts, more.Posts),
		Media: sortedUnion(c.Media, more.Media),
		All:   c.All || more.All,
	}
	if sum.All || len(sum.Posts)+len(sum.Media) > mostNamed {
		return Changes{All: true}
	}
	return sum
}

// sortedUnion returns the elements of both lists, sorted and without duplicates.
func sortedUnion(one, other []string) []string {
	all := slices.Concat(one, other)
	slices.Sort(all)
	return slices.Compact(all)
}

// changedPostsAndFiles returns the posts and files with an activity that is new, or with a lasting activity that has
// ended.
func changedPostsAndFiles(before, current map[store.Activity]bool) (c Changes) {
	told := map[string]bool{}
	add := func(activity store.Activity) {
		id, list := activity.Post.String(), &c.Posts
		if activity.Post.IsZero() {
			id, list = activity.Media.String(), &c.Media
		}
		if !told[id] {
			told[id] = true
			*list = append(*list, id)
		}
	}
	for activity := range current {
		if !before[activity] {
			add(activity)
		}
	}
	for activity := range before {
		if activity.Lasts && !current[activity] {
			add(activity)
		}
	}
	return c
}
