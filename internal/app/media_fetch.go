package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"belfry/internal/blob"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/fetch"
	"belfry/internal/queue"
	"belfry/internal/secret"
	"belfry/internal/store"
)

const (
	// fetchTime bounds one try to fetch a file.
	fetchTime = 2 * time.Hour
	// fetchesAtOnce is how many files of one workspace are fetched at once, so that slow sources of one hold up
	// no other's. The rest wait a turn of fetchTurn each.
	fetchesAtOnce = 8
	fetchTurn     = 10 * time.Second
)

// unnamed is what a file is called before its server, or failing that anybody, gives it a name.
const unnamed = "file"

// reasonSource is why a file failed whose address gave nothing. It says no more, so that nobody can sound out
// with it what there is at an address.
const reasonSource = "The file could not be fetched. Its address must open for everybody, over https and without a detour through a private network."

// source is where a file is fetched from. It is kept sealed: many an address is a credential.
type source struct {
	URL   string `json:"url"`
	Named bool   `json:"named"` // by the request, so that the server's name for it does not count
}

func sourcePlace(id core.MediaID, ws core.WorkspaceID) string {
	return secret.Place("media", "source", id.String(), ws.String())
}

// MediaFromURL makes a file whose bytes the worker fetches, and answers its row (Spec §4, Media). Refusals, in
// this order: invalid_request, not_found, quota_exceeded when there is no room for a single byte.
func (a *App) MediaFromURL(ctx context.Context, c core.Caller, in contract.MediaFromURL) (contract.Media, error) {
	t, err := a.enter(c, core.Write)
	if err != nil {
		return contract.Media{}, err
	}
	m, err := a.newSource(t, in)
	if err != nil {
		return contract.Media{}, err
	}
	plan, err := a.settle(ctx, t, &m, in.FolderID)
	if err != nil {
		return contract.Media{}, err
	}
	out := a.mediaOf(t, m)
	return out, a.withRoom(ctx, t, func(t store.Tenant) error {
		used, err := t.StorageUsed(ctx)
		if err != nil {
			return err
		}
		if plan.StorageBytes != nil && used >= *plan.StorageBytes {
			return core.OverStorage(used, *plan.StorageBytes)
		}
		if err := t.AddMedia(ctx, m, a.cfg.Now().Add(jobPatienceMedia)); err != nil {
			return err
		}
		if err := t.Enqueue(ctx, queue.Fetch{Workspace: t.WorkspaceID(), Media: m.ID}, time.Time{}); err != nil {
			return err
		}
		return keep(ctx, t, in.Replay, out)
	})
}

// newSource is a file of which nothing is known but where it is.
func (a *App) newSource(t store.Tenant, in contract.MediaFromURL) (store.Media, error) {
	name, err := fetch.Check(in.URL)
	if err != nil {
		message := "This address is not opened."
		if strings.HasPrefix(strings.ToLower(in.URL), "http:") {
			message = "An address that begins with http:// is not opened."
		}
		return store.Media{}, core.Invalid("url", "%s", message).Because(err).
			WithHint("`url` must begin with https://, have neither a user nor a port, and lead to the public internet.")
	}
	if name = or(optional(in.Filename), name); name == "" {
		name = unnamed
	}
	m, err := a.newMedia(name, "application/octet-stream")
	if err != nil {
		return store.Media{}, err
	}
	plain, err := json.Marshal(source{in.URL, in.Filename != ""})
	if err != nil {
		return store.Media{}, fmt.Errorf("write the source of media %s: %w", m.ID, err)
	}
	m.Status, m.Tags, m.ExpiresAt = core.MediaUploading, []string{}, time.Time{}
	m.Source = a.cfg.Ring.Seal(purposeSource, sourcePlace(m.ID, t.WorkspaceID()), plain)
	return m, nil
}

// FetchMedia brings a file's bytes from its address. It may run twice, or be killed at any point: only whoever
// holds the claim says what became of the file. What fails for the moment is tried again later.
func (a *App) FetchMedia(ctx context.Context, ws core.WorkspaceID, id core.MediaID) error {
	t, err := a.ofMedia(ws)
	if err != nil {
		return err
	}
	m, err := t.Media(ctx, id)
	if core.CodeOf(err) == core.CodeNotFound || err == nil && m.Source == nil {
		return nil
	}
	if err != nil {
		return err
	}
	claim, ok, err := t.ClaimMedia(ctx, id, core.MediaUploading, mediaLease)
	if err != nil || !ok {
		return err
	}
	if held, err := t.FetchesHeld(ctx); err != nil || held > fetchesAtOnce {
		return errors.Join(err, t.ReleaseMedia(ctx, claim, fetchTurn, false))
	}
	key, size := newBlob(), int64(0)
	err = a.holding(ctx, t, claim, func(ctx context.Context) (err error) {
		ctx, cancel := context.WithTimeout(ctx, fetchTime)
		defer cancel()
		size, err = a.fetch(ctx, t, m, claim, key)
		return err
	})
	stopping := ctx.Err() != nil
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	if err == nil {
		_, err = a.brought(ctx, t, claim, key, size)
		return err
	}
	reason, final := unfetched(err)
	switch {
	case errors.Is(err, errClaimLost):
		return nil
	case stopping:
		return t.ReleaseMedia(ctx, claim, 0, false)
	case final, m.Tries+1 >= mediaTries:
		a.cfg.Log.Info("a file was not fetched", "media", id, "tries", m.Tries+1, "error", err)
		return a.refuse(ctx, t, claim, reason)
	}
	a.cfg.Log.Info("a file is fetched again later", "media", id, "tries", m.Tries+1, "error", err)
	return t.ReleaseMedia(ctx, claim, waitAfter(m.Tries), true)
}

// unfetched tells a person why a file was not fetched, and whether the next try would end the same way.
func unfetched(err error) (reason string, final bool) {
	opening, ok := errors.AsType[*fetch.Error](err)
	switch {
	case ok:
		return reasonSource, !opening.Transient
	case errors.Is(err, fetch.ErrAddress):
		return reasonSource, true
	case errors.Is(err, fetch.ErrTooLarge):
		return "The file is larger than the plan allows.", true
	case core.CodeOf(err) == core.CodeQuotaExceeded:
		return "The storage of the plan has no room for the file.", true
	}
	return reasonOurs, false
}

// fetch keeps under the key what the file's address gives, and answers how many bytes that were.
func (a *App) fetch(ctx context.Context, t store.Tenant, m store.Media, claim store.MediaClaim, key string) (int64, error) {
	var from source
	plain, err := a.cfg.Ring.Open(purposeSource, sourcePlace(m.ID, t.WorkspaceID()), m.Source)
	if err == nil {
		err = json.Unmarshal(plain, &from)
	}
	if err != nil {
		return 0, fmt.Errorf("read the source of media %s: %w", m.ID, err)
	}
	_, plan, err := a.plan(ctx, t)
	if err != nil {
		return 0, err
	}
	limit := min(or(plan.FileBytes, blob.Most), blob.Most)
	d, err := a.startDownload(ctx, from, limit)
	if err != nil {
		return 0, err
	}
	defer d.Close()
	if !from.Named && d.file.Name != "" {
		m.Name, m.Kind = d.file.Name, core.DeclaredKind(d.file.Name, m.Mime)
	}
	d.reserve = func(need, want int64) (int64, error) { return a.makeRoom(ctx, t, m, claim, need, want) }
	size := int64(blob.Unknown)
	if d.file.Length >= 0 {
		size, m.Bytes = d.file.Length, d.file.Length
		if d.room, err = d.reserve(size, size); err != nil {
			return 0, err
		}
	}
	err = a.cfg.Blobs.Put(ctx, key, d, size)
	return d.read, err
}

// makeRoom notes what is known of a file on its way and charges it with at least need bytes, and with want as
// far as there is room. It answers how many it is charged with.
func (a *App) makeRoom(ctx context.Context, t store.Tenant, m store.Media, claim store.MediaClaim, need, want int64) (int64, error) {
	err := a.withRoom(ctx, t, func(t store.Tenant) error {
		locked, err := t.LockMedia(ctx, m.ID)
		if err != nil {
			return err
		}
		_, plan, err := a.plan(ctx, t)
		if err != nil {
			return err
		}
		more, err := takeSome(ctx, t, plan, need-locked.Charged, want-locked.Charged)
		if err != nil {
			return err
		}
		m.Charged = locked.Charged + more
		held, err := t.NoteMedia(ctx, claim, m)
		if err == nil && !held {
			err = errClaimLost
		}
		return err
	})
	if core.CodeOf(err) == core.CodeNotFound {
		err = errClaimLost
	}
	return m.Charged, err
}

// takeSome takes as many bytes as there is room for, at least and at most so many, and answers how many.
func takeSome(ctx context.Context, t store.Tenant, plan core.Plan, least, most int64) (int64, error) {
	if most <= 0 {
		return 0, nil
	}
	used, ok, err := t.TakeStorage(ctx, most, plan.StorageBytes)
	if err != nil || ok {
		return most, err
	}
	some := max(least, min(most, *plan.StorageBytes-used))
	if some <= 0 {
		return 0, nil
	}
	return some, takeStorage(ctx, t, plan, some)
}
