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
	// fetchTime is the time limit for one attempt to fetch a file.
	fetchTime = 2 * time.Hour
	// maxFetches is how many files of one workspace are fetched at once, so that slow downloads of one workspace do not
	// delay those of others. Other files of the workspace wait fetchPause before they try again.
	maxFetches = 8
	fetchPause = 10 * time.Second
)

// defaultName is the name of a downloaded file if neither the request, the address nor the server has one.
const defaultName = "file"

// reasonUnreachable is the reason shown for a file that could not be downloaded. It does not depend on the response, so
// it cannot be used to explore a private network.
const reasonUnreachable = "The file could not be downloaded. Check that its address is public, begins with https://, " +
	"and does not redirect to a private network."

// source is the address of a file to download. It is stored encrypted, because many addresses are credentials.
type source struct {
	URL   string `json:"url"`
	Named bool   `json:"named"` // the request names the file, so the name that the server returns is ignored
}

// sourceEncryptionContext returns the context that binds a file's encrypted source to the file's row.
func sourceEncryptionContext(id core.MediaID, ws core.WorkspaceID) string {
	return secret.EncryptionContext("media", "source", id.String(), ws.String())
}

// AddFileAndEnqueueDownload adds a file that a worker will download, and returns its row (Spec §4, Media). It calls
// inTx in the same transaction. Its errors are, in this order: invalid_request, not_found for the folder, and
// quota_exceeded if no storage is left.
func (s *Service) AddFileAndEnqueueDownload(
	ctx context.Context, t store.Tenant, request contract.MediaFromURL, inTx func(store.Tenant, store.Media) error,
) (store.Media, error) {
	m, err := s.checkURLAndBuildMediaRow(t, request)
	if err != nil {
		return m, err
	}
	plan, err := s.setFolderAndLoadPlan(ctx, t, &m, request.FolderID)
	if err != nil {
		return m, err
	}
	return m, s.reserveFreeingExpiredUploadsIfFull(ctx, t, func(t store.Tenant) error {
		used, err := t.UsedStorage(ctx)
		if err != nil {
			return err
		}
		if plan.StorageBytes != nil && used >= *plan.StorageBytes {
			return core.NewStorageExceededError(used, *plan.StorageBytes)
		}
		if err := t.AddMediaWithReservedStorage(ctx, m, s.cfg.Now().Add(startPatience)); err != nil {
			return err
		}
		if err := t.Enqueue(ctx, queue.Fetch{Workspace: t.WorkspaceID(), Media: m.ID}, time.Time{}); err != nil {
			return err
		}
		return inTx(t, m)
	})
}

// checkURLAndBuildMediaRow returns the row of a new file with its encrypted source, or invalid_request. It stores
// nothing.
func (s *Service) checkURLAndBuildMediaRow(t store.Tenant, request contract.MediaFromURL) (store.Media, error) {
	name, err := fetch.CheckAddressWithoutLookup(request.URL)
	if err != nil {
		message := "Files cannot be downloaded from this address."
		if strings.HasPrefix(strings.ToLower(request.URL), "http:") {
			message = "Files cannot be downloaded from an address that begins with http://."
		}
		return store.Media{}, core.Invalid("url", "%s", message).WithCause(err).
			WithHint("Use a public https:// address on port 443, without a user name.")
	}
	m, err := s.checkAndBuildMediaRow(cmp.Or(request.Filename, name, defaultName), "application/octet-stream")
	if err != nil {
		return store.Media{}, err
	}
	plain, err := json.Marshal(source{request.URL, request.Filename != ""})
	if err != nil {
		return store.Media{}, fmt.Errorf("encode the source of media %s: %w", m.ID, err)
	}
	m.Status, m.Tags, m.ExpiresAt = core.MediaUploading, []string{}, time.Time{}
	m.Source = s.cfg.Ring.Seal(PurposeSource, sourceEncryptionContext(m.ID, t.WorkspaceID()), plain)
	return m, nil
}

// ClaimAndDownloadFile downloads a file from its address and stores it. It may run twice or be killed at any time,
// because only the worker that has claimed the file changes it. After a temporary error, RequeueOrFailStalledFiles
// enqueues another job.
func (s *Service) ClaimAndDownloadFile(ctx context.Context, ws core.WorkspaceID, id core.MediaID) error {
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
	if held, err := t.CountActiveDownloads(ctx); err != nil || held > maxFetches {
		return errors.Join(err, t.ReleaseMediaClaimIfHeld(ctx, claim, fetchPause, false))
	}
	key, size := newBlobKey(), int64(0)
	err = s.renewLeaseWhile(ctx, t, claim, func(ctx context.Context) (err error) {
		ctx, cancel := context.WithTimeout(ctx, fetchTime)
		defer cancel()
		size, err = s.downloadChargeAndStore(ctx, t, m, claim, key)
		return err
	})
	stopping := ctx.Err() != nil
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTime)
	defer cancel()
	if err == nil {
		_, err = s.markUploadedAndEnqueueProcessing(ctx, t, claim, key, size)
		return err
	}
	reason, final := describeFetchFailure(err)
	switch {
	case errors.Is(err, errLeaseLost):
		return nil
	case stopping:
		return t.ReleaseMediaClaimIfHeld(ctx, claim, 0, false)
	case final, m.Tries+1 >= maxTries:
		s.cfg.Log.Info("could not download a file", "media", id, "tries", m.Tries+1, "error", err)
		return s.failFileAndDeleteBytes(ctx, t, claim, reason)
	}
	s.cfg.Log.Info("a download failed; will try again later", "media", id, "tries", m.Tries+1, "error", err)
	return t.ReleaseMediaClaimIfHeld(ctx, claim, retryDelay(m.Tries), true)
}

// describeFetchFailure returns the reason that people see for a failed download, and whether another attempt would also
// fail.
func describeFetchFailure(err error) (reason string, final bool) {
	opening, ok := errors.AsType[*fetch.Error](err)
	switch {
	case ok:
		return reasonUnreachable, !opening.Transient
	case errors.Is(err, fetch.ErrAddress):
		return reasonUnreachable, true
	case errors.Is(err, fetch.ErrTooLarge):
		return "The file is larger than the subscription plan allows. Make the file smaller, or change the subscription plan.", true
	case core.CodeOf(err) == core.CodeQuotaExceeded:
		return "The workspace has no storage left for the file. Delete files that you no longer need, or change the subscription plan.", true
	}
	return reasonInternal, false
}

// downloadChargeAndStore downloads a file, stores its bytes under key, and returns its size. It charges the bytes to
// the workspace as they arrive.
func (s *Service) downloadChargeAndStore(
	ctx context.Context, t store.Tenant, m store.Media, claim store.MediaClaim, key string,
) (size int64, err error) {
	var from source
	plain, err := s.cfg.Ring.Open(PurposeSource, sourceEncryptionContext(m.ID, t.WorkspaceID()), m.Source)
	if err == nil {
		err = json.Unmarshal(plain, &from)
	}
	if err != nil {
		return 0, fmt.Errorf("read the source of media %s: %w", m.ID, err)
	}
	plan, err := s.loadPlan(ctx, t)
	if err != nil {
		return 0, err
	}
	limit := int64(blob.MaxUnknownSize)
	if plan.FileBytes != nil {
		limit = min(limit, *plan.FileBytes)
	}
	file, err := s.cfg.Fetch.Get(ctx, from.URL, limit)
	if err != nil {
		return 0, err
	}
	d := &chargedDownload{ctx: ctx, client: s.cfg.Fetch, address: from.URL, limit: limit, file: file}
	defer d.Close()
	if !from.Named && file.Name != "" {
		m.Name, m.Kind = file.Name, core.DeclaredKindOrImage(file.Name, m.Mime)
	}
	d.charge = func(needTotal, wantTotal int64) (int64, error) {
		return s.chargeDownloadAndSaveInfo(ctx, t, m, claim, needTotal, wantTotal)
	}
	length := int64(blob.Unknown)
	if file.Length >= 0 {
		length, m.Bytes = file.Length, file.Length
		if d.charged, err = d.charge(length, length); err != nil {
			return 0, err
		}
	}
	err = s.cfg.Blobs.Put(ctx, key, d, length)
	return d.read, err
}

// chargeDownloadAndSaveInfo stores what is known about a file during its download, and charges needTotal bytes in
// total, or up to wantTotal if the plan allows. It returns how many bytes are now charged in total, or quota_exceeded
// if needTotal does not fit.
func (s *Service) chargeDownloadAndSaveInfo(
	ctx context.Context, t store.Tenant, m store.Media, claim store.MediaClaim, needTotal, wantTotal int64,
) (chargedTotal int64, err error) {
	err = s.reserveFreeingExpiredUploadsIfFull(ctx, t, func(t store.Tenant) error {
		locked, err := t.LockMedia(ctx, m.ID)
		if err != nil {
			return err
		}
		plan, err := s.loadPlan(ctx, t)
		if err != nil {
			return err
		}
		more, err := chargeStorageBetween(ctx, t, plan, needTotal-locked.Charged, wantTotal-locked.Charged)
		if err != nil {
			return err
		}
		m.Charged = locked.Charged + more
		held, err := t.SaveDownloadInfo(ctx, claim, m)
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

// chargeStorageBetween charges the workspace as many bytes as the plan allows, but at least least and at most most. It
// returns how many it charged, or quota_exceeded.
func chargeStorageBetween(
	ctx context.Context, t store.Tenant, plan core.Plan, least, most int64,
) (charged int64, err error) {
	if most <= 0 {
		return 0, nil
	}
	used, ok, err := t.ReserveStorage(ctx, most, plan.StorageBytes)
	if err != nil {
		return 0, err
	}
	if ok {
		return most, nil
	}
	some := max(least, min(most, *plan.StorageBytes-used))
	if some <= 0 {
		return 0, nil
	}
	return some, chargeStorage(ctx, t, plan, some)
}
