package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/secret"
	"belfry/internal/store"
)

// Publish carries a due publication as far as it will go right now: one claim under one lease, by the
// protocol of core.Publication. owner names the worker. When there is nothing to claim, because the
// post is not due, is held by another or is done, it does nothing.
func (a *App) Publish(ctx context.Context, owner string, ws core.WorkspaceID, id core.PostID) error {
	t, err := a.enter(core.Worker(ws), core.Write)
	if err != nil {
		return err
	}
	w, err := a.claim(ctx, t, owner, id)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("claim post %s: %w", id, err)
	}
	if err = a.equip(w); err != nil {
		err = w.stuck(ctx, err)
	} else {
		err = w.run(ctx)
	}
	switch {
	case errors.Is(err, store.ErrFenced):
		a.cfg.Metrics.Fenced()
		w.log.Warn("another worker has taken this post over")
		return nil
	case errors.Is(err, store.ErrNotFound), store.IsMissing(err, "post"): // a failed post may be deleted while the network is asked about it
		w.log.Info("the post was deleted during its claim")
		return nil
	}
	return err
}

// work is one claim: a publication that this worker holds.
type work struct {
	*App
	t       store.Tenant
	log     *slog.Logger
	net     network.Network
	desc    network.Description
	pub     store.Publication
	post    core.Post
	account core.Account
	sealed  []byte // the account's token as it was read; empty when the account was disconnected
	item    network.Item
	media   []store.Media
	lacks   *core.Issue // why a file cannot be sent
	seq     int
	last    *store.Outcome // of the call just made, not yet saved
	failure *failure       // of the last call that failed
	status  network.Status // of the last call that did not
	held    time.Duration  // the network's own word on how long to wait, in the last call
	skew    time.Duration  // how far the database's clock is ahead of ours
}

// now is the database's clock, by which due times and leases live.
func (w *work) now() time.Time { return w.cfg.Now().Add(w.skew) }

// failure is what a failed call said, as the ledger keeps it.
type failure struct {
	Code    string       `json:"code"`
	Message string       `json:"message"`
	Hint    string       `json:"hint,omitempty"`
	Kind    network.Kind `json:"kind"`
	// Until is when the network said to come again; zero when it said nothing.
	Until time.Time `json:"until,omitzero"`
}

// claim takes the publication and reads everything a worker needs. Under its lease nobody else changes the post.
func (a *App) claim(ctx context.Context, t store.Tenant, owner string, id core.PostID) (*work, error) {
	claimed, err := a.claims.join(ctx, claimant{t.WorkspaceID(), owner}, id, func(ctx context.Context, ids []core.PostID) (map[core.PostID]store.Claimed, error) {
		return t.Claim(ctx, ids, owner, a.cfg.Schedule.Lease, a.cfg.Now())
	})
	if err != nil {
		return nil, err
	}
	w := &work{
		App: a, t: t, pub: claimed.Publication, post: claimed.Post, account: claimed.Account, sealed: claimed.Token, media: claimed.Media,
		skew: claimed.ReadAt.Sub(a.cfg.Now()),
	}
	if w.pub.Rest == "" {
		a.cfg.Metrics.Takeover()
		if w.pub.Step == core.StepCreating {
			a.cfg.Metrics.Orphan(string(w.pub.Platform))
		}
	}
	return w, nil
}

// stuck ends a claim for which this server lacks something: a key, or a network. Only its operator can help,
// so that the post waits longer each time, counts as overdue and is logged for a person to look.
func (w *work) stuck(ctx context.Context, why error) error {
	w.log.ErrorContext(ctx, "this server cannot send a post", "error", why)
	w.pub.Rest, w.pub.NextAt = store.RestStuck, w.now().Add(core.Backoff(backoff, w.pub.Polls))
	w.pub.Polls++
	return w.t.SaveRest(context.WithoutCancel(ctx), w.pub, nil)
}

// equip opens what is sealed and finds the post's network. Its errors last.
func (a *App) equip(w *work) error {
	w.log = a.cfg.Log.With("workspace", w.post.Workspace, "post", w.post.ID, "network", w.post.Platform, "epoch", w.pub.Epoch)
	net, ok := a.cfg.Networks.Get(w.post.Platform)
	if !ok {
		return fmt.Errorf("post %s is for %q, a network this server does not know", w.post.ID, w.post.Platform)
	}
	w.net, w.desc = net, net.Describe()
	if w.pub.Rest == store.RestQueued || w.pub.Rest == core.DoRetry {
		w.pub.Failure = nil // a new try fails in words of its own
	}
	if w.pub.Failure != nil {
		w.failure = &failure{}
		if err := json.Unmarshal(w.pub.Failure, w.failure); err != nil {
			return fmt.Errorf("read the failure of post %s: %w", w.post.ID, err)
		}
	}
	a.openHandle(w.post, &w.pub)
	w.item = network.Item{
		Post: w.post.ID, Text: w.post.Text, Title: w.post.Title, Tags: w.post.Tags, Settings: w.post.Settings,
		Profile: w.account.ExternalID, Username: w.account.Username, ArmedAt: w.pub.ArmedAt, HandleAt: w.pub.StepSince,
	}
	for _, m := range w.media {
		w.item.Files = append(w.item.Files, network.File{Media: m.Media, URL: a.intake.FileURL(w.post.Workspace, m)})
	}
	if w.account.Status != core.AccountOK && len(w.sealed) == 0 {
		return nil
	}
	var err error
	w.item.Token, err = a.openToken(w.account, w.post.Workspace, w.sealed)
	return err
}

const purposeHandle = "handle"

// handlePlace binds a sealed handle to its row, so that it cannot be used in another.
func handlePlace(p core.Post) string {
	return secret.Place("publications", "handle", p.ID.String(), p.Workspace.String())
}

// lostHandle stands for a handle that the secret keys do not open any more. To the protocol it is one like any
// other, so that nothing is sent a second time; the network is never told of it (see askLost).
const lostHandle = "lost"

// openHandle gives the protocol the handle of a row as it was read.
func (a *App) openHandle(post core.Post, pub *store.Publication) {
	if pub.Sealed == nil {
		return
	}
	plain, err := a.cfg.Ring.Open(purposeHandle, handlePlace(post), pub.Sealed)
	if err != nil {
		a.cfg.Log.Warn("the handle of a post cannot be opened", "workspace", post.Workspace, "post", post.ID, "error", err)
		plain = []byte(lostHandle)
	}
	pub.Handle = string(plain)
}

// set takes over what the protocol says, and seals the handle for the ledger. The times that patience
// counts from follow, as SaveStep has them in the row.
func (w *work) set(next core.Publication) {
	if next.Step != w.pub.Step {
		w.pub.StepSince = w.now()
	}
	if !next.Armed {
		w.pub.ArmedAt, w.item.ArmedAt = time.Time{}, time.Time{}
	}
	if next.Handle != w.pub.Handle {
		w.item.HandleAt = w.now()
	}
	if next.Handle != w.pub.Handle || (next.Handle != "") != (w.pub.Sealed != nil) {
		w.pub.Sealed = nil
		if next.Handle != "" {
			w.pub.Sealed = w.cfg.Ring.Seal(purposeHandle, handlePlace(w.post), []byte(next.Handle))
		}
	}
	w.pub.Publication = next
}
