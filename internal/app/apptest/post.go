package apptest

import (
	"belfry/internal/contract"
	"belfry/internal/core"
)

// Work lets a worker do everything that can be done for a post now, and returns the post afterwards.
func (w *Workspace) Work(p contract.Post) contract.Post {
	w.t.Helper()
	id, err := core.ParseID[core.PostKind](p.ID)
	must(w.t, err)
	must(w.t, w.h.App.Engine().PublishOrPrepare(w.h.Context(), "a worker", w.ID, id))
	return w.Post(p)
}

// Post reads a post again.
func (w *Workspace) Post(p contract.Post) contract.Post {
	w.t.Helper()
	got, err := w.h.App.GetPost(w.h.Context(), w.Owner, p.ID)
	must(w.t, err)
	return got
}

// Retry sends a failed post again.
func (w *Workspace) Retry(p contract.Post) contract.Post {
	w.t.Helper()
	again, err := w.h.App.RetryPost(w.h.Context(), w.Owner, contract.RetryPost{ID: p.ID})
	must(w.t, err)
	return again
}

// StatusOf returns the status of a connected account.
func (w *Workspace) StatusOf(account contract.Account) string {
	w.t.Helper()
	list, err := w.h.App.ListAccounts(w.h.Context(), w.Owner)
	must(w.t, err)
	for _, a := range list.Accounts {
		if a.ID == account.ID {
			return a.Status
		}
	}
	w.t.Fatalf("account %s is gone", account.ID)
	return ""
}

// Reconnect reconnects an account through a new consent.
func (w *Workspace) Reconnect(account contract.Account) {
	w.t.Helper()
	start, err := w.h.App.StartReconnect(w.h.Context(), w.Owner, account.ID)
	must(w.t, err)
	back := w.h.Consent(start.AuthorizeURL, "one")
	_, err = w.h.App.FinishConnectOrReconnect(w.h.Context(), w.Owner, account.Platform, back)
	must(w.t, err)
}

// Visible counts the posts with a text that are visible on the simulated networks.
func (h *Harness) Visible(text string) int {
	n := 0
	for _, p := range h.Sim.Posts.All() {
		if p.Text == text {
			n++
		}
	}
	return n
}
