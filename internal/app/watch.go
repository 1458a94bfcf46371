package app

import (
	"context"
	"slices"
	"sync"
	"time"

	"belfry/internal/core"
	"belfry/internal/store"
)

// Changes are the ids of a workspace's posts and files that look different now. All says that any of them may.
type Changes struct {
	Posts []string `json:"posts,omitempty"`
	Media []string `json:"media,omitempty"`
	All   bool     `json:"all,omitempty"`
}

// WatchChanges reports what changes in the caller's workspace until ctx ends, whichever process changes it. It begins
// with what has changed in the last 15 seconds, so that a page that was just shown misses nothing. Those who wait for
// the channel too long get all that has changed meanwhile at once.
//
// For all watchers of a process, the database is asked once a second, and not at all when there are none.
func (a *App) WatchChanges(ctx context.Context, c core.Caller) (<-chan Changes, error) {
	t, err := a.enter(c, core.Read)
	if err != nil {
		return nil, err
	}
	w := &watcher{workspace: t.WorkspaceID(), changes: make(chan Changes, 1)}
	if a.watchers.add(w) {
		go a.pollChanges(context.WithoutCancel(ctx))
	}
	context.AfterFunc(ctx, func() { a.watchers.remove(w) })
	return w.changes, nil
}

const (
	watchEvery = time.Second     // how often the database is asked for changes
	lookTime   = 3 * time.Second // how long it may take to answer
	mostFailed = 3               // after more looks in a row that failed, events may be too old to be found
	mostNamed  = 1000            // more changes than these are not named
)

// pollChanges tells all watchers what has changed, until there are none.
func (a *App) pollChanges(ctx context.Context) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	failed := 0
	for range tick.C {
		workspaces := a.watchers.workspacesOrStop()
		if workspaces == nil {
			return
		}
		found, err := a.loadActivity(ctx, workspaces)
		if err == nil {
			a.watchers.notifyWatchers(found, failed > mostFailed)
			failed = 0
			continue
		}
		if failed++; failed == 1 {
			a.cfg.Log.WarnContext(ctx, "open pages are not updated: the database does not say what has changed", "error", err)
		}
	}
}

// loadActivity does not wait for a database that hangs.
func (a *App) loadActivity(ctx context.Context, workspaces []core.WorkspaceID) ([]store.Activity, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	return a.cfg.Store.RecentActivity(ctx, workspaces)
}

// watchers are those who wait for changes in their workspaces.
type watchers struct {
	mu      sync.Mutex
	all     map[*watcher]struct{}
	looking bool // pollChanges runs
}

// watcher has seen the activity that it has been told of.
type watcher struct {
	workspace core.WorkspaceID
	changes   chan Changes
	seen      map[store.Activity]bool
}

// add reports whether the caller must call pollChanges.
func (w *watchers) add(one *watcher) (first bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.all == nil {
		w.all = map[*watcher]struct{}{}
	}
	w.all[one] = struct{}{}
	first, w.looking = !w.looking, true
	return first
}

func (w *watchers) remove(one *watcher) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.all, one)
}

// workspacesOrStop returns the watched workspaces. When there are none, it returns nil and nobody looks any more.
func (w *watchers) workspacesOrStop() (list []core.WorkspaceID) {
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

// notifyWatchers hands each watcher what has changed since the last look, or all if some of it may have been missed.
func (w *watchers) notifyWatchers(found []store.Activity, missed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	byWorkspace := map[core.WorkspaceID]map[store.Activity]bool{}
	for _, sign := range found {
		if byWorkspace[sign.Workspace] == nil {
			byWorkspace[sign.Workspace] = map[store.Activity]bool{}
		}
		byWorkspace[sign.Workspace][sign] = true
	}
	for one := range w.all {
		one.deliverChanges(byWorkspace[one.workspace], missed)
	}
}

// deliverChanges adds what has changed to what has not been taken yet.
func (w *watcher) deliverChanges(now map[store.Activity]bool, missed bool) {
	changes := changesBetween(w.seen, now)
	changes.All = missed
	w.seen = now
	if changes.isEmpty() {
		return
	}
	select {
	case waiting := <-w.changes:
		changes = waiting.mergedWith(changes)
	default:
	}
	w.changes <- changes // there is room: nobody else sends
}

func (c Changes) isEmpty() bool { return !c.All && len(c.Posts)+len(c.Media) == 0 }

// mergedWith names what is in c or in more, unless that is too much.
func (c Changes) mergedWith(more Changes) Changes {
	sum := Changes{
		Posts: mergeSorted(c.Posts, more.Posts),
		Media: mergeSorted(c.Media, more.Media),
		All:   c.All || more.All,
	}
	if sum.All || len(sum.Posts)+len(sum.Media) > mostNamed {
		return Changes{All: true}
	}
	return sum
}

func mergeSorted(one, other []string) []string {
	all := slices.Concat(one, other)
	slices.Sort(all)
	return slices.Compact(all)
}

func changesBetween(before, now map[store.Activity]bool) (c Changes) {
	told := map[string]bool{}
	add := func(sign store.Activity) {
		id, list := sign.Post.String(), &c.Posts
		if sign.Post.IsZero() {
			id, list = sign.Media.String(), &c.Media
		}
		if !told[id] {
			told[id] = true
			*list = append(*list, id)
		}
	}
	for sign := range now {
		if !before[sign] {
			add(sign)
		}
	}
	for sign := range before {
		if sign.Lasts && !now[sign] {
			add(sign)
		}
	}
	return c
}
