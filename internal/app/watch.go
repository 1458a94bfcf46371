package app

import (
	"context"
	"sync"
	"time"

	"belfry/internal/core"
	"belfry/internal/store"
)

// Changes are the ids of a workspace's posts and files that look different now.
type Changes struct {
	Posts []string `json:"posts,omitempty"`
	Media []string `json:"media,omitempty"`
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
		go a.lookForChanges(context.WithoutCancel(ctx))
	}
	context.AfterFunc(ctx, func() { a.watchers.remove(w) })
	return w.changes, nil
}

// watchEvery is how often the database is asked for changes.
const watchEvery = time.Second

// lookForChanges tells all watchers what has changed, until there are none.
func (a *App) lookForChanges(ctx context.Context) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	failing := false
	for range tick.C {
		workspaces := a.watchers.workspaces()
		if workspaces == nil {
			return
		}
		found, err := a.cfg.Store.Activity(ctx, workspaces)
		if err != nil && !failing {
			a.cfg.Log.WarnContext(ctx, "open pages are not updated: the database does not say what has changed", "error", err)
		}
		if failing = err != nil; !failing {
			a.watchers.tell(found)
		}
	}
}

// watchers are those who wait for changes in their workspaces.
type watchers struct {
	mu      sync.Mutex
	all     map[*watcher]struct{}
	looking bool // lookForChanges runs
}

// watcher has seen the activity that it has been told of.
type watcher struct {
	workspace core.WorkspaceID
	changes   chan Changes
	seen      map[store.Activity]bool
}

// add reports whether the caller must call lookForChanges.
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

// workspaces returns the watched workspaces. When there are none, it returns nil and nobody looks any more.
func (w *watchers) workspaces() (list []core.WorkspaceID) {
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

func (w *watchers) tell(found []store.Activity) {
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
		one.tell(byWorkspace[one.workspace])
	}
}

// tell hands over what has changed since the last time. While that has not been taken, nothing is marked as seen.
func (w *watcher) tell(now map[store.Activity]bool) {
	changes := changesBetween(w.seen, now)
	if changes.Posts == nil && changes.Media == nil {
		w.seen = now
		return
	}
	select {
	case w.changes <- changes:
		w.seen = now
	default:
	}
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
