package intake

import (
	"cmp"
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
	// fetchTime bounds one attempt to fetch a file.
	fetchTime = 2 * time.Hour
	// maxFetches is how many files of one workspace are fetched at once, so that one workspace's slow sources do not
	// hold up another's files. The others wait fetchPause each time.
	maxFetches = 8
	fetchPause = 10 * time.Second
)

// defaultName is the name of a downloaded file if neither the request, the address nor the server has one.
const defaultName = "file"

// reasonUnreachable is why a file failed that could not be downloaded. It does not depend on the response, so that
// nobody can use it to explore a private network.
const reasonUnreachable = "The file could not be downloaded. Its address must be public and use https, " +
	"without redirects to a private network."

// source is the address of a file to download. It is stored encrypted, because many addresses are credentials.
type source struct {
	URL   string `json:"url"`
	Named bool   `json:"named"` // by the request, so that the server's name for the file is ignored
}

func sourcePlace(id core.MediaID, ws core.WorkspaceID) string {
	return secret.Place("media", "source", id.String(), ws.String())
}

// AddFromURL adds a file that a worker downloads, and returns its row (Spec §4, Media). Its errors, in this order:
// invalid_request, not_found for the folder, quota_exceeded if no storage is left. It calls save in the same
// transaction.
func (s *Service) AddFromURL(
	ctx context.Context, t store.Tenant, in contract.MediaFromURL, save func(store.Tenant, store.Media) error,
) (store.Media, error) {
	m, err := s.newMediaFromURL(t, in)
	if err != nil {
		return m, err
	}
	plan, err := s.resolveFolderAndPlan(ctx, t, &m, in.FolderID)
	if err != nil {
		return m, err
	}
	return m, s.runReservation(ctx, t, func(t store.Tenant) error {
		used, err := t.StorageUsed(ctx)
		if err != nil {
			return err
		}
		if plan.StorageBytes != nil && used >= *plan.StorageBytes {
			return core.OverStorage(used, *plan.StorageBytes)
		}
		if err := t.AddMedia(ctx, m, s.cfg.Now().Add(startPatience)); err != nil {
			return err
		}
		if err := t.Enqueue(ctx, queue.Fetch{Workspace: t.WorkspaceID(), Media: m.ID}, time.Time{}); err != nil {
			return err
		}
		return save(t, m)
	})
}

// newMediaFromURL returns a new file with its encrypted source.
func (s *Service) newMediaFromURL(t store.Tenant, in contract.MediaFromURL) (store.Media, error) {
	name, err := fetch.Check(in.URL)
	if err != nil {
		message := "Files cannot be downloaded from this address."
		if strings.HasPrefix(strings.ToLower(in.URL), "http:") {
			message = "Files cannot be downloaded from an address that begins with http://."
		}
		return store.Media{}, core.Invalid("url", "%s", message).Because(err).
			WithHint("Use a public address that begins with https:// and has no user name and no port.")
	}
	m, err := s.newMedia(cmp.Or(in.Filename, name, defaultName), "application/octet-stream")
	if err != nil {
		return store.Media{}, err
	}
	plain, err := json.Marshal(source{in.URL, in.Filename != ""})
	if err != nil {
		return store.Media{}, fmt.Errorf("encode the source of media %s: %w", m.ID, err)
	}
	m.Status, m.Tags, m.ExpiresAt = core.MediaUploading, []string{}, time.Time{}
	m.Source = s.cfg.Ring.Seal(PurposeSource, sourcePlace(m.ID, t.WorkspaceID()), plain)
	return m, nil
}

// FetchFile downloads a file from its address. It can run twice or be killed at any time: only the holder of the
// claim changes the file. After a temporary error, the sweep starts it again.
func (s *Service) FetchFile(ctx context.Context, ws core.WorkspaceID, id core.MediaID) error {
	t := s.tenant(ws)
	m, err := t.Media(ctx, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && m.Source == nil {
		return nil
	}
	if err != nil {
		return err
	}
	claim, ok, err := t.ClaimMedia(ctx, id, core.MediaUploading, leaseTime)
	if err != nil || !ok {
		return err
	}
	if held, err := t.FetchesHeld(ctx); err != nil || held > maxFetches {
		return errors.Join(err, t.ReleaseMediaClaim(ctx, claim, fetchPause, false))
	}
	key, size := newBlobKey(), int64(0)
	err = s.renewLeaseWhile(ctx, t, claim, func(ctx context.Context) (err error) {
		ctx, cancel := context.WithTimeout(ctx, fetchTime)
		defer cancel()
		size, err = s.downloadTo(ctx, t, m, claim, key)
		return err
	})
	stopping := ctx.Err() != nil
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTime)
	defer cancel()
	if err == nil {
		_, err = s.markUploaded(ctx, t, claim, key, size)
		return err
	}
	reason, final := fetchFailure(err)
	switch {
	case errors.Is(err, errLeaseLost):
		return nil
	case stopping:
		return t.ReleaseMediaClaim(ctx, claim, 0, false)
	case final, m.Tries+1 >= maxTries:
		s.cfg.Log.Info("could not download a file", "media", id, "tries", m.Tries+1, "error", err)
		return s.failFile(ctx, t, claim, reason)
	}
	s.cfg.Log.Info("a file will be downloaded again later", "media", id, "tries", m.Tries+1, "error", err)
	return t.ReleaseMediaClaim(ctx, claim, retryDelay(m.Tries), true)
}

// fetchFailure returns the reason for a person why a download failed, and whether another attempt would fail too.
func fetchFailure(err error) (reason string, final bool) {
	opening, ok := errors.AsType[*fetch.Error](err)
	switch {
	case ok:
		return reasonUnreachable, !opening.Transient
	case errors.Is(err, fetch.ErrAddress):
		return reasonUnreachable, true
	case errors.Is(err, fetch.ErrTooLarge):
		return "The file is larger than the plan allows.", true
	case core.CodeOf(err) == core.CodeQuotaExceeded:
		return "The plan has no storage left for the file.", true
	}
	return reasonInternal, false
}

// downloadTo downloads a file into the storage under the key, and returns its size.
func (s *Service) downloadTo(
	ctx context.Context, t store.Tenant, m store.Media, claim store.MediaClaim, key string,
) (int64, error) {
	var from source
	plain, err := s.cfg.Ring.Open(PurposeSource, sourcePlace(m.ID, t.WorkspaceID()), m.Source)
	if err == nil {
		err = json.Unmarshal(plain, &from)
	}
	if err != nil {
		return 0, fmt.Errorf("read the source of media %s: %w", m.ID, err)
	}
	plan, err := s.workspacePlan(ctx, t)
	if err != nil {
		return 0, err
	}
	limit := int64(blob.MaxUnknownSize)
	if plan.FileBytes != nil {
		limit = min(limit, *plan.FileBytes)
	}
	d, err := s.startDownload(ctx, from, limit)
	if err != nil {
		return 0, err
	}
	defer d.Close()
	if !from.Named && d.file.Name != "" {
		m.Name, m.Kind = d.file.Name, core.DeclaredKind(d.file.Name, m.Mime)
	}
	d.charge = func(need, want int64) (int64, error) { return s.chargeFetch(ctx, t, m, claim, need, want) }
	size := int64(blob.Unknown)
	if d.file.Length >= 0 {
		size, m.Bytes = d.file.Length, d.file.Length
		if d.charged, err = d.charge(size, size); err != nil {
			return 0, err
		}
	}
	err = s.cfg.Blobs.Put(ctx, key, d, size)
	return d.read, err
}

// chargeFetch stores what is known about a file during its download, and charges at least need bytes, up to want if
// the plan allows. It returns how many bytes are charged.
func (s *Service) chargeFetch(
	ctx context.Context, t store.Tenant, m store.Media, claim store.MediaClaim, need, want int64,
) (int64, error) {
	err := s.runReservation(ctx, t, func(t store.Tenant) error {
		locked, err := t.LockMedia(ctx, m.ID)
		if err != nil {
			return err
		}
		plan, err := s.workspacePlan(ctx, t)
		if err != nil {
			return err
		}
		more, err := takeStorageUpTo(ctx, t, plan, need-locked.Charged, want-locked.Charged)
		if err != nil {
			return err
		}
		m.Charged = locked.Charged + more
		held, err := t.NoteMedia(ctx, claim, m)
		if err == nil && !held {
			err = errLeaseLost
		}
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		err = errLeaseLost
	}
	return m.Charged, err
}

// takeStorageUpTo takes between least and most bytes of storage, as the plan allows, and returns how many.
func takeStorageUpTo(ctx context.Context, t store.Tenant, plan core.Plan, least, most int64) (int64, error) {
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
